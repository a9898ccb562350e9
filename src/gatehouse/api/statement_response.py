"""Balances and statements as the API shows them; the command prints statements in the same form."""

from datetime import date
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.billing.ledger import AccountState, EntryKind
from gatehouse.billing.statement import ChargeLine, Movement, Statement
from gatehouse.core.api_values import Money, Timestamp, money
from gatehouse.core.clock import iso_time


class BalanceResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What an account has."""

    balance: Annotated[Money, Meta(description="All of it, also what is held.")]
    held: Annotated[Money, Meta(description="Held for requests in flight.")]
    available: Annotated[Money, Meta(description="What can be spent: `balance` minus `held`.")]
    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    at: Annotated[Timestamp, Meta(description="When it was read (RFC 3339).")]


class StatementMovement(msgspec.Struct, frozen=True, rename="camel"):
    """A top-up or an adjustment."""

    entry: Annotated[str, Meta(description="Its id in the ledger.")]
    at: Annotated[Timestamp, Meta(description="When it was recorded (RFC 3339).")]
    kind: Annotated[
        EntryKind, Meta(description="`TOP_UP` or `ADJUST`.", examples=[EntryKind.TOP_UP])
    ]
    amount: Annotated[Money, Meta(description="Negative when it was taken away.")]
    reference: Annotated[str | None, Meta(description="The bank transfer or invoice of a top-up.")]
    note: Annotated[str | None, Meta(description="What the operator noted.")]


class StatementCharge(msgspec.Struct, frozen=True, rename="camel"):
    """All charges of one fee type at one fee."""

    fee_type: Annotated[str, Meta(description="Fee type.", examples=["PRECHECK"])]
    unit_fee: Annotated[Money, Meta(description="The fee of each.")]
    count: Annotated[int, Meta(description="How many there were.")]
    total: Annotated[Money, Meta(description="`unitFee` times `count`.")]
    day: Annotated[date | UnsetType, Meta(description="The day in UTC; only if asked for.")] = UNSET


class StatementResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What moved a balance: opening + top-ups + adjustments - charged = closing."""

    first: Annotated[date, Meta(description="The first day of the period, in UTC.")] = (
        msgspec.field(name="from")
    )
    end: Annotated[date, Meta(description="The first day after the period.")] = msgspec.field(
        name="to"
    )
    at: Annotated[Timestamp, Meta(description="When it was made; before `to` it may still change.")]
    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    opening_balance: Annotated[Money, Meta(description="At the beginning of the period.")]
    top_ups: Annotated[Money, Meta(description="All that was paid in.")]
    adjustments: Annotated[Money, Meta(description="All corrections by hand, up and down.")]
    charged: Annotated[Money, Meta(description="All fees.")]
    closing_balance: Annotated[Money, Meta(description="At the end of the period.")]
    movements: Annotated[
        list[StatementMovement], Meta(description="Top-ups and adjustments, oldest first.")
    ]
    charges: Annotated[
        list[StatementCharge], Meta(description="Fees of the requests that ended in the period.")
    ]
    uncharged_requests: Annotated[int, Meta(description="Requests that ended and cost nothing.")]


def public_balance(state: AccountState, currency: str, at_ms: int) -> BalanceResponse:
    """A balance in the shape of the API."""
    return BalanceResponse(
        balance=money(currency, state.balance),
        held=money(currency, state.held),
        available=money(currency, state.available),
        currency=currency,
        at=iso_time(at_ms),
    )


def public_statement(made: Statement, currency: str) -> StatementResponse:
    """A statement in the shape of the API."""
    return StatementResponse(
        first=made.period.first,
        end=made.period.end,
        at=iso_time(made.at_ms),
        currency=currency,
        opening_balance=money(currency, made.opening),
        top_ups=money(currency, made.top_ups),
        adjustments=money(currency, made.adjustments),
        charged=money(currency, made.charged),
        closing_balance=money(currency, made.closing),
        movements=[_movement(each, currency) for each in made.movements],
        charges=[_charge(each, currency) for each in made.charges],
        uncharged_requests=made.uncharged_requests,
    )


def _movement(one: Movement, currency: str) -> StatementMovement:
    return StatementMovement(
        entry=one.entry,
        at=iso_time(one.at_ms),
        kind=one.kind,
        amount=money(currency, one.amount),
        reference=one.reference,
        note=one.note,
    )


def _charge(line: ChargeLine, currency: str) -> StatementCharge:
    return StatementCharge(
        fee_type=line.fee_type,
        unit_fee=money(currency, line.unit_fee),
        count=line.count,
        total=money(currency, line.total),
        day=UNSET if line.day is None else line.day,
    )
