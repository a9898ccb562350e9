"""Turns the filters of a search into the sources that the store reads."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from gatehouse.admin.search.queries.sources import (
    IdSpan,
    Source,
    by_amount,
    by_column,
    by_labels,
    by_operation,
    by_terms,
)
from gatehouse.admin.search.use_cases.filters import (
    AmountRange,
    DecisionSearchRequest,
    TimeRange,
    WrongFilters,
)
from gatehouse.admin.search.use_cases.values import SearchValues, WrongValue
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.ids import first_id
from gatehouse.core.reading.validation import ONE_OF
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import said_by
from gatehouse.decisions.record import IMPORTED
from gatehouse.decisions.search_terms import (
    AMOUNT,
    DECISION,
    REASON,
    RING,
    RULE,
    SHADOW_RULE,
    TAG,
    amount_buckets,
    micros_of,
)
from gatehouse.operations.catalogue import PIPELINE
from gatehouse.store.tables import DECISIONS

T = TypeVar("T")


def sources_of(values: SearchValues, search: DecisionSearchRequest) -> list[Source]:
    """One source for each filter that is given; `WrongFilters` names all that cannot be used."""
    sources: list[Source] = []
    wrong: dict[str, str] = {}
    names = dict(zip(search.__struct_fields__, search.__struct_encode_fields__, strict=True))
    for name, make in _FILTERS.items():
        value = getattr(search, name)
        if value is not None:
            try:
                sources.append(make(values, value))
            except WrongValue as error:
                wrong[names[name]] = said_by(error)
    if wrong:
        raise WrongFilters(wrong)
    return sources


def span_of(at: TimeRange | None) -> IdSpan:
    """The ids of requests that came in within a span of time."""
    if at is None:
        return IdSpan()
    ends = (None if end is None else round(end.seconds * 1000) for end in (at.since, at.until))
    return IdSpan(*(None if at_ms is None else first_id("req", at_ms) for at_ms in ends))


def listed(value: T | Sequence[T]) -> list[T]:
    """A value, or several of them, each once."""
    return list(dict.fromkeys(value)) if isinstance(value, list) else [value]  # type: ignore[list-item]


def _words(field: int) -> Callable[[SearchValues, Any], Source]:
    return _terms(lambda values, given: [values.term(field, str(each)) for each in listed(given)])


def _terms(
    make: Callable[[SearchValues, Any], Sequence[int]],
) -> Callable[[SearchValues, Any], Source]:
    return lambda values, given: by_terms(values.account_id, make(values, given))


def _operation(values: SearchValues, given: str | list[str]) -> Source:
    known = [each.operation.name for each in REGISTRY if each.operation is not None]
    known += (PIPELINE, IMPORTED)
    if any(each not in known for each in listed(given)):
        raise WrongValue(ONE_OF(known=", ".join(known)))
    return by_operation(values.account_id, listed(given))


def _amount(values: SearchValues, given: AmountRange) -> Source:
    least, most = (None if end is None else micros_of(end) for end in (given.least, given.most))
    buckets = amount_buckets(given.currency.upper(), least, most)
    terms = [values.term(AMOUNT, each) for each in buckets]
    return by_amount(values.account_id, terms, least, most)


_FILTERS: Final[dict[str, Callable[[SearchValues, Any], Source]]] = {
    "user_id": _terms(SearchValues.user),
    "card_number": _terms(SearchValues.card),
    "payment_account_reference": _terms(SearchValues.card),
    "card_fingerprint": _terms(
        lambda values, given: [values.fingerprint(each) for each in listed(given)]
    ),
    "email": _terms(SearchValues.email),
    "phone": _terms(SearchValues.phone),
    "ip_address": _terms(SearchValues.address),
    "device_id": _terms(SearchValues.device),
    "ring": _words(RING),
    "transaction_id": lambda values, given: by_column(
        DECISIONS.c.transaction_reference, values.account_id, values.kept(given)
    ),
    "client_reference_id": lambda values, given: by_column(
        DECISIONS.c.client_reference, values.account_id, recordable(str(given))
    ),
    "operation": _operation,
    "decision": _words(DECISION),
    "reason": _words(REASON),
    "rule": _words(RULE),
    "shadow_rule": _words(SHADOW_RULE),
    "tag": _words(TAG),
    "label": lambda values, given: by_labels(values.account_id, listed(given)),
    "amount": _amount,
}
