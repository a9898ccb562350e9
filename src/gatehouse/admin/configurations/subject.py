"""Where the faces of this subject are: configurations."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "configurations",
    rank=110,
    without={
        "commands": "Its commands are those of rule sets and pipelines.",
        "use_cases": "They are declared for rule sets and for pipelines.",
        "pages": "Its pages are those of rule sets and pipelines.",
    },
)
