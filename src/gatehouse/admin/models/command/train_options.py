"""The options of `gatehouse sentry train`."""

from typing import Annotated, Literal

import typer

HistoryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="FILE",
        help="Learn from requests of a file, as sentry replay takes it, in any order; may be "
        "given several times; - for stdin.",
    ),
]
Archive = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|s3://BUCKET/PREFIX",
        help="Read an archive of gatehouse decisions archive instead of the database.",
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN",
        help="From when on: 30d ago, a day (2026-11-15), or RFC 3339. Default: 180d, of a file "
        "everything.",
    ),
]
LabelDelay = Annotated[
    str,
    typer.Option(metavar="SPAN", help="How long labels are waited for; newer requests wait."),
]
Holdout = Annotated[
    float, typer.Option(min=0.05, max=0.5, help="Share of the newest requests to measure on.")
]
Method = Annotated[
    Literal["auto", "ebm", "logistic"],
    typer.Option(help="How it is fitted; auto depends on how much fraud there is."),
]
Presume = Annotated[
    bool | None,
    typer.Option(
        "--presume/--no-presume",
        help="Whether requests without a label count as legitimate, refused ones never. "
        "Default: those of records do, those of a file do not.",
    ),
]
Plots = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder for the pictures. Default: ./sentry-model-N."),
]
Feeds = Annotated[
    bool,
    typer.Option(
        "--feeds", help="With --from, also ask the feed folder, which knows what came later."
    ),
]
Promote = Annotated[
    bool, typer.Option("--promote", help="Put the model into use at once, whatever its figures.")
]
AuditOption = Annotated[
    bool,
    typer.Option(
        "--audit", help="Only check the labels for what flatters or spoils a model; none is made."
    ),
]
