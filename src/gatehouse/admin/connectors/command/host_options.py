"""The options of `gatehouse reference-host`."""

from pathlib import Path
from typing import Annotated

from gatehouse.cli.arguments import option

Iso8583Port = Annotated[int, option("For ISO 8583; 0 for any that is free.", min=0, max=65535)]
HttpPort = Annotated[int, option("For HTTP; 0 for any that is free.", min=0, max=65535)]
Host = Annotated[str, option("Address to listen on.")]
DialectOption = Annotated[
    str, option("Of ISO 8583: one that ships, or a file such as ./mine.yaml.")
]
Token = Annotated[
    str | None,
    option(
        "Bearer token of HTTP callers, as env:NAME or file:/path. Default: a new one.",
        metavar="SOURCE",
    ),
]
Tls = Annotated[bool, option("Speak TLS on both ports.", "--tls")]
TlsFolder = Annotated[
    Path | None,
    option(
        "Where certificates are made; those that are there are used. Default: a new one.",
        metavar="DIR",
    ),
]
TlsFiles = Annotated[
    tuple[Path, Path] | None,
    option("Use these files (PEM) instead of making some.", metavar="CERTIFICATE KEY"),
]
ClientCa = Annotated[
    Path | None, option("Callers must show a certificate of this authority.", metavar="FILE")
]
AskCertificate = Annotated[
    bool, option("The same with the authority that is made.", "--ask-certificate")
]
JournalFile = Annotated[
    Path | None, option("Write a line for every message, without card numbers.", metavar="FILE")
]
Resume = Annotated[bool, option("Read the journal back, and go on with it.", "--resume")]
Misbehave = Annotated[
    str,
    option(
        "Let a share of the answers go wrong: slow, silent, garbage, half, duplicate, "
        "wrong-stan, reset, error, wrong-amount; tls-failure is a share of the handshakes, and "
        "notice-late, notice-twice, notice-unsigned are shares of the notifications.",
        metavar="NAME=SHARE,...",
    ),
]
Seed = Annotated[int, option("Decides which answers go wrong.", min=0, max=2**63 - 1)]
SlowMs = Annotated[int, option("How late a slow answer is.", min=0, max=600_000)]
