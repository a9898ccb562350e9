"""The numbers by which a message is known on both sides: STAN, RRN and the time it was sent."""

import re
from collections.abc import Container
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import msgspec

from gatehouse.connectors.iso8583.roles import Role
from gatehouse.core.errors import ConnectorFailed

MOST_STANS: Final = 999_999
"""STANs have six digits; 000000 is not used."""
_MOST_TRIES: Final = 120_000
"""More than can be in use at a time."""
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_RRN_STEPS: Final = range(50, -1, -10)
_REFERENCE: Final = re.compile(
    r"([0-9]{6})/([0-9]{10})/([0-9A-Z]{12})/([0-9A-Za-z]{0,6})/([0-9A-Za-z]{0,20})"
)
_LOCAL_DATE: Final = Role.LOCAL_DATE
_LOCAL_TIME: Final = Role.LOCAL_TIME
_NO_CODE: Final = re.compile(r"[^0-9A-Za-z]")


class StanCounter:
    """Counts STANs, from a place chosen at random, so that a restart does not repeat them."""

    def __init__(self, first: int) -> None:
        self._next = first % MOST_STANS

    def take(self, used: Container[str]) -> str:
        """The next STAN that is not among the used ones; after the last comes the first."""
        for _ in range(_MOST_TRIES):
            self._next = self._next % MOST_STANS + 1
            stan = f"{self._next:06d}"
            if stan not in used:
                return stan
        raise ConnectorFailed("every STAN is in use", sent=False)


def rrn_of(request_id: str, purpose: bytes = b"") -> str:
    """The retrieval reference number of a request: 12 letters and digits, everywhere the same.

    A payment and its reversal have that without a purpose; a check of the same request has another.
    """
    digest = int.from_bytes(
        blake2b(request_id.encode(), digest_size=8, person=purpose).digest(), "big"
    )
    return "".join([_PAIRS[digest >> step & 0x3FF] for step in _RRN_STEPS])


@lru_cache(maxsize=4)
def transmission_time(second: int) -> str:
    """A second since 1970 as MMDDhhmmss in UTC."""
    return f"{datetime.fromtimestamp(second, UTC):%m%d%H%M%S}"


def local_time(transmitted_at: str) -> dict[Role, str]:
    """The date and the time of a transmission, for hosts that want them apart; in UTC as well."""
    return {_LOCAL_DATE: transmitted_at[:4], _LOCAL_TIME: transmitted_at[4:]}


def age_s(transmitted_at: str, now_s: int) -> int:
    """How long ago a message was sent, by its MMDDhhmmss; the last such time is meant."""
    now = datetime.fromtimestamp(now_s, UTC)
    # A clock that is a little behind must not make it a year.
    latest = now + timedelta(days=1)
    for year in range(latest.year, latest.year - 9, -1):
        try:
            moment = datetime.strptime(f"{year}{transmitted_at}+0000", "%Y%m%d%H%M%S%z")
        except ValueError:
            continue  # 29 February is not in every year.
        if moment <= latest:
            return max(0, int((now - moment).total_seconds()))
    return 0


class PaymentReference(msgspec.Struct, frozen=True):
    """By what a host finds an authorization that is to be reversed; holds nothing secret."""

    stan: str
    transmitted_at: str
    rrn: str
    approval_code: str = ""
    transaction_id: str = ""

    def text(self) -> str:
        """As it is stored with the payment."""
        return "/".join(msgspec.structs.astuple(self))

    def answered(self, approval_code: str, transaction_id: str) -> "PaymentReference":
        """The reference with what the host said; signs that no code has are left out."""
        return PaymentReference(
            self.stan,
            self.transmitted_at,
            self.rrn,
            _NO_CODE.sub("", approval_code)[:6],
            _NO_CODE.sub("", transaction_id)[:20],
        )

    def original_values(self, mti: str) -> dict[Role, str]:
        """The authorization, in a message about it."""
        values = {
            Role.ORIGINAL_MTI: mti,
            Role.ORIGINAL_STAN: self.stan,
            Role.ORIGINAL_TRANSMITTED_AT: self.transmitted_at,
        }
        if self.approval_code:
            values[Role.APPROVAL_CODE] = self.approval_code
        if self.transaction_id:
            values[Role.TRANSACTION_ID] = self.transaction_id
        return values

    @classmethod
    def parse(cls, text: str | None) -> "PaymentReference | None":
        """Read a stored reference; None for what this kind of connector never made."""
        found = _REFERENCE.fullmatch(text or "")
        return None if found is None else cls(*found.groups())
