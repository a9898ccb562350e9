"""Finds the connectors that the settings name: the sandbox's, those that were applied, or a
factory of the operator's.
"""

import importlib
import traceback
from pathlib import Path
from typing import Any, Final, cast

from gatehouse.connectors.definition import Function
from gatehouse.connectors.routing.checks import RoutedIdentities, RoutedIssuer
from gatehouse.connectors.routing.payments import RoutedGateway
from gatehouse.connectors.routing.roster import Roster, connector_maker
from gatehouse.connectors.routing.seat import Observe
from gatehouse.connectors.sandbox.parties import (
    SandboxAddresses,
    SandboxGateway,
    SandboxIdentities,
    SandboxIssuer,
    test_cards,
)
from gatehouse.core.cards.numbers import CardShown
from gatehouse.core.errors import SettingsError
from gatehouse.gateway.port import NoGateway, PaymentGateway
from gatehouse.idverify.source import IdentitySource
from gatehouse.intel.bins import BinTable
from gatehouse.intel.networks import AddressBook
from gatehouse.precheck.issuer import Issuer
from gatehouse.settings.settings import Settings

APPLIED: Final = "connectors"
"""The word of a setting for what was applied with `gatehouse connectors`."""


def applied_functions(settings: Settings) -> dict[str, Function]:
    """The functions that are served by applied connectors, by the names of their settings."""
    chosen = {
        "issuer": (settings.issuer, Function.PRECHECK),
        "identities": (settings.identities, Function.IDVERIFY),
        "gateway": (settings.gateway, Function.GATEWAY),
    }
    return {name: function for name, (word, function) in chosen.items() if word == APPLIED}


def make_roster(
    settings: Settings, bins: BinTable, observe: Observe, records: IdentitySource
) -> Roster | None:
    """A place for the applied connectors, if the settings let anything be asked of them."""
    if not applied_functions(settings) and not settings.top_up_connector:
        return None

    def country_of(first_digits: str) -> str | None:
        facts = bins.facts(first_digits)
        return facts.country if facts else None

    return Roster(country_of, observe, records, connector_maker(settings))


def load_issuer(settings: Settings, roster: Roster | None = None) -> Issuer:
    """The issuer that the settings name; `roster` has the connectors that were applied."""
    if settings.issuer == APPLIED and roster is not None:
        return RoutedIssuer(roster, routes_identities=settings.identities == APPLIED)
    if settings.issuer == "sandbox":
        return SandboxIssuer()
    return cast(Issuer, _load_connector("GATEHOUSE_ISSUER", settings.issuer, "check"))


def load_gateway(settings: Settings, roster: Roster | None = None) -> PaymentGateway:
    """The payment gateway that the settings name; `roster` has the connectors that were applied."""
    if settings.gateway == APPLIED and roster is not None:
        return RoutedGateway(roster)
    if settings.gateway == "sandbox":
        return SandboxGateway()
    if settings.gateway == "none":
        return NoGateway()
    loaded = _load_connector("GATEHOUSE_GATEWAY", settings.gateway, "authorize", "reverse")
    return cast(PaymentGateway, loaded)


def load_identities(
    settings: Settings, records: IdentitySource, roster: Roster | None = None
) -> IdentitySource:
    """The identity source that the settings name, given the embedded one."""
    if settings.identities == APPLIED and roster is not None:
        return RoutedIdentities(roster)
    if settings.identities == "records":
        return records
    if settings.identities == "sandbox":
        return SandboxIdentities(records)
    return load_identity_connector(settings)


def has_own_records(settings: Settings) -> bool:
    """Whether holders of cards are found in this installation's records, and nobody is asked."""
    return settings.identities in ("records", "sandbox")


def load_identity_connector(settings: Settings) -> IdentitySource:
    """The identity source outside this service that the settings name."""
    loaded = _load_connector("GATEHOUSE_IDENTITIES", settings.identities, "find")
    return cast(IdentitySource, loaded)


def load_addresses(settings: Settings, book: AddressBook) -> AddressBook:
    """The address book; the sandbox adds a few addresses of its own."""
    return book if settings.is_production else SandboxAddresses(book)


def load_test_cards(settings: Settings) -> frozenset[CardShown]:
    """The sandbox's test cards; production has none."""
    return frozenset() if settings.is_production else test_cards()


def _load_connector(setting: str, path: str, *methods: str) -> Any:
    """What the factory of a connector makes; it must have the methods of its port."""
    module, separator, factory = path.partition(":")
    if not separator:
        raise SettingsError(f"{setting} takes a word of its own or module:factory; got {path}")
    try:
        make = getattr(importlib.import_module(module), factory)
    except Exception as error:
        raise SettingsError(f"{setting} cannot be loaded: {error}") from None
    try:
        connector = make()
    except Exception as error:
        # A factory reads the connector's own secrets, and its exception may repeat one.
        raised = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(raised.filename).name}, line {raised.lineno}"
        raise SettingsError(f"{setting} cannot be loaded: {where}") from None
    for method in methods:
        if not callable(getattr(connector, method, None)):
            raise SettingsError(
                f"{setting} does not make what it should: it has no {method} method"
            )
    return connector
