"""How many authenticated requests are being worked on, and the refusal of any beyond the limit."""

from typing import Final

from gatehouse.api.problems import Problem

RETRY_SOON: Final = ((b"retry-after", b"1"),)


class InFlight:
    """The slots for requests that are being worked on.

    Requests without a valid key, slow bodies and answers that are not read take none, so that
    strangers and slow callers cannot keep others from being served.
    """

    __slots__ = ("_most", "_taken")

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @property
    def taken(self) -> int:
        """How many requests are being worked on."""
        return self._taken

    @property
    def busy(self) -> bool:
        """Whether any request is being worked on."""
        return self._taken > 0

    def take(self) -> None:
        """Take a slot, or refuse the request."""
        if self._taken >= self._most:
            raise Problem("overloaded", headers=RETRY_SOON)
        self._taken += 1

    def give_back(self) -> None:
        """Free a slot."""
        self._taken -= 1
