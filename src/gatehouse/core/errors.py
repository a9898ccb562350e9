"""The errors of the service. An error says what happened and what to do, never an HTTP status."""

from typing import Final

from gatehouse.core.wording.sentences import Phrase

_ATTEMPTS: Final = Phrase("refused.attempts", "too many attempts; try again in {seconds} seconds")
_CARDS_ALIKE: Final = Phrase(
    "refused.cards_alike",
    "too many different card numbers with the same BIN and last four digits within 24 hours, which "
    "is how cards are guessed: nothing was looked up or changed; find out who names these numbers, "
    "or wait {hours} hours",
)
_CARDS_UNSEEN: Final = Phrase(
    "refused.cards_unseen",
    "only people who may reveal personal data can look for a card number; give the card's "
    "fingerprint, as decisions show it, or ask an administrator for a role that reveals",
)


class GatehouseError(Exception):
    """Any error that Gatehouse raises on purpose; the text is fit to be shown to an operator."""


class SettingsError(GatehouseError):
    """A setting is missing, malformed, or unfit for the environment."""


class NotFound(GatehouseError):
    """No such thing for this account."""


class Conflict(GatehouseError):
    """The change contradicts what is already there."""


class VersionNotNamed(Conflict):
    """A change must name the version that it was made to."""


class ApprovalNeeded(Conflict):
    """The account wants two pairs of eyes for this: one person proposes, another approves."""


class AccountClosed(Conflict):
    """The account is closed: its keys do not work and nothing can be charged to it."""


class InvalidInput(GatehouseError):
    """A value given by an operator cannot be used."""


class RightMissing(InvalidInput):
    """The actor asks for something that needs another right than what it came in with."""


class InvalidFields(InvalidInput):
    """Fields of what was given cannot be used, each for reasons of its own."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        super().__init__("\n".join(f"{path}: {why}" for path in fields for why in fields[path]))
        self.fields = fields
        """Messages by the path of their field."""


class WrongUsage(InvalidInput):
    """Arguments of a command do not go together, or one is missing."""


class ConfigurationRefused(GatehouseError):
    """Something configured does not carry the signature of this service, so it is not used."""

    def __init__(self, account_id: str, message: str) -> None:
        super().__init__(message)
        self.account_id = account_id


class RequestRefused(GatehouseError):
    """The body of a request cannot be used; the messages are fit to be shown to its sender."""

    def __init__(
        self,
        code: str,
        *,
        fields: dict[str, list[str]] | None = None,
        details: list[str] | None = None,
        ignored: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        """`malformed_body` or `invalid_request`."""
        self.fields = fields or {}
        """Messages by the path of their field."""
        self.details = details or []
        """What is wrong with the body as a whole."""
        self.ignored = ignored or {}
        """Parts of the body that are not read, each with the reason."""


class StoreUnavailable(GatehouseError):
    """The database cannot be reached, or did not answer in time."""


class AuthorizationLost(GatehouseError):
    """The hold of a request ended (expired or recovered) before the request closed it."""


class KeyMissing(GatehouseError):
    """Something was sealed with a version of a key that is not on the ring."""


class SealBroken(GatehouseError):
    """Something sealed was changed, or put where it does not belong."""


class ConnectorFailed(GatehouseError):
    """An outside party failed; the stage that asked it turns this into a result."""

    def __init__(self, message: str, *, sent: bool = True, answered: bool = False) -> None:
        """`sent` is False when nothing left this process, so that another party can be asked.

        `answered` is True when the party is not at fault: it works and would not serve this
        request, or, where nothing was `sent`, we had a reason of our own not to ask it.
        """
        super().__init__(message)
        self.sent = sent
        self.answered = answered


class SignInRefused(GatehouseError):
    """Who tries to sign in did not prove who it is; the text never says what was wrong."""


class CardsAlike(GatehouseError):
    """More card numbers with one BIN and last four than an account may name within a day."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(_CARDS_ALIKE(hours=max(1, -(-retry_after_ms // 3_600_000))))
        self.retry_after_ms = retry_after_ms


class CardsUnseen(GatehouseError):
    """A person who must not see personal data in full names a card number."""

    def __init__(self) -> None:
        super().__init__(_CARDS_UNSEEN())


class TooManyAttempts(SignInRefused):
    """Too many attempts failed; the next one is examined after a while."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(_ATTEMPTS(seconds=wait_s))
        self.wait_s = wait_s
