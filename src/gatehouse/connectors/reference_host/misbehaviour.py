"""How the reference host misbehaves: which share of its answers goes wrong, and in which way."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked


class HostFate(StrEnum):
    """What goes wrong with one answer, or with one handshake."""

    SLOW = "slow"
    SILENT = "silent"
    GARBAGE = "garbage"
    HALF = "half"
    DUPLICATE = "duplicate"
    WRONG_STAN = "wrong-stan"
    RESET = "reset"
    ERROR = "error"
    WRONG_AMOUNT = "wrong-amount"
    NOTICE_LATE = "notice-late"
    NOTICE_TWICE = "notice-twice"
    NOTICE_UNSIGNED = "notice-unsigned"
    TLS_FAILURE = "tls-failure"


_OF_OTHERS: Final = (
    *(HostFate.TLS_FAILURE, HostFate.NOTICE_LATE, HostFate.NOTICE_TWICE),
    HostFate.NOTICE_UNSIGNED,
)
"""Shares of handshakes, and of notifications."""
Share = Annotated[float, Meta(ge=0, le=1)]
_WHOLE: Final = 1 + 1e-9
_ALL: Final = ", ".join(fate.value for fate in HostFate)


class HostMisbehaviour(Checked, msgspec.Struct, frozen=True, rename="camel"):
    """The share of each fate among all answers, among handshakes and among notifications."""

    shares: dict[HostFate, Share] = {}
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    slow_ms: Annotated[int, Meta(ge=0, le=600_000)] = 500

    def problems(self) -> Iterator[tuple[str, str]]:
        """All answers together are one whole."""
        if isinstance(self.shares, dict) and sum(_of_answers(self.shares).values()) > _WHOLE:
            yield "shares", "must be at most 1 together"


def _of_answers(shares: dict[HostFate, float]) -> dict[HostFate, float]:
    """The shares without those of handshakes and of notifications."""
    return {fate: share for fate, share in shares.items() if fate not in _OF_OTHERS}


def read_shares(text: str) -> dict[HostFate, float]:
    """The shares that an option such as `slow=0.02,silent=0.01` names; or `InvalidInput`."""
    shares: dict[HostFate, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, share = part.partition("=")
        try:
            fate, value = HostFate(name.strip()), float(share)
        except ValueError:
            raise InvalidInput(
                f"--misbehave takes NAME=SHARE,... with names of {_ALL}, and shares from 0 to 1"
            ) from None
        if not 0 <= value <= 1:
            raise InvalidInput(f"--misbehave: the share of {fate} must be from 0 to 1")
        shares[fate] = value
    if sum(_of_answers(shares).values()) > _WHOLE:
        raise InvalidInput("--misbehave: the shares must be at most 1 together")
    return shares


def make_fates(misbehaviour: HostMisbehaviour) -> Callable[[str], HostFate | None]:
    """A function from what is answered to what goes wrong with it, always the same for a seed."""
    limits: list[tuple[int, HostFate]] = []
    reached = 0.0
    for fate, share in sorted(_of_answers(misbehaviour.shares).items()):
        reached += share
        if share:
            limits.append((round(reached * 2**64), fate))
    seed = misbehaviour.seed.to_bytes(8, "big")

    def fate_of(key: str) -> HostFate | None:
        if not limits:
            return None
        drawn = draw(seed, key)
        return next((fate for limit, fate in limits if drawn < limit), None)

    return fate_of


def draw(seed: bytes, key: str) -> int:
    """A number of 64 bits, always the same for a seed and a key."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8, key=seed).digest(), "big")
