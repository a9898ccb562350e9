"""Where the faces of this subject are: explore."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "explore",
    rank=202,
    commands=(
        CommandPlace("explore", "command:explore", "Count decisions in groups by any signal."),
    ),
    use_cases=("use_cases.by_job",),
    pages=("pages:PAGES",),
)
