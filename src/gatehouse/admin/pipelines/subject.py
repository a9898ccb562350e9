"""Where the faces of this subject are: pipelines."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "pipelines",
    rank=140,
    commands=(
        CommandPlace("pipelines", "command:app", "Pipelines: which stages a request goes through."),
    ),
    use_cases=("use_cases.declared",),
    operations=("routes:OPERATIONS",),
    pages=(
        "pages.pipelines:PAGES",
        "pages.playground:PAGES",
    ),
)
