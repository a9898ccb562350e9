"""One real request through a connector, so that an operator sees what its party answers.

The answer is worded as the API words it. What is shown holds no card number and no code.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec.structs import fields

from gatehouse.connectors.connector import Connector
from gatehouse.connectors.definition import Function
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.roster import connector_maker
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.defects import blanked
from gatehouse.core.errors import ConnectorFailed, InvalidInput, RequestRefused
from gatehouse.core.ids import new_id
from gatehouse.core.money import Payment
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.reading.unread_fields import UnreadFields
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.port import GatewayInput, Reversal
from gatehouse.gateway.stage import GatewayStage
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import Holders, IdentityEnquiry
from gatehouse.idverify.stage import IdVerifyStage
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.stage import PreCheckStage
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession

_NOTHING_CLAIMED: Final = Phrase(
    "refused.nothing_claimed",
    "nothing is claimed about the holder: give a name, a phone or the like",
)
_CONNECTOR_SERVES: Final = Phrase(
    "refused.connector_serves", "connector {name} does not serve {function}"
)

_CONNECT_S: Final = 10.0
_LOOK_S: Final = 0.02
_NOBODY: Final = "*"
"""The account of a trial, which belongs to none."""
T = TypeVar("T")
_PRECHECK: Final = RequestReader(PreCheckRequest)
_ID_VERIFY: Final = RequestReader(IdVerifyRequest)
_REQUESTS: Final[tuple[type[msgspec.Struct], ...]] = (PreCheckRequest, IdVerifyRequest)


class Trial(Personal, frozen=True, kw_only=True):
    """What to ask a connector."""

    function: Function
    body: bytes
    """The card, and what is claimed about its holder, as JSON in the fields of the API."""
    payment: Payment | None = None
    """What to pay, for Gateway."""
    keep: bool = False
    """Whether a payment that was made shall stand; otherwise it is reversed at once."""


class ConnectorAnswer(CamelStruct, kw_only=True):
    """What a connector answered."""

    connector: str
    function: Function
    request_id: str
    """The reference of a payment at the gateway."""
    card: str
    answered: bool
    milliseconds: float
    response: dict[str, Any] | None = None
    """In the words of the API."""
    facts: dict[str, Any] | None = None
    """What a decision record would keep of it."""
    holder: dict[str, Any] | None = None
    """Of PreCheck, what the same answer said about the holder."""
    failure: str | None = None
    reversed: bool | None = None
    """Whether the payment is known not to stand; None if it was not to be reversed."""


class _Asked(Personal, frozen=True):
    """A trial as stages take it."""

    case: Case
    card: str
    """The card, masked."""


def try_connector(
    session: AdminSession, settings: Settings, name: str, definition: Definition, trial: Trial
) -> ConnectorAnswer:
    """Ask a connector once, over connections of its own; no server is involved."""
    session.actor.check_installation()
    asked = _read(session, trial)
    with session.installation_change() as change:
        about = {"connector": name, "function": trial.function.value, "card": asked.card}
        change.audit("connectors.try", None, request=asked.case.request_id, **about)

    async def attempt() -> ConnectorAnswer:
        connector = connector_maker(settings)(name, definition)
        return await _Attempt(name, connector, trial, asked).run(definition.timeout_ms / 1000)

    return asyncio.run(attempt())


def _read(session: AdminSession, trial: Trial) -> _Asked:
    try:
        checked = _PRECHECK.read(trial.body)
        claimed = _ID_VERIFY.read(trial.body)
    except RequestRefused as refused:
        wrong = [f"{path} {', '.join(said)}" for path, said in refused.fields.items()]
        raise InvalidInput("\n".join([*wrong, *refused.details]) or str(refused)) from None
    unread = _unread(trial.body)
    if unread:
        raise InvalidInput("\n".join(f"{path} {why}" for path, why in unread.items()))
    inputs = ValuesByType.of(checked)
    claims = (
        claimed.card_holder_name,
        claimed.card_holder_ids,
        claimed.card_holder_email_address,
        claimed.card_holder_phone_number,
    )
    if any(claims):
        inputs |= ValuesByType.of(claimed)
    elif trial.function is Function.IDVERIFY:
        raise InvalidInput(_NOTHING_CLAIMED())
    if trial.payment is not None:
        address = checked.card_address
        inputs |= ValuesByType.of(
            GatewayInput(
                trial.payment,
                checked.card_number,
                checked.card_expiry_date,
                checked.card_cvv2_value,
                address.postal_code if address else None,
                address.street if address else None,
            )
        )
    now_ms = session.clock()
    case = Case(new_id("req", now_ms, session.randomness), _NOBODY, now_ms, inputs)
    case.card = CardMasker(load_bins(), session.fingerprints).mask(_NOBODY, checked.card())
    return _Asked(case, checked.card_number.masked())


def _unread(body: bytes) -> dict[str, str]:
    """The fields that neither request reads, which are most likely misspelt, and why."""
    names = {kind: {field.encode_name for field in fields(kind)} for kind in _REQUESTS}
    return {
        warning.path: warning.message
        for kind, other in (_REQUESTS, _REQUESTS[::-1])
        for warning in UnreadFields(kind).find(body)
        if warning.path.partition(".")[0] not in names[other]
    }


class _Attempt:
    """One request, from the first connection to the last."""

    def __init__(self, name: str, connector: Connector, trial: Trial, asked: _Asked) -> None:
        self._name = name
        self._connector = connector
        self._trial = trial
        self._case = asked.case
        self._card = asked.card

    async def run(self, limit_s: float) -> ConnectorAnswer:
        """Connect, ask, reverse what was paid, and close."""
        ask = self._stage()
        await self._connector.start()
        try:
            problem = await self._connected()
            if problem is not None:
                return self._result(_Outcome(None, problem, sent=False), 0.0)
            started = time.perf_counter()
            outcome = await _attempt(ask(self._case), limit_s)
            result = self._result(outcome, time.perf_counter() - started)
            paying = self._trial.function is Function.GATEWAY
            if paying and outcome.may_be_paid and not self._trial.keep:
                return await self._reversed(result, limit_s)
            return await self._with_holder(result)
        finally:
            await self._connector.stop()

    def _stage(self) -> Callable[[Case], Awaitable[StageResult]]:
        connector, function = self._connector, self._trial.function
        if function is Function.PRECHECK and connector.issuer is not None:
            stage = PreCheckStage(connector.issuer, time_limit_ms=0, refuse_test_cards=False)
            return stage.run
        if function is Function.IDVERIFY and connector.identities is not None:
            return IdVerifyStage(connector.identities, time_limit_ms=0).run
        if function is Function.GATEWAY and connector.gateway is not None:
            paying = GatewayStage(connector.gateway, time_limit_ms=0)
            self._case.payment_reference = paying.refer(self._case)
            return paying.run
        raise InvalidInput(_CONNECTOR_SERVES(name=self._name, function=function.value))

    async def _connected(self) -> str | None:
        """Wait for a connection, where the connector keeps some; why there is none, or None."""
        ends_at = time.monotonic() + _CONNECT_S
        while (state := self._connector.state()).wanted and not state.connections:
            if time.monotonic() > ends_at:
                return f"no connection: {state.problem or 'nobody answers'}"
            await asyncio.sleep(_LOOK_S)
        return None

    async def _reversed(self, result: ConnectorAnswer, limit_s: float) -> ConnectorAnswer:
        gateway, payment = self._connector.gateway, self._trial.payment
        if gateway is None or payment is None:
            return result
        payment = msgspec.structs.replace(payment, reference=self._case.payment_reference)
        reversal = Reversal(self._case.request_id, payment, _NOBODY)
        outcome = await _attempt(gateway.reverse(reversal), limit_s)
        if outcome.failure is None:
            return msgspec.structs.replace(result, reversed=True)
        said = f"the payment may stand, because its reversal failed: {outcome.failure}"
        both = said if result.failure is None else f"{result.failure}; {said}"
        return msgspec.structs.replace(result, reversed=False, failure=both)

    async def _with_holder(self, result: ConnectorAnswer) -> ConnectorAnswer:
        """The same with what the issuer said about the holder in its one answer."""
        if not self._case.answered:
            return result
        verified = await IdVerifyStage(_Unasked(), time_limit_ms=0).run(self._case)
        return msgspec.structs.replace(result, holder=msgspec.to_builtins(verified.response))

    def _result(self, outcome: "_Outcome[StageResult]", seconds: float) -> ConnectorAnswer:
        found = outcome.found
        return ConnectorAnswer(
            connector=self._name,
            function=self._trial.function,
            request_id=self._case.request_id,
            card=self._card,
            answered=found is not None,
            milliseconds=round(seconds * 1000, 1),
            response=None if found is None else msgspec.to_builtins(found.response),
            facts=None if found is None else msgspec.to_builtins(found.facts),
            failure=outcome.failure,
        )


class _Unasked:
    async def find(self, _enquiry: IdentityEnquiry) -> Holders:
        return Holders()


@dataclass(frozen=True)
class _Outcome(Generic[T]):
    """What a call gave, or why it gave nothing, in words that hold no secret."""

    found: T | None
    failure: str | None = None
    sent: bool = True

    @property
    def may_be_paid(self) -> bool:
        """Whether a payment may stand."""
        if isinstance(self.found, StageResult):
            return self.found.paid is not None
        return self.sent


async def _attempt(work: Awaitable[T], limit_s: float) -> _Outcome[T]:
    try:
        return _Outcome(await asyncio.wait_for(work, limit_s + 1))
    except ConnectorFailed as error:
        return _Outcome(None, str(error), error.sent)
    except TimeoutError:
        return _Outcome(None, "no answer in time")
    except Exception as error:
        return _Outcome(None, f"a defect: {blanked(error, 'the connector')}")
