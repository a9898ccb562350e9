"""Where the faces of this subject are: sandbox."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "sandbox",
    rank=20,
    commands=(
        CommandPlace(
            "sandbox",
            "command.sandbox:sandbox",
            "Print what to send to the sandbox to get a given answer, and who holds its cards.",
        ),
        CommandPlace("demo", "command.demo:app", "A made-up past for the sandbox's demo account."),
    ),
    without={
        "use_cases": "The demo account is the sandbox's own.",
        "pages": "The playground belongs to pipelines.",
    },
)
