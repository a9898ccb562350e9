"""Where the faces of this subject are: rings."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "rings",
    rank=215,
    commands=(CommandPlace("rings", "command:app", "People who share cards, devices and more."),),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
