"""The routes of balances and statements, which are free of charge."""

from typing import Final

from gatehouse.admin.money.use_cases.statements import LiveBilling
from gatehouse.api.body import Receive
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.api.query import read_query
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.billing.statement import Period, PeriodRefused, read_period
from gatehouse.core.clock import Clock
from gatehouse.core.errors import InvalidInput

SCOPE: Final = "billing"
_PARAMETERS: Final = ("month", "from", "to", "daily")
_MOST_WAITING: Final = 8
_DAILY: Final = {"true": True, "false": False}


class Balances:
    """Makes the handlers of these routes."""

    def __init__(self, entry: Entry, billing: LiveBilling, clock: Clock) -> None:
        self._entry = entry
        self._billing = billing
        self._clock = clock

    async def balance(self, context: RequestContext, _receive: Receive) -> Reply:
        """What the account has now."""
        caller = await self._entry.authenticate(context, SCOPE, "balanceResponse")
        shown = await self._billing.balance(caller.actor, caller.account.account_id)
        return await self._entry.answer(context, shown)

    async def statement(self, context: RequestContext, _receive: Receive) -> Reply:
        """What moved the account's balance in a month, or between two days."""
        caller = await self._entry.authenticate(
            context, SCOPE, "statementResponse", takes_query=True
        )
        period, daily = _read_query(context.scope["query_string"], self._clock())
        if self._billing.waiting >= _MOST_WAITING:
            # Each takes the place of a request in flight; checks must not wait for bookkeeping.
            raise Problem("overloaded", headers=RETRY_SOON)
        try:
            made = await self._billing.statement(
                caller.actor, caller.account.account_id, period, daily=daily
            )
        except InvalidInput as refused:
            raise Problem("invalid_request", details=[str(refused)]) from None
        return await self._entry.answer(context, made)


def _read_query(query_string: bytes, now_ms: int) -> tuple[Period, bool]:
    """The period that is asked for, or a `Problem` that names every wrong parameter."""
    query = read_query(query_string, _PARAMETERS)
    given, wrong = query.values, dict(query.wrong)
    daily = given.get("daily", "false")
    if daily not in _DAILY:
        wrong.setdefault("daily", ["must be true or false"])
    try:
        period = read_period(given.get("month"), given.get("from"), given.get("to"), now_ms)
    except PeriodRefused as refused:
        wrong.setdefault(refused.part, [str(refused)])
    if wrong:
        raise Problem("invalid_request", fields=wrong)
    return period, _DAILY[daily]
