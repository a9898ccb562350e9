"""The journal of the reference host: a line for every message that it received or sent.

Nothing in it is secret: of a card it holds the BIN and the last four digits. A line is with the
operating system before its answer leaves, so it survives the end of the process, however sudden.
"""

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

import msgspec

from gatehouse.connectors.reference_host.misbehaviour import HostFate
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict, InvalidInput

_LONGEST_LINE: Final = 65_536


class HostKind(StrEnum):
    """What a message is about."""

    CHECK = "check"
    VERIFY = "verify"
    AUTHORIZE = "authorize"
    REVERSE = "reverse"
    CAPTURE = "capture"
    REFUND = "refund"
    PAGE = "page"
    """A payment page is made, or asked about."""
    NETWORK = "network"
    """Sign-on, echo and sign-off."""
    UNREADABLE = "unreadable"


class HostOutcome(StrEnum):
    """What the host decided about a message."""

    ANSWERED = "answered"
    APPROVED = "approved"
    """A payment; or a capture or refund, which is done then."""
    DECLINED = "declined"
    SILENT = "silent"
    """The card is one that the sandbox never answers for."""
    REVERSED = "reversed"
    NEVER_HEARD_OF = "never_heard_of"
    """A reversal of a payment that did not arrive; it is refused if it ever does."""
    REFUSED = "refused"
    """The message cannot be used, or contradicts what is known."""


class JournalLine(CamelStruct, omit_defaults=True):
    """One message."""

    at: str
    direction: Literal["received", "sent"]
    protocol: Literal["iso8583", "http"]
    kind: HostKind
    outcome: HostOutcome
    reference: str | None = None
    operation: str | None = None
    """The id of a capture or refund."""
    stan: str | None = None
    amount_minor: int | None = None
    currency: str | None = None
    bin: str | None = None
    last_four: str | None = None
    code: str | None = None
    """The response code."""
    approval_code: str | None = None
    fate: HostFate | None = None
    """What goes wrong with the answer."""
    duplicate: bool = False
    """Whether the same was asked before."""


class HostJournal:
    """Appends lines to a file; keeps none when there is no file."""

    def __init__(self, path: Path | None, *, resume: bool = False) -> None:
        """Begin a new file, or go on with one that `read_journal` can read."""
        self._encode = msgspec.json.Encoder().encode
        self._file: int | None = None
        if path is None:
            return
        try:
            if not resume and path.exists() and path.stat().st_size:
                raise Conflict(f"{path} has lines already: go on with it by --resume, or remove it")
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(path, how, 0o600)
            if resume and _ends_within_a_line(path):
                os.write(self._file, b"\n")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None

    @property
    def is_kept(self) -> bool:
        """Whether there is a file."""
        return self._file is not None

    def write(self, line: JournalLine) -> None:
        """Hand a line to the operating system."""
        if self._file is not None:
            os.write(self._file, self._encode(line) + b"\n")

    def close(self) -> None:
        """Write nothing more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def read_journal(path: Path) -> Iterator[JournalLine]:
    """The lines of a journal; one that the end of its process cut off is left out."""
    decode = msgspec.json.Decoder(JournalLine).decode
    try:
        with path.open("rb") as file:
            number = 0
            while text := file.readline(_LONGEST_LINE):
                number += 1
                try:
                    yield decode(text)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    if text.endswith(b"}\n"):
                        raise InvalidInput(f"{path}: line {number} is not of a journal") from None
    except FileNotFoundError:
        return
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None


def _ends_within_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
