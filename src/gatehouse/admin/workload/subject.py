"""Where the faces of this subject are: workload."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "workload",
    rank=181,
    without={
        "commands": "`gatehouse reviews` lists what waits.",
        "use_cases": "Programs list reviews, and count them.",
        "pages": "The queue of reviews shows it.",
    },
)
