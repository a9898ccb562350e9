"""The options of `gatehouse sentry train`."""

from typing import Annotated, Literal

from gatehouse.cli.arguments import option

HistoryOption = Annotated[
    list[str] | None,
    option(
        "Learn from requests of a file, as sentry replay takes it, in any order; may be "
        "given several times; - for stdin.",
        "--from",
        metavar="FILE",
    ),
]
Archive = Annotated[
    str | None,
    option(
        "Read an archive of gatehouse decisions archive instead of the database.",
        metavar="DIR|s3://BUCKET/PREFIX",
    ),
]
SinceOption = Annotated[
    str | None,
    option(
        "From when on: 30d ago, a day (2026-11-15), or RFC 3339. Default: 180d, of a file "
        "everything.",
        metavar="WHEN",
    ),
]
LabelDelay = Annotated[
    str, option("How long labels are waited for; newer requests wait.", metavar="SPAN")
]
Holdout = Annotated[float, option("Share of the newest requests to measure on.", min=0.05, max=0.5)]
Method = Annotated[
    Literal["auto", "ebm", "logistic"],
    option("How it is fitted; auto depends on how much fraud there is."),
]
Presume = Annotated[
    bool | None,
    option(
        "Whether requests without a label count as legitimate, refused ones never. "
        "Default: those of records do, those of a file do not.",
        "--presume/--no-presume",
    ),
]
Plots = Annotated[
    str | None, option("Folder for the pictures. Default: ./sentry-model-N.", metavar="DIR")
]
Feeds = Annotated[
    bool, option("With --from, also ask the feed folder, which knows what came later.", "--feeds")
]
Promote = Annotated[
    bool, option("Put the model into use at once, whatever its figures.", "--promote")
]
AuditOption = Annotated[
    bool,
    option("Only check the labels for what flatters or spoils a model; none is made.", "--audit"),
]
