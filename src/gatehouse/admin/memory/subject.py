"""Where the faces of this subject are: memory."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "memory",
    rank=270,
    without={
        "commands": "`gatehouse sentry rebuild` belongs to models.",
        "use_cases": "The memory is the installation's.",
        "pages": "Metrics and `/readyz` tell how it is.",
    },
)
