"""Where the faces of this subject are: search."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "search",
    rank=200,
    pages=("pages.decisions:PAGES",),
    without={
        "commands": "`gatehouse decisions` and `gatehouse reviews` search.",
        "use_cases": "Its operations are routes of `api/search.py`.",
    },
)
