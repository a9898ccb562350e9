"""A capture, a refund or a charge: how its answer is read, and small parts for all functions."""

from collections.abc import Callable
from typing import Any, Final

from gatehouse.connectors.http.answers import Read, WordKind, compile_reading
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.building import Building
from gatehouse.connectors.http.compiled import Refusal
from gatehouse.connectors.http.mapping import ChargeMapping, OperationMapping
from gatehouse.connectors.http.templates import Tables
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.operating import Offer, OperationAnswer, OperationEnd

_NO_RESULT: Final = Phrase(
    "connector.no_result", "the answer does not say whether the operation succeeded"
)
_OTHER_AMOUNT: Final = Phrase(
    "connector.other_amount", "the answer is about another amount than was asked for"
)
_NO_KNOWN_CODE: Final = Phrase(
    "connector.no_known_code", "the answer refuses without a code that the mapping knows"
)


class OperationCall:
    """A capture, a refund or a charge, as the mapping has it."""

    def __init__(self, mapping: OperationMapping | ChargeMapping, building: Building) -> None:
        answer, tables = mapping.answer, building.environment.tables
        self._is_charge = isinstance(mapping, ChargeMapping)
        repeatable = isinstance(mapping, ChargeMapping) or mapping.repeatable
        self.offer: Final = Offer.REPEATABLE if repeatable else Offer.ONCE
        self.call: Final = building.call(mapping, WordKind.GATEWAY_CODE, may_repeat=repeatable)
        self._result = compile_reading(answer.result, WordKind.OPERATION, tables)
        self._code = optional(answer.response_code, WordKind.GATEWAY_CODE, tables)
        self._id = optional(answer.id, WordKind.ID, tables)
        self._amount = optional(answer.amount, WordKind.MINOR, tables)
        self._currency = optional(answer.currency, WordKind.CURRENCY, tables)

    def read(self, answer: Any, asked: Asked) -> OperationAnswer:
        """What the party said; an answer about another amount of a payment says nothing."""
        if isinstance(answer, Refusal):
            return OperationAnswer(OperationEnd.REFUSED, code_of(answer))
        result, payment = self._result(answer, None), asked.payment
        if result is None:
            raise ConnectorFailed(_NO_RESULT())
        end = OperationEnd(result.upper())
        assert payment is not None
        amount, currency = self._amount(answer, None), self._currency(answer, None)
        named = payment.amount_minor if amount is None else int(amount)
        if (named, (currency or payment.currency).upper()) != (
            payment.amount_minor,
            payment.currency,
        ):
            if not self._is_charge:
                raise ConnectorFailed(_OTHER_AMOUNT())
            end = OperationEnd.OTHER_AMOUNT
        return OperationAnswer(end, self._code(answer, None), self._id(answer, None))


def code_of(refusal: Refusal) -> str:
    """The code of a refusal; or `ConnectorFailed`."""
    if refusal.response_code is None:
        raise ConnectorFailed(_NO_KNOWN_CODE())
    return refusal.response_code


def nothing(_answer: Any, _about: object) -> None:
    """Reads nothing."""
    return


def optional(reading: Any, kind: WordKind, tables: Tables) -> Read | Callable[..., None]:
    """Reads a value, if the mapping says where it is."""
    return nothing if reading is None else compile_reading(reading, kind, tables)
