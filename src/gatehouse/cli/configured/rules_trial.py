"""Tries a rule set on one case: reads the case, asks every rule, and shows what each looked at."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.cli.common import table
from gatehouse.conditions.catalogue import CUSTOM, Catalogue, packed, read_signal
from gatehouse.conditions.compile_python import Lists
from gatehouse.conditions.nodes import Type
from gatehouse.core.documents import suggestion
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.decisions.record import UnreadableRecord, encode
from gatehouse.decisions.signal_layout import fits
from gatehouse.decisions.signal_rows import row_of
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import Rule, RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.lists import ListHistory

_LONGEST_SHOWN: Final = 60
_MOST_PROBLEMS: Final = 100
_MOMENT: Final[Any] = Annotated[datetime, Meta(tz=True)] | None
_SHAPE: Final = '{"signals": {"order.amount": 59.9, "ip.country": "GB"}}'


class TrialInput(NamedTuple):
    """What rules are tried on."""

    signals: dict[str, Any]
    at_ms: int | None
    """When it happened; None for now."""


class PastLists:
    """Lists as they were at the moment that is asked about."""

    def __init__(self, history: ListHistory) -> None:
        self.has = history.has_at


def read_case(content: bytes, rule_set: RuleSet) -> TrialInput:
    """The signals of a case that an author wrote, or of a decision as the API returns it."""
    try:
        case = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise InvalidInput(f"the case is not JSON; it should look like {_SHAPE}") from None
    if isinstance(case, dict) and isinstance(case.get("decisionResponse"), dict):
        case = case["decisionResponse"]
    if not isinstance(case, dict) or not isinstance(case.get("signals"), dict):
        raise InvalidInput(f"the case has no signals; it should look like {_SHAPE}")
    if isinstance(case.get("stages"), list):
        return _of_record(msgspec.json.encode(case), case.get("at"), rule_set)
    return TrialInput(_checked(case["signals"], Catalogue(rule_set.inputs)), None)


def recorded_case(
    place: AdminSession, account_id: str, request_id: str, rule_set: RuleSet
) -> TrialInput:
    """The signals of a recorded request, as the rule set of this name saw them."""
    from gatehouse.store.decisions import decisions

    with place.reading() as connection:
        record = decisions.get(connection, account_id, request_id)
    if record is None:
        raise NotFound(f"account {account_id} has no request {recordable(request_id)}")
    if record.signals is None:
        raise InvalidInput("only requests for a pipeline or for rules keep their signals")
    return _of_record(encode(record), record.at, rule_set)


def _of_record(text: str | bytes, came_at: Any, rule_set: RuleSet) -> TrialInput:
    try:
        row = row_of(text, rule_set.name)
        at = msgspec.convert(came_at, _MOMENT)
    except UnreadableRecord as error:
        raise InvalidInput(str(error)) from None
    except msgspec.ValidationError as error:
        raise InvalidInput(f"this is not a decision record: {error}") from None
    # Callers may send anything as a custom input; for a rule all but the declared type is NULL.
    inputs = {f"{CUSTOM}{key}": kind for key, kind in rule_set.inputs.items()}
    seen = {
        name: value
        for name, value in row.items()
        if not name.startswith(CUSTOM) or (name in inputs and fits(value, inputs[name]))
    }
    return TrialInput(packed(seen), None if at is None else round(at.timestamp() * 1000))


def _checked(signals: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    problems: list[str] = []
    for name, value in signals.items():
        if len(problems) == _MOST_PROBLEMS:
            break
        info = catalogue.find(name)
        if info is None:
            near = suggestion(name, catalogue.names())
            problems.append(f"there is no signal {_shown(recordable(name))}{near}")
        elif value is not None and not fits(value, info.type):
            problems.append(f"{name} must be a {_NAMED[info.type]}")
    if problems:
        raise InvalidInput("\n".join(problems))
    return packed(signals)


_NAMED: Final = {
    Type.NUMBER: "number",
    Type.TEXT: "text",
    Type.BOOLEAN: "boolean",
    Type.WORDS: "list of texts",
}


class RuleSetTrial:
    """What a rule set says about one case."""

    def __init__(
        self, rule_set: RuleSet, signals: dict[str, Any], lists: Lists, at_ms: int
    ) -> None:
        self._rule_set = rule_set
        self._signals = signals
        self._lists = lists
        self._at_ms = at_ms
        self._judgement = CompiledRuleSet(rule_set, 0).judge(signals, lists, at_ms)
        matched = (*self._judgement.matched, *self._judgement.shadow)
        self._matched = {rule.id for rule in matched}

    def data(self) -> dict[str, Any]:
        """Everything, for scripts."""
        return {
            "ruleSet": self._rule_set.name,
            "status": self._judgement.status,
            "finalBy": self._judgement.final_by,
            "tags": self._judgement.tags,
            "rules": [
                {
                    **{"name": rule.name, "matches": rule.name in self._matched},
                    **{"outcome": rule.outcome, "final": rule.final, "shadow": rule.shadow},
                    "signals": {
                        name: read_signal(self._signals, name) for name in rule.condition.signals
                    },
                    "lists": [
                        {"signal": signal, "list": name, "listed": self._listed(signal, name)}
                        for signal, name in rule.condition.lists
                    ],
                }
                for rule in self._rule_set.rules
            ],
        }

    def text(self, *, every: bool) -> str:
        """The decision and a table of the rules, for people."""
        shown = [r for r in self._rule_set.rules if every or r.name in self._matched]
        by = self._judgement.final_by
        head = f"{self._judgement.status}" + (f", decided by {by}" if by else "")
        if not self._matched:
            head += ", no rule matches"
        if not shown:
            return head
        rows = [
            (
                rule.name,
                "yes" if rule.name in self._matched else "no",
                self._weight(rule),
                self._values(rule),
            )
            for rule in shown
        ]
        return f"{head}\n\n{table(('RULE', 'MATCHES', 'OUTCOME', 'LOOKED AT'), rows)}"

    @staticmethod
    def _weight(rule: Rule) -> str:
        mark = " (final)" if rule.final else " (shadow)" if rule.shadow else ""
        return f"{rule.outcome}{mark}"

    def _values(self, rule: Rule) -> str:
        told = [
            f"{name} = {_literal(read_signal(self._signals, name))}"
            for name in rule.condition.signals
        ]
        told += [
            f"{signal} {'on' if self._listed(signal, name) else 'not on'} {name}"
            for signal, name in rule.condition.lists
            if read_signal(self._signals, signal) is not None
        ]
        return ", ".join(told)

    def _listed(self, signal: str, name: str) -> bool | None:
        value = read_signal(self._signals, signal)
        return None if value is None else self._lists.has(name, value, self._at_ms)


def _literal(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124  # NaN
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list | tuple):
        return _shown("[" + ", ".join(map(str, value)) + "]")
    return _shown(f"'{value}'") if isinstance(value, str) else repr(value).removesuffix(".0")


def _shown(text: str) -> str:
    clean = recordable(text)
    return clean if len(clean) <= _LONGEST_SHOWN else f"{clean[:_LONGEST_SHOWN]}…"
