"""Where the faces of this subject are: evidence for disputes, and their desk."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "evidence",
    rank=243,
    commands=(
        CommandPlace("disputes", "command:app", "Disputes: deadlines, evidence, files, results."),
    ),
    use_cases=(
        *("use_cases.evidence", "use_cases.dispute_desk", "use_cases.dispute_files"),
        *("use_cases.papers", "use_cases.keeping"),
    ),
    pages=("pages:PAGES",),
)
