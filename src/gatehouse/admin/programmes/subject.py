"""Where the faces of this subject are: programmes of the networks."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "programmes",
    rank=242,
    commands=(
        CommandPlace("programmes", "command:app", "How far it is to the networks' programmes."),
    ),
    use_cases=("use_cases.metering", "use_cases.enumeration", "use_cases.what_if"),
    pages=("pages:PAGES",),
)
