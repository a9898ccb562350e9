"""Balances and statements, as every program gets them."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.access.accounts import Account
from gatehouse.billing.credits import Credit
from gatehouse.billing.ledger import AccountState, EntryKind
from gatehouse.billing.statement import (
    ChargeLine,
    Movement,
    Period,
    PeriodRefused,
    Statement,
    read_period,
)
from gatehouse.core.api_values import CamelStruct, Money, Timestamp, doc, money
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidFields

Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]


class PeriodQuery(msgspec.Struct, frozen=True):
    """A month or days; by default this month."""

    month: Annotated[
        Annotated[str, Meta(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])\Z")] | None,
        doc("A month, written YYYY-MM."),
    ] = None
    first: Annotated[Day | None, doc("The first day, written YYYY-MM-DD.")] = msgspec.field(
        name="from", default=None
    )
    end: Annotated[Day | None, doc("The day after the last. Default: through today.")] = (
        msgspec.field(name="to", default=None)
    )

    def period(self, now_ms: int) -> Period:
        """The period that is asked for; or `InvalidFields`."""
        try:
            return read_period(self.month, self.first, self.end, now_ms)
        except PeriodRefused as refused:
            raise InvalidFields({refused.part: [str(refused)]}) from None


class StatementQuery(PeriodQuery, frozen=True):
    """Which statement is wanted."""

    daily: Annotated[bool, doc("Whether charges are by day.")] = False


class ExpiringCredit(CamelStruct):
    """An amount that was credited until a day."""

    credit_id: Annotated[str, doc("Its entry in the ledger.", "adj_01k2")]
    amount: Annotated[Money, doc("What was credited.")]
    left: Annotated[Money, doc("What of it is not spent; the credit that ends soonest goes first.")]
    expires_at: Annotated[Timestamp, doc("When what is left is taken back (RFC 3339).")]


class BalanceResponse(CamelStruct):
    """What an account has."""

    balance: Annotated[Money, doc("All of it, also what is held.")]
    held: Annotated[Money, doc("Held for requests in flight.")]
    available: Annotated[Money, doc("What can be spent: `balance` and `creditLimit` minus `held`.")]
    currency: Annotated[str, doc("ISO 4217 code.", "USD")]
    credit_limit: Annotated[
        Money | None, doc("How far below nothing it may go; null where it is paid in advance.")
    ]
    at: Annotated[Timestamp, doc("When it was read (RFC 3339).")]
    credits: Annotated[list[ExpiringCredit], doc("Credits in it that expire, the soonest first.")]


class StatementMovement(CamelStruct):
    """A top-up or an adjustment."""

    entry: Annotated[str, doc("Its id in the ledger.")]
    at: Annotated[Timestamp, doc("When it was recorded (RFC 3339).")]
    kind: Annotated[EntryKind, doc("`TOP_UP` or `ADJUST`.", EntryKind.TOP_UP)]
    amount: Annotated[Money, doc("Negative when it was taken away.")]
    reference: Annotated[str | None, doc("The bank transfer or invoice of a top-up.")]
    note: Annotated[str | None, doc("What the operator noted.")]


class StatementCharge(CamelStruct):
    """All charges of one fee type at one fee."""

    fee_type: Annotated[str, doc("Fee type.", "PRECHECK")]
    unit_fee: Annotated[Money, doc("The fee of each.")]
    count: Annotated[int, doc("How many there were.")]
    total: Annotated[Money, doc("`unitFee` times `count`.")]
    day: Annotated[date | UnsetType, doc("The day in UTC; only if asked for.")] = UNSET


class StatementResponse(CamelStruct):
    """What moved a balance: opening + top-ups + adjustments - charged = closing."""

    first: Annotated[date, doc("The first day of the period, in UTC.")] = msgspec.field(name="from")
    end: Annotated[date, doc("The first day after the period.")] = msgspec.field(name="to")
    at: Annotated[Timestamp, doc("When it was made; before `to` it may still change.")]
    currency: Annotated[str, doc("ISO 4217 code.", "USD")]
    opening_balance: Annotated[Money, doc("At the beginning of the period.")]
    top_ups: Annotated[Money, doc("All that was paid in.")]
    adjustments: Annotated[Money, doc("All corrections by hand, up and down.")]
    charged: Annotated[Money, doc("All fees.")]
    closing_balance: Annotated[Money, doc("At the end of the period.")]
    movements: Annotated[list[StatementMovement], doc("Top-ups and adjustments, oldest first.")]
    charges: Annotated[list[StatementCharge], doc("Fees of the requests that ended in the period.")]
    uncharged_requests: Annotated[int, doc("Requests that ended and cost nothing.")]


class AccountStatement(msgspec.Struct, frozen=True):
    """The statement of one account, with amounts in millionths."""

    account: Account
    statement: Statement


def public_balance(
    state: AccountState, currency: str, at_ms: int, credits: Sequence[Credit]
) -> BalanceResponse:
    """A balance in the shape of the API."""
    return BalanceResponse(
        balance=money(currency, state.balance),
        held=money(currency, state.held),
        available=money(currency, state.available),
        currency=currency,
        credit_limit=None if state.credit is None else money(currency, state.credit),
        at=iso_time(at_ms),
        credits=[
            ExpiringCredit(
                each.entry,
                money(currency, each.amount),
                money(currency, each.left),
                iso_time(each.expires_at_ms),
            )
            for each in credits
        ],
    )


def public_statement(one: AccountStatement) -> StatementResponse:
    """A statement in the shape of the API."""
    made, currency = one.statement, one.account.currency
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
