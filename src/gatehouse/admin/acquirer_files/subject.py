"""Where the faces of this subject are: files of acquirers."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "acquirer_files",
    rank=244,
    use_cases=("use_cases.import_jobs",),
    without={
        "commands": "Outcomes have the command that imports a file.",
        "pages": "The page of outcomes takes files.",
    },
)
