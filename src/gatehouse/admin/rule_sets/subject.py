"""Where the faces of this subject are: rule sets."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "rule_sets",
    rank=120,
    commands=(
        CommandPlace("rules", "command.rules:app", "Rule sets: what is decided about a request."),
        CommandPlace("rule", "command.one_rule:app", "One rule of a rule set, and its switch."),
    ),
    use_cases=("use_cases.declared", "use_cases.one_rule"),
    pages=(
        "pages.rules:PAGES",
        "pages.rule:PAGES",
        "pages.rule_building:PAGES",
    ),
)
