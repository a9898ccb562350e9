"""Where the faces of this subject are: models that are tried before they are promoted."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "model_trials",
    rank=265,
    commands=(CommandPlace("trial", "command:app", "A model beside the one in force."),),
    use_cases=("use_cases.trials", "use_cases.shadows"),
    pages=("pages.promotion:PAGES", "pages.shadow:PAGES"),
)
