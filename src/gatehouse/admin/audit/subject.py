"""Where the faces of this subject are: audit."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "audit",
    rank=300,
    commands=(CommandPlace("audit", "command:app", "The trail of everything that was changed."),),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
