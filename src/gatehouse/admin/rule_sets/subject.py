"""Where the faces of this subject are: rule sets."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "rule_sets",
    rank=120,
    commands=(
        CommandPlace("rules", "command.rules:app", "Rule sets: what is decided about a request."),
    ),
    use_cases=("use_cases.declared",),
    pages=(
        "pages.rules:PAGES",
        "pages.rule_building:PAGES",
    ),
)
