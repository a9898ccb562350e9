"""Where the faces of this subject are: search."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "search",
    rank=200,
    operations=("routes:OPERATIONS",),
    pages=("pages.decisions:PAGES", "pages.finding:PAGES"),
    without={
        "commands": "`gatehouse decisions` and `gatehouse reviews` search.",
    },
)
