"""Where the faces of this subject are: sign in."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "sign_in",
    rank=70,
    pages=(
        "pages.entry:PAGES",
        "pages.single_sign_on:PAGES",
    ),
    without={
        "commands": "`gatehouse users` makes links and resets; a terminal has no session.",
        "use_cases": "Programs have keys.",
    },
)
