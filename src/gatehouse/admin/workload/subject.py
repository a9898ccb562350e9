"""Where the faces of this subject are: workload."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "workload",
    rank=181,
    commands=(CommandPlace("bulk", "command:app", "Many decisions at once, undone as one."),),
    use_cases=("use_cases.bulk",),
    pages=("pages:PAGES",),
)
