"""Where the faces of this subject are: figures."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "figures",
    rank=220,
    commands=(
        CommandPlace(
            "figures", "command:figures", "Count decisions by outcome, fraud and latency."
        ),
    ),
    pages=("pages.overview:PAGES",),
    without={
        "use_cases": "They are counted on a copy that only the console's process keeps.",
    },
)
