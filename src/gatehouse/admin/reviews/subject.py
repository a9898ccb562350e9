"""Where the faces of this subject are: reviews."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "reviews",
    rank=180,
    commands=(
        CommandPlace("reviews", "command.reviews:app", "Decisions that a person is to look at."),
    ),
    operations=("routes:OPERATIONS",),
    pages=("pages.queue:PAGES", "pages.review:PAGES"),
)
