"""What the account has and what it used, over HTTP."""

from datetime import date
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.money.use_cases.statements import account_statement
from gatehouse.admin.money.use_cases.usage import MOST_DAYS, account_usage
from gatehouse.api.manage.endpoints import (
    ManageCall,
    ManageEndpoint,
    Parameter,
    read_flag,
    short_text,
)
from gatehouse.api.problems import Problem
from gatehouse.api.statement_response import (
    BalanceResponse,
    StatementResponse,
    public_balance,
    public_statement,
)
from gatehouse.billing.statement import Period, PeriodRefused, read_period
from gatehouse.core.api_values import Money, money

_SCOPE: Final = "manage:billing"
_MONTH_SCHEMA: Final = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"}
_DAY_SCHEMA: Final = {"type": "string", "format": "date"}
_PERIOD: Final = (
    Parameter("month", "A month, written YYYY-MM.", _MONTH_SCHEMA, short_text(10)),
    Parameter("from", "The first day, written YYYY-MM-DD.", _DAY_SCHEMA, short_text(10)),
    Parameter("to", "The day after the last. Default: through today.", _DAY_SCHEMA, short_text(10)),
)
_DAILY: Final = Parameter(
    "daily", "Whether charges are by day.", {"type": "boolean"}, read_flag, False
)


class UsageEntry(msgspec.Struct, frozen=True, rename="camel"):
    """The requests of one operation on one day."""

    day: Annotated[date, Meta(description="In UTC.", examples=["2026-11-16"])]
    operation: Annotated[str, Meta(description="Its name.", examples=["pipeline"])]
    requests: Annotated[int, Meta(description="How many were decided.", examples=[1200])]
    charged: Annotated[Money, Meta(description="What they were charged.")]


class UsageResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What an account used in a period."""

    first: Annotated[date, Meta(description="The first day.", examples=["2026-11-01"])] = (
        msgspec.field(name="from")
    )
    end: Annotated[date, Meta(description="The first day after.", examples=["2026-12-01"])] = (
        msgspec.field(name="to")
    )
    usage: Annotated[list[UsageEntry], Meta(description="By day and operation.")]


def _period(call: ManageCall) -> Period:
    query = call.query
    try:
        return read_period(query["month"], query["from"], query["to"], call.session.clock())
    except PeriodRefused as refused:
        raise Problem("invalid_request", fields={refused.part: [str(refused)]}) from None


def _balance(call: ManageCall) -> BalanceResponse:
    state = accounts.get(call.session, call.account_id).state
    return public_balance(state, call.caller.account.currency, call.session.clock())


def _statement(call: ManageCall) -> StatementResponse:
    made = account_statement(
        call.session, call.account_id, _period(call), daily=call.query["daily"]
    )
    return public_statement(made.statement, made.account.currency)


def _usage(call: ManageCall) -> UsageResponse:
    period = _period(call)
    account, found = account_usage(call.session, call.account_id, period)
    entries = [
        UsageEntry(each.day, each.operation, each.requests, money(account.currency, each.charged))
        for each in found
    ]
    return UsageResponse(first=period.first, end=period.end, usage=entries)


BILLING_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/balance",
        scope=_SCOPE,
        operation="getManagedBalance",
        field="balanceResponse",
        summary="Balance",
        about="What the account has, as `/api/v1/balance` tells it.",
        answer=BalanceResponse,
        run=_balance,
    ),
    ManageEndpoint(
        method="GET",
        path="/statement",
        scope=_SCOPE,
        operation="getManagedStatement",
        field="statementResponse",
        summary="Statement",
        about="What moved the balance, as `/api/v1/statement` tells it.",
        query=(*_PERIOD, _DAILY),
        answer=StatementResponse,
        run=_statement,
    ),
    ManageEndpoint(
        method="GET",
        path="/usage",
        scope=_SCOPE,
        operation="getUsage",
        field="usageResponse",
        summary="Usage",
        about="Decided requests by day and operation, and what they were charged, of a month "
        f"(by default this) or of up to {MOST_DAYS} days.",
        query=_PERIOD,
        answer=UsageResponse,
        run=_usage,
    ),
)
