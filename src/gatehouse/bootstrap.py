"""Builds the running service from the settings; the only place that knows all rooms."""

import asyncio
import gc
import importlib
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

import gatehouse
from gatehouse.access.keys import SCOPES
from gatehouse.connectors.sandbox.identities import SandboxIdentities
from gatehouse.connectors.sandbox.issuer import SandboxIssuer
from gatehouse.core import keyring
from gatehouse.core.errors import SettingsError
from gatehouse.core.ids import new_id
from gatehouse.golive import settings_points
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import IdentitySource
from gatehouse.idverify.stage import IdVerifyStage
from gatehouse.idverify.warmup import warm
from gatehouse.idverify.words import (
    IdVerifyResponse,
    NameResult,
    NameVerification,
    Result,
    VerificationLevel,
)
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardKeeper
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.precheck.advice import PreCheckPolicy
from gatehouse.precheck.issuer import Issuer
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.stage import PreCheckStage
from gatehouse.precheck.words import Advice, AvsResult, CardSummary, Cvv2Result, PreCheckResponse
from gatehouse.premises import root_secret, system_clock
from gatehouse.settings import Settings
from gatehouse.store.callers import CallerDirectory
from gatehouse.store.decisions import DecisionArchive
from gatehouse.store.doors import open_door
from gatehouse.store.keyring import open_ring
from gatehouse.store.lookup import RecordedIdentities
from gatehouse.store.office import Office
from gatehouse.store.sweeper import Sweeper
from gatehouse.store.writer import Writer
from gatehouse.web.door import Door, DoorOptions, with_life
from gatehouse.web.gate import Gate, GateOptions
from gatehouse.web.logs import RequestLog
from gatehouse.web.metrics import Metrics
from gatehouse.web.operations import Operation
from gatehouse.web.routes import Routes, make_routes
from gatehouse.web.v1 import Api, ApiOptions

Application = Callable[[Any, Any, Any], Awaitable[None]]


class Service:
    """Everything that runs while the server does."""

    def __init__(self, settings: Settings, office: Office, *, alone: bool) -> None:
        database = office.database
        owner = new_id("srv", system_clock(), secrets.token_bytes)
        self.metrics = Metrics(gatehouse.__version__, settings.environment)
        self.writer = Writer(lambda: open_door(database), self.metrics.commit)
        self.callers = CallerDirectory(database, time.monotonic)
        self.identities = RecordedIdentities(
            database,
            office.ring,
            lambda: open_ring(database, root_secret(settings), system_clock, secrets.token_bytes),
        )
        self.sweeper = Sweeper(database, self.writer, system_clock, owner if alone else None)
        self._database = database
        self._tasks: list[asyncio.Task[None]] = []
        self._running = False
        self.application = self._build(settings, office, owner)

    async def start(self) -> None:
        """Begin to serve: open the books and recover what a crash left behind."""
        warm()
        # What was built so far lives as long as the process: the collector need not look at it
        # again, and requests leave next to no cycles, so it need not look often.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        # The writer's thread has little to do between two waits for the disk; the usual five
        # milliseconds until a busy event loop lets it go on would be most of a commit.
        sys.setswitchinterval(0.001)
        self.writer.start()
        self.identities.start()
        await self.callers.check()
        await self.sweeper.release_orphans()
        self._tasks = [
            asyncio.create_task(self.callers.poll()),
            asyncio.create_task(self.sweeper.run()),
        ]
        self._running = True

    async def stop(self) -> None:
        """Finish what was handed over and close the books."""
        self._running = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.callers.flush()
        await self.identities.stop()
        await self.writer.stop()
        self._database.dispose()

    def ready(self) -> dict[str, bool]:
        """What must be true before requests should come here."""
        return {
            "accepting": self._running,
            "store": self.callers.reachable,
            "writer": self.writer.alive,
            "identities": self.identities.alive,
        }

    def _build(self, settings: Settings, office: Office, owner: str) -> Application:
        ring = office.ring
        keeper = CardKeeper(load_bins(), ring.current(keyring.CARD_FINGERPRINTS))
        engine = Engine(
            self.writer,
            keeper.keep,
            system_clock,
            time.perf_counter,
            EngineOptions(
                owner=owner,
                authorization_ttl_ms=settings.authorization_ttl_s * 1000,
                guess_limit=settings.effective_guess_limit,
            ),
        )
        api = Api(
            engine,
            self._gate(settings, ring.current(keyring.API_KEYS)[1]),
            (self.callers, DecisionArchive(self._database)),
            system_clock,
            ApiOptions(
                max_body_bytes=settings.max_body_bytes,
                body_timeout_ms=settings.body_timeout_ms,
                idempotency_ttl_ms=settings.idempotency_ttl_h * 3_600_000,
                idempotency_key=ring.current(keyring.IDEMPOTENCY)[1],
                read_policies=read_policies,
            ),
        )
        operations = make_operations(settings, load_identities(settings, self.identities))
        public_metrics = None if settings.metrics_port else self.metrics
        routes = make_routes(api, operations, self.ready, public_metrics, settings.base_url)
        return with_life(self._door(settings, routes), self)

    def _gate(self, settings: Settings, hashing_key: bytes) -> Gate:
        options = GateOptions(
            environment=settings.environment,
            hashing_key=hashing_key,
            rate_limit_per_second=settings.rate_limit_per_second,
            trusted_proxies=settings.trusted_proxies,
            require_tls=settings.is_production,
        )
        return Gate(self.callers, options, system_clock, time.monotonic)

    def _door(self, settings: Settings, routes: Routes) -> Door:
        options = DoorOptions(
            max_in_flight=settings.max_in_flight,
            max_header_lines=settings.max_header_lines,
            max_header_bytes=settings.max_header_bytes,
            strict_transport=settings.is_production,
        )
        enabled = settings.log_level in ("debug", "info")
        chance = (system_clock, os.urandom, time.perf_counter)
        witnesses = (RequestLog(enabled=enabled), self.metrics)
        return Door(routes, self.callers, chance, options, witnesses)


