"""The options of `gatehouse reference-host`."""

from pathlib import Path
from typing import Annotated

import typer

Iso8583Port = Annotated[
    int, typer.Option(min=0, max=65535, help="For ISO 8583; 0 for any that is free.")
]
HttpPort = Annotated[int, typer.Option(min=0, max=65535, help="For HTTP; 0 for any that is free.")]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
DialectOption = Annotated[
    str, typer.Option(help="Of ISO 8583: one that ships, or a file such as ./mine.yaml.")
]
Token = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE",
        help="Bearer token of HTTP callers, as env:NAME or file:/path. Default: a new one.",
    ),
]
Tls = Annotated[bool, typer.Option("--tls", help="Speak TLS on both ports.")]
TlsFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where certificates are made; those that are there are used. Default: a new one.",
    ),
]
TlsFiles = Annotated[
    tuple[Path, Path] | None,
    typer.Option(metavar="CERTIFICATE KEY", help="Use these files (PEM) instead of making some."),
]
ClientCa = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Callers must show a certificate of this authority."),
]
AskCertificate = Annotated[
    bool, typer.Option("--ask-certificate", help="The same with the authority that is made.")
]
JournalFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a line for every message, without card numbers."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Read the journal back, and go on with it.")]
Misbehave = Annotated[
    str,
    typer.Option(
        metavar="NAME=SHARE,...",
        help="Let a share of the answers go wrong: slow, silent, garbage, half, duplicate, "
        "wrong-stan, reset, error, wrong-amount; tls-failure is a share of the handshakes, and "
        "notice-late, notice-twice, notice-unsigned are shares of the notifications.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides which answers go wrong.")]
SlowMs = Annotated[int, typer.Option(min=0, max=600_000, help="How late a slow answer is.")]
