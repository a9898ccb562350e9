"""Balance and statement in the OpenAPI document."""

from typing import Any, Final

from gatehouse.admin.money.types import BalanceResponse, StatementResponse
from gatehouse.api.openapi.parts import TRACE_ID, envelope_of, free_answers, parameter
from gatehouse.api.problems import BODY_CODES

MONEY_TYPES: Final[tuple[type, ...]] = (BalanceResponse, StatementResponse)


def money_paths(schemas: dict[str, Any]) -> dict[str, Any]:
    """The paths of balance and statement; their envelopes are added to the schemas."""
    return {
        "/api/v1/balance": {"get": _get_balance(schemas)},
        "/api/v1/statement": {"get": _get_statement(schemas)},
    }


def _get_balance(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["BalanceEnvelope"] = envelope_of("balanceResponse", BalanceResponse.__name__)
    return {
        "operationId": "getBalance",
        "summary": "Balance",
        "description": "What the account has, and how much of it is held. Free.",
        "parameters": [TRACE_ID],
        **free_answers("The balance.", "BalanceEnvelope", without=BODY_CODES | {"not_found"}),
    }


def _get_statement(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["StatementEnvelope"] = envelope_of("statementResponse", StatementResponse.__name__)
    month = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"}
    day = {"type": "string", "format": "date"}
    return {
        "operationId": "getStatement",
        "summary": "Statement",
        "description": "What moved the balance in a month (by default this), or in days. Free.",
        "parameters": [
            parameter("month", "query", "A month, written YYYY-MM.", month),
            parameter("from", "query", "The first day, written YYYY-MM-DD.", day),
            parameter("to", "query", "The day after the last. Default: through today.", day),
            parameter("daily", "query", "Whether charges are by day.", {"type": "boolean"}),
            TRACE_ID,
        ],
        **free_answers("The statement.", "StatementEnvelope", without=BODY_CODES | {"not_found"}),
    }
