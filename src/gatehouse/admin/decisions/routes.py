"""The operations that show decision records."""

import asyncio
from contextlib import suppress
from typing import Final

from gatehouse.admin.decisions.use_cases.decisions import (
    LiveDecisions,
    get_decision,
    list_decisions,
    what_became,
)
from gatehouse.admin.decisions.use_cases.public_decisions import (
    DecisionPage,
    PublicDecision,
    public_decision,
)
from gatehouse.api.free_operations import PAGE, FreeCall, free_operation, operations_of
from gatehouse.api.manage.endpoints import Parameter
from gatehouse.api.problems import Problem
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import NotFound
from gatehouse.core.ids import is_id
from gatehouse.pipeline.settlement import Search
from gatehouse.store.admin.admin_session import AdminSession

_LONGEST: Final = 128


def _reference(text: str) -> str:
    if len(text) > _LONGEST:
        raise ValueError(f"must have at most {_LONGEST} characters")
    return recordable(text)


_REFERENCE: Final = Parameter(
    "clientReferenceId",
    "Only requests with this reference.",
    {"type": "string", "maxLength": _LONGEST},
    _reference,
)


class DecisionRoutes:
    """Shows records to their account only."""

    def __init__(self, session: AdminSession, decisions: LiveDecisions) -> None:
        self._session = session
        self._decisions = decisions

    @free_operation(
        "GET /decisions",
        scope="decisions",
        operation="listDecisions",
        field="decisionsResponse",
        told="A page of records",
        query=(_REFERENCE, *PAGE),
        untitled=True,
    )
    async def listing(self, call: FreeCall[None]) -> DecisionPage:
        """Decisions.

        The account's records, newest first.
        """
        reference, limit, before = (call.query[each.name] for each in (_REFERENCE, *PAGE))
        session, one_more = (
            self._session.acting_as(call.actor),
            Search(reference, before, limit + 1),
        )
        found = await asyncio.to_thread(list_decisions, session, call.account_id, one_more)
        shown = [public_decision(record, call.currency) for record in found[:limit]]
        return DecisionPage(shown, len(found) > limit)

    @free_operation(
        "GET /decisions/{request_id}",
        scope="decisions",
        operation="getDecision",
        field="decisionResponse",
        told="The record",
    )
    async def decision(self, call: FreeCall[None]) -> PublicDecision:
        """One decision.

        The record of a processed request, for the account it belongs to.
        """
        request_id, record = call.path["request_id"], None
        if is_id(request_id, "req"):
            place = self._session.acting_as(call.actor), call.account_id, request_id
            with suppress(NotFound):
                record = await asyncio.to_thread(get_decision, *place)
        if record is None:
            raise Problem("not_found", details=["no such decision for this account"])
        explanation = await self._decisions.explain(call.actor, call.account_id, record)
        session = self._session.acting_as(call.actor)
        became = await asyncio.to_thread(what_became, session, call.account_id, record)
        return public_decision(record, call.currency, explanation, became)


OPERATIONS: Final = operations_of(DecisionRoutes)
