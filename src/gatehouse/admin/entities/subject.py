"""Where the faces of this subject are: entities."""

from gatehouse.core.subject import Subject

SUBJECT = Subject(
    "entities",
    rank=210,
    pages=("pages.entities:PAGES",),
    without={
        "commands": "People follow entities from page to page.",
        "use_cases": "For people at work in a browser.",
    },
)