def make_operations(settings: Settings, identities: IdentitySource) -> list[Operation]:
    """Every operation this server offers. A new function is one more entry here."""
    operations = [_precheck(settings), _id_verify(settings, identities)]
    assert {operation.name for operation in operations} <= set(SCOPES)
    return operations


def _precheck(settings: Settings) -> Operation:
    stage = PreCheckStage(
        load_issuer(settings),
        time_limit_ms=settings.precheck_timeout_ms,
        refuse_test_cards=settings.is_production,
    )
    return Operation(
        name="precheck",
        title="PreCheck",
        about=(
            "Validates card details with the issuer: returns the address (AVS) and security "
            "code (CVV2) results and a recommended action. `advice` can be any of its values "
            "while `isSuccess` is true."
        ),
        field="preCheckResponse",
        request_type=PreCheckRequest,
        response_type=PreCheckResponse,
        stages=(stage,),
        inputs=lambda request: {stage.name: request},
        card=PreCheckRequest.card,
        example=PreCheckResponse(
            Advice.ACCEPT,
            AvsResult.FULL_MATCH,
            Cvv2Result.MATCH,
            CardSummary("VISA", "GB", "CREDIT", prepaid=False, bin="42424242", last_four="4242"),
            ["approved"],
        ),
        mistaken={"cardNumber": "4242 4242 4242 4242"},
    )


def _id_verify(settings: Settings, identities: IdentitySource) -> Operation:
    stage = IdVerifyStage(identities, time_limit_ms=settings.idverify_timeout_ms)
    return Operation(
        name="idverify",
        title="ID Verify",
        about=(
            "Compares a cardholder's name, e-mail address, phone number and government "
            "identifiers with what is on record for the card: one result per attribute, all of "
            "the same person. Results such as `NO_MATCH` come while `isSuccess` is true."
        ),
        field="idVerifyResponse",
        request_type=IdVerifyRequest,
        response_type=IdVerifyResponse,
        stages=(stage,),
        inputs=lambda request: {stage.name: request},
        card=IdVerifyRequest.card,
        example=IdVerifyResponse(
            card_holder_email_address_verification_results=Result.MATCH,
            card_holder_phone_number_verification_results=Result.MATCH,
            card_holder_name_verification_result=NameVerification(
                Result.MATCH, Result.MATCH, Result.MATCH, Result.MATCH, NameResult.PERFORMED
            ),
            id_verification={IdentifierType.PASSPORT: Result.MATCH},
            verification_level=VerificationLevel.FULL,
        ),
        mistaken={
            "cardNumber": "4242424242424242",
            "cardHolderName": {"firstName": "", "lastName": "Whitfield"},
            "cardHolderIds": {"SSN": "987-65-4329"},
        },
    )


def read_policies(kept: dict[str, Any]) -> dict[str, Any]:
    """An account's policies as their stages want them."""
    return {
        name: msgspec.convert(kept[name], kind) for name, kind in POLICIES.items() if name in kept
    }


POLICIES: Final[dict[str, type]] = {"PreCheck": PreCheckPolicy}


def load_issuer(settings: Settings) -> Issuer:
    """The issuer that the settings name."""
    if settings.issuer == "sandbox":
        return SandboxIssuer()
    issuer: Issuer = _load_connector("GATEHOUSE_ISSUER", settings.issuer, "check")
    return issuer


def load_identities(settings: Settings, records: IdentitySource) -> IdentitySource:
    """The identity source that the settings name, given the embedded one."""
    if settings.identities == "records":
        return records
    if settings.identities == "sandbox":
        return SandboxIdentities(records)
    return load_identity_connector(settings)


def load_identity_connector(settings: Settings) -> IdentitySource:
    """The identity source outside the house that the settings name."""
    source: IdentitySource = _load_connector("GATEHOUSE_IDENTITIES", settings.identities, "find")
    return source


def _load_connector(setting: str, path: str, method: str) -> Any:
    """What the factory of a connector makes; it must have the one method of its port."""
    module, separator, factory = path.partition(":")
    if not separator:
        raise SettingsError(f"{setting} takes a word of its own or module:factory; got {path}")
    try:
        connector = getattr(importlib.import_module(module), factory)()
    except Exception as error:
        raise SettingsError(f"{setting} cannot be loaded: {error}") from None
    if not callable(getattr(connector, method, None)):
        raise SettingsError(f"{setting} does not make what it should: it has no {method} method")
    return connector


def refuse_unfit_production(settings: Settings) -> None:
    """Production does not start on what is only for play."""
    if not settings.is_production:
        return
    missing = [point for point in settings_points(settings) if not point.ok]
    if missing:
        lines = "\n".join(f"  - {point.name}: {point.found}; {point.remedy}" for point in missing)
        raise SettingsError(f"production cannot start yet:\n{lines}")
