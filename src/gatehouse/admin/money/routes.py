"""Balance and statement for every key that may read them."""

from typing import Any, Final

from gatehouse.admin.money.types import BalanceResponse, StatementQuery, StatementResponse
from gatehouse.admin.money.use_cases.statements import LiveBilling
from gatehouse.api.free_operations import FreeCall, free_operation, operations_of
from gatehouse.api.manage.declared import parameters_of
from gatehouse.api.problems import Problem
from gatehouse.api.serving.in_flight import RETRY_SOON
from gatehouse.core.clock import Clock

_MOST_WAITING: Final = 8
_MOST_OF_ONE: Final = 3
"""Of an account, so that it does not keep others from theirs."""
_SCOPE: Final[dict[str, Any]] = {"scope": "billing"}


class BillingRoutes:
    """Answers calls about what the account has, and what moved it."""

    def __init__(self, billing: LiveBilling, clock: Clock) -> None:
        self._billing = billing
        self._clock = clock

    @free_operation(
        "GET /balance",
        **_SCOPE,
        operation="getBalance",
        field="balanceResponse",
        told="The balance",
    )
    async def balance(self, call: FreeCall[None]) -> BalanceResponse:
        """Balance.

        What the account has, and how much of it is held.
        """
        return await self._billing.balance(call.actor, call.account_id)

    @free_operation(
        "GET /statement",
        **_SCOPE,
        operation="getStatement",
        field="statementResponse",
        told="The statement",
        query=tuple(parameters_of(StatementQuery)),
        codes=frozenset({"conflict"}),
    )
    async def statement(self, call: FreeCall[None]) -> StatementResponse:
        """Statement.

        What moved the balance in a month (by default this), or in days.
        """
        asked = call.query
        wanted = StatementQuery(asked["month"], asked["from"], asked["to"], asked["daily"])
        period = wanted.period(self._clock())
        waiting = self._billing.waiting
        if len(waiting) >= _MOST_WAITING or waiting.count(call.account_id) >= _MOST_OF_ONE:
            # Each takes the place of a request in flight; checks must not wait for bookkeeping.
            raise Problem("overloaded", headers=RETRY_SOON)
        return await self._billing.statement(
            call.actor, call.account_id, period, daily=wanted.daily
        )


OPERATIONS: Final = operations_of(BillingRoutes)
