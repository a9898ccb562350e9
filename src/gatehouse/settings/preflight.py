"""What a production process needs before it may start; each point says what to do."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import SettingsError
from gatehouse.settings.settings import (
    ACCOUNT,
    ENV_FILE,
    PREFIX,
    Settings,
    declarations,
    gather_variables,
)


class Point(CamelStruct):
    """One point of the go-live list."""

    name: str
    ok: bool
    found: str
    remedy: str
    needed: bool = True
    """Whether production needs it; a point that is not needed is a hint."""


UNREAD: Final = "see the points database, key ring and configuration"
"""What to do about a point whose data could not be read."""
_CONNECTORS: Final = {
    "issuer": "connectors and apply one to your processor, or to module:factory of your own",
    "identities": "records and import identity records, to connectors and apply one to your "
    "identity provider, or to module:factory of your own",
    "gateway": "connectors and apply one to your payment gateway, to module:factory of your own, "
    "or to none if payments are not made here",
}
"""What each connector's setting should be set to."""

_NEAR: Final = 0.88
"""How alike two names must be, prefix included, for one to be a misspelling of the other."""

_SHARED: Final = (
    "shared: what one account reports as fraud counts, more weakly, for all accounts, and they can "
    "notice it; GATEHOUSE_REPUTATION=separate keeps them apart"
)
_SEPARATE: Final = "separate: what one account reports counts for that account alone"


OF_CLIENTS: Final = ("GATEHOUSE_API_KEY", "GATEHOUSE_URL")
"""Read by programs that call a server; they may be set where one runs."""


class UnknownVariable(NamedTuple):
    """A variable that looks like a setting and is none."""

    name: str
    meant: str | None
    """The setting that it is most likely a misspelling of."""

    def __str__(self) -> str:
        hint = f"; did you mean {self.meant}?" if self.meant else ""
        return f"{self.name} is not a setting of this version{hint}"


def unknown_variables(environ: Mapping[str, str]) -> list[UnknownVariable]:
    """Variables, of the environment and of the env file, that no setting reads but might mean one.

    Those are all that begin with the prefix, and those whose prefix is misspelt too.
    """
    known = [*(variable for variable, _, _ in declarations()), ENV_FILE, ACCOUNT]
    found = []
    for name in sorted(set(gather_variables(environ)).difference(known, OF_CLIENTS)):
        first, _, rest = name.upper().partition("_")
        own = name.startswith(PREFIX)
        if own or difflib.get_close_matches(first, [PREFIX[:-1]], cutoff=0.85):
            meant = _nearest(PREFIX + rest, known)
            if own or meant:
                found.append(UnknownVariable(name, meant))
    return found


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The setting that is almost called so, or begins so."""
    begun = (each for each in known if each.startswith(f"{name}_"))
    return next(iter([*difflib.get_close_matches(name, known, 1, _NEAR), *begun]), None)


def settings_points(settings: Settings) -> list[Point]:
    """The points that the settings alone decide; production does not start until all are met."""
    return [
        Point(
            "root secret",
            bool(settings.secret_key),
            "GATEHOUSE_SECRET_KEY is set" if settings.secret_key else "no secret is set",
            "set GATEHOUSE_SECRET_KEY to at least 32 random characters and keep a copy safe",
        ),
        *(_connector_point(name, getattr(settings, name)) for name in _CONNECTORS),
        Point(
            "transport",
            bool(settings.tls_cert_file and settings.tls_key_file)
            or bool(settings.trusted_proxies),
            _transport(settings),
            "set GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE, or name the networks of the "
            "proxy that terminates TLS in GATEHOUSE_TRUSTED_PROXIES",
        ),
    ]


def variable_points(unknown: Iterable[UnknownVariable]) -> list[Point]:
    """One point for each variable that is no setting.

    Production does not start with one that is most likely misspelt: the setting that was meant has
    not the value that its operator believes. Others may belong to somebody else, such as those
    that Kubernetes adds for a service of this name.
    """
    return [
        Point(
            "settings",
            False,
            str(variable),
            "remove or correct the variable",
            needed=variable.meant is not None,
        )
        for variable in unknown
    ]


def advisory_points(settings: Settings) -> list[Point]:
    """Points that production should meet, but can start without."""
    return [
        Point(
            "environment",
            settings.is_production,
            f"GATEHOUSE_ENVIRONMENT is {settings.environment}",
            "set GATEHOUSE_ENVIRONMENT=production for real cards",
        ),
        Point(
            "rate limit",
            settings.rate_limit_per_second > 0,
            f"{settings.rate_limit_per_second} requests per second and key",
            "set GATEHOUSE_RATE_LIMIT_PER_SECOND above 0",
        ),
        Point(
            "guessing limit",
            settings.effective_guess_limit > 0,
            f"{settings.effective_guess_limit} wrong codes or identifiers per card and day",
            "set GATEHOUSE_CARD_GUESS_LIMIT above 0, so that they cannot be guessed",
        ),
        Point(
            "card numbers alike",
            settings.card_enumeration_limit > 0,
            f"{settings.card_enumeration_limit} with one BIN and last four per account and day",
            "set GATEHOUSE_CARD_ENUMERATION_LIMIT above 0, so that numbers cannot be tried out",
        ),
        Point(
            "metrics",
            settings.metrics_port > 0,
            "on their own port" if settings.metrics_port else "on the public port",
            "set GATEHOUSE_METRICS_PORT, so that /metrics is not public",
        ),
        Point(
            "reputation",
            True,
            _SHARED if settings.shares_reputation else _SEPARATE,
            "set GATEHOUSE_REPUTATION to shared or separate",
        ),
    ]


def _connector_point(name: str, chosen: str) -> Point:
    variable = f"GATEHOUSE_{name.upper()}"
    remedy = f"set {variable} to {_CONNECTORS[name]}"
    return Point(name, chosen != "sandbox", f"{variable} is {chosen}", remedy)


def _transport(settings: Settings) -> str:
    if settings.tls_cert_file and settings.tls_key_file:
        return "TLS is served here"
    if settings.trusted_proxies:
        return "TLS is terminated by a trusted proxy"
    return "no TLS here and no trusted proxy declared"


def refuse_unfit_production(settings: Settings, unknown: Sequence[UnknownVariable]) -> None:
    """Refuse to start production with settings that are unfit for it, or most likely misspelt."""
    if not settings.is_production:
        return
    points = [*settings_points(settings), *variable_points(unknown)]
    missing = [point for point in points if point.needed and not point.ok]
    if missing:
        lines = "\n".join(f"  - {point.name}: {point.found}; {point.remedy}" for point in missing)
        raise SettingsError(f"production cannot start yet:\n{lines}")
