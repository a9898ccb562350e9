"""Requests in a loop, without HTTP and database: read, planned, judged, recorded, answered.

What differs from run to run in a server is fixed here: the clock, the ids, the keys. So two
versions of the code can be compared by what they answer and record, byte for byte, and by the
instructions they take (`scripts.bench.instructions`).
"""

import asyncio
import os
import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

import gatehouse.operations.stages  # noqa: F401  # registers the stages
from gatehouse.access.accounts import Account
from gatehouse.api import envelope
from gatehouse.connectors.sandbox.parties import (
    SandboxAddresses,
    SandboxGateway,
    SandboxIdentities,
    SandboxIssuer,
)
from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.ids import derived_id
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.reading.unread_fields import UnreadFields
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, PAYMENTS, KeyRing
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.decisions.search_terms import TermMaker
from gatehouse.idverify.source import Holders, IdentityEnquiry
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.operations.account_setup import Setup
from gatehouse.operations.assembly import assemble
from gatehouse.operations.catalogue import Parties, read_policies
from gatehouse.operations.measured import MeasuredGateway, MeasuredIssuer, Outside
from gatehouse.operations.operation import Operation
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.job import Job, Processed, RequestPlan
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Close,
    Closed,
    DecisionRow,
    Redirect,
    Release,
)
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.ruleset import encode_program
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import DEFAULT_POLICY
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import view_request
from gatehouse.sentry.scorecard import Scorecard, Sheet, Term, load_sheet
from gatehouse.sentry.stage import SentryStage
from gatehouse.settings.settings import Settings
from gatehouse.store.configured.configurations import StoredVersion
from scripts.bench.cards import precheck_body
from scripts.bench.client import NUMBER_MARK
from scripts.bench.purchases import pipeline_body, rule_set, rules_body
from scripts.bench.visits import PEOPLE, sentry_body, sentry_visit

ACCOUNT: Final = "acct_1"
_START_MS: Final = 1_794_000_000_000
_MONTH_MS: Final = 30 * 86_400_000
_BETWEEN_MS: Final = 400
_KEY: Final = b"k" * 32
_ONE_IN: Final = 100
_BINS: Final = 12

_decode_visit: Final = msgspec.json.Decoder(SentryRequest).decode


class LoopSubject(NamedTuple):
    """An operation that is measured in a loop."""

    operation: str
    body: Callable[[int], bytes]
    labelled: bool = False
    """Whether every earlier visit has a label."""
    learned: bool = False
    """Whether a model of the account's own is live."""


SUBJECTS: Final = {
    "precheck": LoopSubject("precheck", precheck_body),
    "sentry": LoopSubject("sentry", sentry_body),
    "sentry-labelled": LoopSubject("sentry", sentry_body, labelled=True),
    "sentry-learned": LoopSubject("sentry", sentry_body, labelled=True, learned=True),
    "rules": LoopSubject("rules", rules_body),
    "pipeline": LoopSubject("pipeline", pipeline_body, labelled=True, learned=True),
}


class _Nobody:
    async def find(self, enquiry: IdentityEnquiry) -> Holders:
        raise AssertionError("nobody asks who holds a card here")


class _Ledger:
    """Settles at once, and keeps the last record."""

    def __init__(self) -> None:
        self.last: DecisionRow | None = None

    async def authorize(self, order: Authorize) -> Authorized:
        return Authorized(999_000_000)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        self.last = order.decision
        future: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        future.set_result(Closed(999_000_000, None))
        return future

    async def redirect(self, order: Redirect) -> None:
        raise AssertionError("nothing fails here")

    async def release(self, order: Release) -> None:
        raise AssertionError("nothing fails here")


class _Setups:
    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    async def find(self, account_id: str) -> Setup:
        return self._setup


