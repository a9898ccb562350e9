"""Where the faces of this subject are: archive."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "archive",
    rank=230,
    without={
        "commands": "`gatehouse decisions` and `gatehouse rules` reach it.",
        "use_cases": "It lies on a disk or in a bucket of the operator.",
        "pages": "It is read by backtests, at a terminal.",
    },
)
