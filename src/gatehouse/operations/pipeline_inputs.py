"""Reads the objects of a Pipeline request that the stages of the pipeline look at.

The others may hold anything.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.errors import RequestRefused
from gatehouse.core.money import Payment
from gatehouse.core.reading.request_reader import MORE_PROBLEMS, RequestReader
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import PAYMENT
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.gateway.payment import UnfitPayment, read_payment
from gatehouse.gateway.request import GatewayRequest
from gatehouse.gateway.stored_credential import StoredCredential
from gatehouse.operations.pipeline_messages import PipelineCall
from gatehouse.operations.ready_pipeline import Pipeline
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.request import RulesRequest
from gatehouse.sentry.request import Order, SentryRequest

_MISPLACED_REFERENCE: Final = Phrase(
    "invalid.misplaced_reference",
    "is not kept from here; send clientReferenceId beside pipelineId",
)
_NOT_READ: Final = Phrase("invalid.not_read", "is not read by pipeline {number}")
_UNREADABLE: Final = Phrase("invalid.unreadable", "cannot be read: {why}")
_NO_OBJECT: Final = Phrase("invalid.no_object", "must be an object")
_REQUIRED: Final = Phrase("invalid.required_by", "is required by pipeline {number} ({stages})")
_SAID_IN_ORDER: Final = Phrase("invalid.said_in_order", "{required}; {other} can say it, too")
_DIFFERS: Final = Phrase("invalid.differs", "differs from {other}: send it in one place")
_NOT_OVER: Final = Phrase(
    "invalid.not_over", "C says that the challenge is not over: send its result"
)
_NO_CODE: Final = Phrase(
    "invalid.merchant_code",
    "cannot be there: the merchant initiates this payment, and a security code must not be stored",
)
_MIXTURE: Final = Phrase("invalid.mixture", "differs from {other}: send {missing} here, too")

FieldErrors = dict[str, list[str]]

_NOTHING: Final = (b"", b"null")
_LONGEST_NOTHING: Final = 4
_NO_GATEWAY: Final = GatewayRequest()
_GATEWAY_PLACE: Final = "gatewayRequest"
EARLIER_PLACE: Final = f"{_GATEWAY_PLACE}.storedCredential.earlierRequestId"
_CODE_PLACE: Final = "preCheckRequest.cardCvv2Value"
_RULES_PLACE: Final = "rulesRequest"
_ORDER_PLACE: Final = "sentryRequest.order"
_IN_ORDER: Final = {name: f"{_ORDER_PLACE}.{name}" for name in ("amount", "currency")}
_REFERENCE: Final = "clientReferenceId"


class PipelineInputs(msgspec.Struct, frozen=True):
    """What a pipeline's stages were given."""

    values: ValuesByType
    payment: Payment | None
    amount: float | None
    """The payment's, as it was written."""
    ignored: dict[str, str]
    """Inputs that were sent and that no stage reads, each with the reason."""
    three_d_secure: ThreeDSecure | None = None
    stored_credential: StoredCredential | None = None


class InputReader:
    """Reads the inputs that a pipeline looks at."""

    def __init__(self) -> None:
        self._readers = {
            spec.request.field: RequestReader(spec.request.type) for spec in REGISTRY.in_pipelines
        }

    def read(self, pipeline: Pipeline, call: PipelineCall) -> PipelineInputs:
        """The inputs; raises `RequestRefused` with everything that is wrong with them."""
        wrong: FieldErrors = {}
        dropped: dict[str, str] = {}
        values = ValuesByType()
        for field in pipeline.reads:
            raw: msgspec.Raw = getattr(call, field)
            if _is_nothing(raw):
                if field in pipeline.needs:
                    wrong[field] = [_required(pipeline, field)]
                continue
            try:
                taken: dict[str, str] = {}
                value = self._readers[field].read_part(raw, taken)
            except RequestRefused as refused:
                wrong |= _errors_inside(field, raw, refused)
                if MORE_PROBLEMS in refused.details:
                    raise RequestRefused(
                        "invalid_request", fields=wrong, details=[MORE_PROBLEMS]
                    ) from None
            else:
                values[type(value)] = value
                dropped |= {f"{field}.{path}": why for path, why in taken.items()}
        payment = amount = None
        if PAYMENT in pipeline.needs or _is_told(values):
            payment, amount = _read_payment(values, pipeline, wrong)
        authentication = _read_authentication(values, pipeline, wrong)
        credential = _read_credential(values, pipeline, wrong)
        ignored = self._ignored(pipeline, call, values) | dropped
        if wrong:
            raise RequestRefused("invalid_request", fields=wrong, ignored=ignored)
        return PipelineInputs(values, payment, amount, ignored, authentication, credential)

    def _ignored(
        self, pipeline: Pipeline, call: PipelineCall, values: ValuesByType
    ) -> dict[str, str]:
        """What was sent and has no effect, by its path, with the reason."""
        ignored: dict[str, str] = {
            field: _NOT_READ(number=str(pipeline.definition.number))
            for field in self._readers
            if field not in pipeline.reads and not _is_nothing(getattr(call, field))
        }
        if call.client_reference_id is None:
            for spec in REGISTRY.in_pipelines:
                if getattr(values.get(spec.request.type), "client_reference_id", None) is not None:
                    ignored[f"{spec.request.field}.{_REFERENCE}"] = _MISPLACED_REFERENCE()
        return ignored


