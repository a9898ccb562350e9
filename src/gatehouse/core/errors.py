"""The error tree of the house. An error says what happened and what to do, never an HTTP status.

GatehouseError
├── SettingsError          a setting is missing or wrong
├── NotFound               no such thing, or it belongs to another account
├── Conflict               the change does not fit what is there
├── InvalidInput           a value given by an operator cannot be used
├── InvalidRequest         a caller's request does not fit: what is wrong, by field
├── StoreUnavailable       the database cannot be reached or does not answer in time
├── AuthorizationLost      a hold on the balance ended before its request did
├── KeyMissing             something was sealed with a key that is not on the ring
├── SealBroken             something sealed was changed, or put where it does not belong
└── ConnectorFailed        an outside party failed or was late: a result, never a defect
"""


class GatehouseError(Exception):
    """Anything the house raises on purpose; the text is fit to be shown to an operator."""


class SettingsError(GatehouseError):
    """A setting is missing, malformed, or unfit for the environment."""


class NotFound(GatehouseError):
    """No such thing for this account."""


class Conflict(GatehouseError):
    """The change contradicts what is already there."""


class InvalidInput(GatehouseError):
    """A value given by an operator cannot be used."""


class InvalidRequest(GatehouseError):
    """A caller's request cannot be processed as it is."""

    def __init__(
        self, fields: dict[str, list[str]] | None = None, details: list[str] | None = None
    ) -> None:
        super().__init__("the request is not valid")
        self.fields = fields or {}
        """What is wrong, by the paths of the fields."""
        self.details = details or []
        """What is wrong with the request as a whole."""


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
