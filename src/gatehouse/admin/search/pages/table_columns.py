"""The columns of the table of decisions: the usual ones, or those that somebody chose."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from gatehouse.admin.decisions.pages.order_amounts import shown_order
from gatehouse.admin.decisions.use_cases.masking import (
    masked_customer,
    masked_reference,
    masked_signal,
)
from gatehouse.admin.decisions.use_cases.request_subject import RequestSubject, subject_of
from gatehouse.admin.search.pages.search_form import COLUMNS, Kept
from gatehouse.conditions.catalogue import CUSTOM, SIGNALS, read_signal
from gatehouse.console.visit import Visit
from gatehouse.core.clock import parse_time
from gatehouse.core.stages.outcomes import DecisionReason
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.reasons import reason_of
from gatehouse.decisions.record import DecisionRecord

_ORDER: Final = "order"
"""What leads to the decision, so that it is always there."""
USUAL: Final = ("when", "outcome", _ORDER, "customer", "card", "operation", "rules")
OFTEN: Final = (
    *("sentry.requestConfidence", "card.bin", "card.country", "card.funding", "ip.country"),
    *("ip.asn", "ip.organisation", "email.domain", "billing.country", "shipping.country"),
    *("device.browser", "device.system", "order.items", "velocity.card.count_24h"),
)
"""Signals that are offered as columns; any other one can be named."""
MOST_COLUMNS: Final = 16


class ListedDecision(msgspec.Struct, frozen=True):
    """One decision in a table."""

    record: DecisionRecord
    at_ms: int
    about: RequestSubject
    customer: str | None
    """Masked: a list does not say who looked at whom."""
    reference: str
    """The caller's own name of the order; else the request's id."""
    amount: str
    matched: tuple[str, ...]
    shadow: tuple[str, ...]
    """The rules that matched in shadow."""
    reason: DecisionReason | None
    values: dict[str, str]
    """The chosen signals by name."""


def chosen_columns(kept: Kept) -> tuple[str, ...]:
    """What the table shows; names of nothing are passed over."""
    wanted = kept.get(COLUMNS, ())
    found = [each for each in wanted if each in USUAL or each in SIGNALS or each[:7] == CUSTOM]
    if not found:
        return USUAL
    return tuple((found if _ORDER in found else [_ORDER, *found])[:MOST_COLUMNS])


def listed_decision(visit: Visit, record: DecisionRecord, columns: Sequence[str]) -> ListedDecision:
    """A decision with what the columns show of it."""
    about = subject_of(record)
    matched, shadow = (
        tuple(dict.fromkeys(each for stage in record.stages for each in stage.result.get(name, ())))
        for name in ("matched", "shadow")
    )
    return ListedDecision(
        record,
        parse_time(record.at),
        about,
        masked_customer(about.customer),
        masked_reference(record.client_reference_id) or record.request_id,
        shown_order(visit, about.order.amount),
        matched,
        shadow,
        reason_of(record),
        {name: _shown(visit, name, _signal(record, name)) for name in columns if "." in name},
    )


def _signal(record: DecisionRecord, name: str) -> Any:
    spec = REGISTRY.leaving(name)
    if spec is None:
        return read_signal(record.signals or {}, name)
    found: dict[str, Any] = {}
    for stage in record.stages:
        if stage.name == spec.name:
            found |= REGISTRY.signals_of(spec.name, stage.result, completed=stage.completed)
    return found.get(name)


def _shown(visit: Visit, name: str, value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return visit.text("common.yes" if value else "common.no")
        case int() | float():
            # The number of a network is a name, without thousands separators.
            return str(value) if name == "ip.asn" else visit.number(value)
        case list() | tuple():
            return ", ".join(map(str, value)) or "–"
    return masked_signal(name, str(value))
