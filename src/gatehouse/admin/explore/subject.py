"""Where the faces of this subject are: explore."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "explore",
    rank=202,
    commands=(
        CommandPlace("explore", "command:explore", "Count decisions in groups by any signal."),
    ),
    pages=("pages:PAGES",),
    without={
        "use_cases": "They are counted on a copy that only the console's process keeps.",
    },
)
