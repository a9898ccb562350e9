"""Where the faces of this subject are: keys."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "keys",
    rank=40,
    commands=(CommandPlace("keys", "command:app", "API keys of an account."),),
    use_cases=("use_cases",),
    pages=("pages:PAGES",),
)