class RequestLoop:
    """A service with one account, whose clock and ids are the same in every run."""

    def __init__(self, subject: LoopSubject, earlier: int) -> None:
        self._subject = subject
        self._now_ms = _START_MS + _MONTH_MS
        self._number = 0
        self._ledger = _Ledger()
        self._memory = LocalMemory(1_000_000)
        self._book = SandboxAddresses(Feeds(load_networks(), None, lambda: 0))
        self._hasher = EntityHasher(_KEY)
        self._remember(earlier)
        operation = self._assemble()
        self._operation = operation
        self._reader = RequestReader(operation.read_type)
        self._unread = UnreadFields(operation.request_type)
        fingerprints = Fingerprints(KeyRing({(CARD_FINGERPRINTS, 1): b"f" * 32}))
        self._engine = Engine(
            self._ledger,
            CardMasker(load_bins(), fingerprints),
            lambda: self._now_ms,
            lambda: 0.0,
            EngineOptions("srv_1", 60_000, 5, 10, TermMaker(_KEY)),
        )
        self._account = Account(ACCOUNT, "Loop", "USD", 0, {}, {})

    def bodies(self, count: int) -> Iterator[bytes]:
        """As many bodies as are wanted, none of which came before."""
        for _ in range(count):
            self._number += 1
            yield self._subject.body(self._number).replace(NUMBER_MARK, b"%010d" % self._number)

    async def answer(self, body: bytes) -> tuple[bytes, DecisionRow]:
        """The answer to a request, and the row that is recorded of it."""
        self._now_ms += _BETWEEN_MS
        operation, account = self._operation, self._account
        dropped: dict[str, str] = {}
        request: Any = self._reader.read(body, dropped)
        warnings = self._unread.find(body, dropped)
        plan = await operation.plan(account, request)
        job = Job(
            request_id=derived_id("req", self._now_ms, "loop"),
            operation=operation.name,
            account_id=ACCOUNT,
            policies=read_policies(account.policies),
            plan=plan,
            client_reference=request.client_reference_id,
            claim=None,
            render=lambda done: _render(operation, done, plan, warnings),
            key_id="key_1",
        )
        done = await self._engine.process(job)
        assert isinstance(done, Processed)
        row = self._ledger.last
        assert row is not None
        return job.render(done), row

    def _remember(self, earlier: int) -> None:
        """Visits of a month."""
        for number in range(1, earlier + 1):
            at_s = (_START_MS + number * _MONTH_MS // (earlier + 1)) / 1000
            visit = sentry_visit(-number, f"e{number}", max(earlier // 3, 1))
            # The people who come in the loop are among those who came before.
            visit["account"]["userId"] = f"u-{number * 7919 % PEOPLE:06d}"
            view = view_request(_decode_visit(msgspec.json.encode(visit)), at_s, self._book, None)
            event = event_of(ACCOUNT, view, DEFAULT_POLICY, self._hasher)
            self._memory.note(event)
            if self._subject.labelled:
                user = str(view.account.user_id).encode()
                self._memory.note_label(event, fraud=zlib.crc32(user) % _ONE_IN == 0)

    def _assemble(self) -> Operation:
        outside = Outside()
        made = assemble(
            Settings(),
            Parties(
                issuer=MeasuredIssuer(SandboxIssuer(), _observe, outside),
                identities=SandboxIdentities(_Nobody()),
                addresses=self._book,
                memory=self._memory,
                entity_hasher=self._hasher,
                gateway=MeasuredGateway(
                    *(SandboxGateway(), _observe, outside),
                    *(NetworkIdSealer(KeyRing({(PAYMENTS, 1): bytes(32)})), os.urandom),
                ),
            ),
        )
        builder, lists = made.builder, AccountLists({})
        sentry = builder.shipped_sentry
        if self._subject.learned:
            sentry = sentry.with_scorecard(self._learned(sentry))
        program = encode_program(read_rule_set(rule_set().encode()))
        rule_sets = builder.rule_sets(ACCOUNT, [_stored("starter", program)])
        pipelines = builder.pipelines(
            ACCOUNT,
            [_stored(name, program) for name, _, program in starter_pipelines()[:1]],
            rule_sets,
            lists,
            sentry,
        )
        setup = Setup("", rule_sets, pipelines, lists, sentry, None)
        operations = made.operations(made.pipelines(_Setups(setup)))
        return next(each for each in operations if each.name == self._subject.operation)

    def _learned(self, stage: SentryStage) -> Scorecard:
        """A scorecard of the form that training makes: bins of about equal size, some effects."""
        seen: dict[str, list[float]] = {}
        for number in range(300):
            visit = _decode_visit(msgspec.json.encode(sentry_visit(-number, f"l{number}")))
            case = Case("req", ACCOUNT, self._now_ms, ValuesByType.of(visit))
            for code, value in asyncio.run(stage.weigh(case, visit)).values.items():
                seen.setdefault(code, []).append(value)
        chance, shipped = random.Random(5), load_sheet()  # not for secrets
        terms = tuple(
            _learned(term, sorted(seen.get(term.code, ())), chance) for term in shipped.terms
        )
        sheet = Sheet("learned-1", shipped.prior, 0.25, terms)
        return Scorecard(sheet, [term.code for term in terms])


def _observe(connector: str, call: str, outcome: str, seconds: float) -> None:
    """Nobody counts calls here."""


def _render(operation: Operation, done: Processed, plan: RequestPlan, warnings: Any) -> bytes:
    items = [run.item for run in done.runs]
    billed = envelope.billing("USD", items, done.remaining, done.authorized, done.closed)
    return envelope.success(done.request_id, operation.field, plan.answer(done), billed, warnings)


def _stored(name: str, program: str) -> StoredVersion:
    return StoredVersion(name, 1, 0, "bench", None, True, "", program)


def _learned(term: Term, values: list[float], chance: random.Random) -> Term:
    if len(values) < _BINS or values[0] == values[-1]:
        return term
    cuts = sorted({values[len(values) * place // _BINS] for place in range(1, _BINS)})
    effects = tuple(round(chance.gauss(0, 0.2), 3) for _ in range(len(cuts) + 1))
    return Term(term.code, tuple(cuts), effects, "Learned.", None, term.about_address)