def _is_nothing(raw: msgspec.Raw) -> bool:
    return len(raw) <= _LONGEST_NOTHING and bytes(raw) in _NOTHING


def _errors_inside(field: str, raw: msgspec.Raw, refused: RequestRefused) -> FieldErrors:
    """What is wrong with one object, by paths from the top of the request."""
    if refused.fields:
        return {f"{field}.{path}": messages for path, messages in refused.fields.items()}
    if bytes(raw).startswith(b"{"):
        return {field: [_UNREADABLE(why=detail) for detail in refused.details]}
    return {field: [_NO_OBJECT()]}


def _required(pipeline: Pipeline, need: str) -> str:
    stages = ", ".join(pipeline.needs[need])
    return _REQUIRED(number=str(pipeline.definition.number), stages=stages)


def _is_told(values: ValuesByType) -> bool:
    """Whether the request says what is paid, although nobody asks."""
    told = values.find(GatewayRequest)
    return told is not None and None not in (told.amount, told.currency)


def _read_payment(
    values: ValuesByType, pipeline: Pipeline, wrong: FieldErrors
) -> tuple[Payment | None, float | None]:
    """What is to be paid: said to Gateway, or by the order."""
    asked = values.find(GatewayRequest) or _NO_GATEWAY
    order = getattr(values.find(SentryRequest), "order", None)
    if asked is _NO_GATEWAY and order is not None and not wrong:
        amount, currency = order.amount, order.currency
        if amount is not None and currency is not None:  # As most requests say it.
            return _checked(amount, currency, _IN_ORDER, wrong)
    # An input with other errors was not read, but what it says of the payment is not missing.
    unread = any(path.startswith((_GATEWAY_PLACE, "sentryRequest")) for path in wrong)
    places: dict[str, str] = {}
    given: dict[str, Any] = {}
    for name in ("amount", "currency"):
        place, value = f"{_GATEWAY_PLACE}.{name}", getattr(asked, name)
        other, said = f"{_ORDER_PLACE}.{name}", getattr(order, name, None)
        if value is None and said is not None:
            place, value = other, said
        if value is None and not unread:
            required = _required(pipeline, PAYMENT)
            wrong[place] = [_SAID_IN_ORDER(required=required, other=other)]
        places[name], given[name] = place, value
    if None in given.values():
        return None, None
    if places["amount"].partition(".")[0] != places["currency"].partition(".")[0]:
        _refuse_mixture(places, asked, order, wrong)
    return _checked(given["amount"], given["currency"], places, wrong)


def _checked(
    amount: float, currency: str, places: Mapping[str, str], wrong: FieldErrors
) -> tuple[Payment | None, float | None]:
    """The payment, if it is one that can be asked for."""
    try:
        return read_payment(amount, currency.strip().upper()[:8]), amount
    except UnfitPayment as unfit:
        wrong.setdefault(places[unfit.field], []).append(said_by(unfit))
        return None, None


def _read_authentication(
    values: ValuesByType, pipeline: Pipeline, wrong: FieldErrors
) -> ThreeDSecure | None:
    """What 3-D Secure found: said to Gateway, or to Rules."""
    asked: ThreeDSecure | None = getattr(values.get(GatewayRequest), "three_d_secure", None)
    said: ThreeDSecure | None = getattr(values.get(RulesRequest), "three_d_secure", None)
    found = asked or said
    if found is None:
        return None
    place = f"{_RULES_PLACE if asked is None else _GATEWAY_PLACE}.threeDSecure"
    if said is not None and not found.agrees_with(said):
        wrong[place] = [_DIFFERS(other=f"{_RULES_PLACE}.threeDSecure")]
    elif PAYMENT in pipeline.needs and not found.is_over:
        wrong[f"{place}.status"] = [_NOT_OVER()]
    return found


def _read_credential(
    values: ValuesByType, pipeline: Pipeline, wrong: FieldErrors
) -> StoredCredential | None:
    """Who initiates a payment that is going to be made; no code belongs to a merchant's."""
    asked = values.find(GatewayRequest)
    found = None if asked is None or PAYMENT not in pipeline.needs else asked.stored_credential
    if found is not None and found.is_merchants:
        checked = values.find(PreCheckRequest)
        if checked is not None and checked.card_cvv2_value is not None:
            wrong[_CODE_PLACE] = [_NO_CODE()]
    return found


def _refuse_mixture(
    places: dict[str, str], asked: GatewayRequest, order: Order | None, wrong: FieldErrors
) -> None:
    """An amount of one place is not one of another place's currency when the two disagree."""
    for name, place in places.items():
        said, here = getattr(order, name, None), getattr(asked, name)
        if isinstance(said, str) and isinstance(here, str):
            said, here = said.strip().upper(), here.strip().upper()
        if place.startswith(f"{_GATEWAY_PLACE}.") and said not in (None, here):
            missing = "currency" if name == "amount" else "amount"
            message = _MIXTURE(other=f"{_ORDER_PLACE}.{name}", missing=missing)
            wrong.setdefault(place, []).append(message)
