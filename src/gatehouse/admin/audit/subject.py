"""Where the faces of this subject are: audit."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "audit",
    rank=300,
    commands=(CommandPlace("audit", "command:app", "The trail of everything that was changed."),),
    pages=("pages:PAGES",),
    without={
        "use_cases": "The trail of all accounts is the operator's.",
    },
)
