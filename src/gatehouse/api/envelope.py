"""The common response envelope: its parts as types, and how it becomes bytes."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec

from gatehouse.api.problems import CODES, Problem
from gatehouse.billing.ledger import Item
from gatehouse.core.api_values import CamelStruct, Money, doc, money
from gatehouse.core.reading.unread_fields import FieldWarning
from gatehouse.core.wording.sentences import plain

_encode: Final = msgspec.json.Encoder(enc_hook=plain).encode


class BillingItem(CamelStruct):
    """One executed service."""

    fee_type: Annotated[str, doc("Fee type.", "PRECHECK")]
    fee: Money
    completed: Annotated[bool, doc("Whether it completed; an item that did not is not charged.")]


class Billing(CamelStruct):
    """What the request cost and what is left."""

    items: Annotated[list[BillingItem], doc("One entry per executed service.")]
    remaining_balance: Annotated[Money, doc("What can still be spent.")]
    amount_authorized: Annotated[Money, doc("Held for this request.")]
    amount_closed: Annotated[Money, doc("Charged for this request.")]


class Errors(CamelStruct):
    """Why a request was not processed."""

    message: Annotated[str, doc("High-level description.")]
    code: Annotated[str, doc("Stable machine-readable word; see the error list.")]
    field_errors: Annotated[dict[str, list[str]], doc("Problems by the field's path.")]
    global_errors: Annotated[list[str], doc("Problems of the request as a whole.")]


def billing(
    currency: str, items: list[Item], remaining: int, authorized: int = 0, closed: int = 0
) -> Billing:
    """The billing object of a request."""
    return Billing(
        [BillingItem(i.fee_type, money(currency, i.fee), i.completed) for i in items],
        money(currency, remaining),
        money(currency, authorized),
        money(currency, closed),
    )


def success(
    request_id: str,
    field: str,
    response: Any,
    billed: Billing | None,
    warnings: Sequence[FieldWarning] = (),
) -> bytes:
    """The envelope of a processed request."""
    envelope = {
        "isSuccess": True,
        "errors": None,
        "billing": billed,
        field: response,
        "requestId": request_id,
    }
    if warnings:
        envelope["warnings"] = warnings
    return _encode(envelope)


def failure(
    request_id: str,
    problem: Problem,
    *,
    field: str | None = None,
    billed: Billing | None = None,
    warnings: Sequence[FieldWarning] = (),
) -> bytes:
    """The envelope of a refused request; the operation's own object is null."""
    message = CODES[problem.code].message
    details = problem.details or ([] if problem.fields else [message])
    envelope: dict[str, Any] = {
        "isSuccess": False,
        "errors": Errors(message, problem.code, problem.fields, details),
        "billing": billed,
    }
    if field is not None:
        envelope[field] = None
    envelope["requestId"] = request_id
    if warnings:
        envelope["warnings"] = warnings
    return _encode(envelope)
