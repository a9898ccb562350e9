"""Where the faces of this subject are: models."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "models",
    rank=260,
    commands=(CommandPlace("sentry", "command.sentry:app", "The models that Sentry scores with."),),
    use_cases=("use_cases.versions", "use_cases.model_files"),
    pages=("pages.models:PAGES",),
)
