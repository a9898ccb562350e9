"""The port through which messages are sent, and what comes back."""

from email.utils import parsedate_to_datetime
from typing import Final, Protocol

import msgspec

TIME_LIMIT_S: Final = 15.0
GONE: Final = 410
_LONGEST_PAUSE_MS: Final = 86_400_000


class WebhookMessage(msgspec.Struct, frozen=True):
    """One message to one endpoint, signed; it may hold decisions, so it is never printed."""

    url: str
    id: str
    timestamp: bytes
    signature: bytes
    body: bytes

    def __repr__(self) -> str:
        return f"WebhookMessage({self.id})"


class SendResult(msgspec.Struct, frozen=True):
    """What became of one attempt."""

    status: int | None
    """Of the answer; None when there was none."""
    failure: str | None = None
    """Why there was none, or why it does not count; None when the message was accepted."""
    duration_ms: int = 0
    retry_after: bytes = b""

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver has it."""
        return self.failure is None

    def pause_ms(self, now_ms: int) -> int:
        """How long the receiver asks us to wait, at most a day; 0 when it does not say."""
        text = self.retry_after.strip().decode("latin-1")
        if text.isascii() and text.isdigit():
            wanted = int(text[:9]) * 1000
        else:
            try:
                wanted = int(parsedate_to_datetime(text).timestamp() * 1000) - now_ms
            except (ValueError, TypeError, OverflowError):
                return 0
        return max(0, min(wanted, _LONGEST_PAUSE_MS))


class WebhookSender(Protocol):
    """Sends messages; it raises nothing but cancellation."""

    async def send(self, message: WebhookMessage) -> SendResult:
        """Send one message and wait for its answer, for `TIME_LIMIT_S` at most."""

    async def close(self) -> None:
        """Close all connections."""
