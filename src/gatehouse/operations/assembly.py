"""Puts stages, pipelines and the engine together, for servers, made-up pasts and trials alike."""

import dataclasses
import time
from collections.abc import Mapping
from typing import Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.connectors.sandbox.parties import (
    SandboxAddresses,
    SandboxGateway,
    SandboxIdentities,
    SandboxIssuer,
)
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.clock import Clock
from gatehouse.core.secrets import keyring
from gatehouse.core.stages.stage import Stage
from gatehouse.decisions.order_envelope import EnvelopeSealer
from gatehouse.gateway.stored_credential import EarlierPayments, NoEarlierPayments
from gatehouse.idverify.source import IdentitySource
from gatehouse.intel.bins import BinTable
from gatehouse.intel.cards import CardMasker
from gatehouse.intel.networks import AddressBook
from gatehouse.operations.account_setup import Builder, SetupSource
from gatehouse.operations.catalogue import Parties, make_operations, make_stages
from gatehouse.operations.installation import system_clock
from gatehouse.operations.operation import FeesOf, Operation
from gatehouse.operations.planning import Pipelines
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.settlement import Settlement
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.port import Memory
from gatehouse.settings.settings import Settings
from gatehouse.signals.builder import LiveSignalBuilder
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.store.accounts.price_list import price_list
from gatehouse.store.admin.admin_session import AdminSession

_SILENCE_MS: Final = 25
"""How long a party that never answers is waited for; the sandbox's others answer at once."""


class Assembly(msgspec.Struct, frozen=True):
    """The stages of a service, and what makes pipelines of them."""

    stages: dict[str, Stage]
    builder: Builder
    signal_builder: LiveSignalBuilder
    fingerprinter: Fingerprinter
    fees_of: FeesOf

    def pipelines(self, setups: SetupSource, earlier: EarlierPayments | None = None) -> Pipelines:
        """What plans requests for the pipelines that accounts have."""
        known = self.fingerprinter
        made = Pipelines(setups, self.signal_builder, known.found_by, known.hashed, self.fees_of)
        made.earlier = earlier or NoEarlierPayments()
        return made

    def operations(self, pipelines: Pipelines) -> list[Operation]:
        """Every operation with these pipelines."""
        return make_operations(self.stages, pipelines)


def assemble(settings: Settings, parties: Parties) -> Assembly:
    """The stages that ask these parties."""
    stages = make_stages(settings, parties)
    builder = Builder(stages, pays=settings.gateway != "none")
    fingerprinter = Fingerprinter(parties.entity_hasher)
    signal_builder = LiveSignalBuilder(
        builder.shipped_sentry, parties.addresses, parties.memory, fingerprinter
    )
    prices = price_list(settings)

    def fees_of(account: Account) -> Mapping[str, int]:
        return prices.schedule(account.currency, account.fees, system_clock())

    return Assembly(stages, builder, signal_builder, fingerprinter, fees_of)


def make_engine(
    settlement: Settlement,
    session: AdminSession,
    bins: BinTable,
    clock: Clock,
    options: EngineOptions,
) -> Engine:
    """An engine that masks cards with the keys of this installation."""
    masker = CardMasker(bins, session.fingerprints)
    return Engine(settlement, masker, clock, time.perf_counter, options)


def engine_options(settings: Settings, session: AdminSession, owner: str) -> EngineOptions:
    """The limits of the settings, what decisions are found by, and what seals evidence."""
    return EngineOptions(
        owner=owner,
        authorization_ttl_ms=settings.authorization_ttl_s * 1000,
        guess_limit=settings.effective_guess_limit,
        enumeration_limit=settings.card_enumeration_limit,
        terms=session.terms,
        envelopes=EnvelopeSealer(session.ring, session.randomness),
        network_ids=NetworkIdSealer(session.ring),
        randomness=session.randomness,
    )


def sandbox_parties(
    session: AdminSession, records: IdentitySource, addresses: AddressBook, memory: Memory
) -> Parties:
    """Parties that are asked inside this process, and never outside."""
    return Parties(
        issuer=SandboxIssuer(),
        identities=SandboxIdentities(records),
        addresses=SandboxAddresses(addresses),
        memory=memory,
        entity_hasher=EntityHasher(session.ring.current(keyring.ENTITIES)[1]),
        gateway=SandboxGateway(),
    )


def with_sandbox_parties(settings: Settings) -> Settings:
    """The settings with nobody outside to ask, and no waiting for the sandbox's silent parties."""
    return dataclasses.replace(
        settings,
        issuer="sandbox",
        identities="sandbox",
        gateway="sandbox",
        precheck_timeout_ms=_SILENCE_MS,
        gateway_timeout_ms=_SILENCE_MS,
    )
