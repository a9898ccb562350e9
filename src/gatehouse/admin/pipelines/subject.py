"""Where the faces of this subject are: pipelines."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "pipelines",
    rank=140,
    commands=(
        CommandPlace("pipelines", "command:app", "Pipelines: which stages a request goes through."),
    ),
    pages=(
        "pages.pipelines:PAGES",
        "pages.playground:PAGES",
    ),
    without={
        "use_cases": "Its endpoints are declared with configurations.",
    },
)
