"""Tries a rule set on one case: which rules match, and the values that they looked at."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.admin.rule_sets.types import ListAnswer, TrialResponse, TriedRule
from gatehouse.admin.rule_sets.use_cases.rule_sets import lists_of
from gatehouse.conditions.catalogue import CUSTOM, Catalogue, packed, read_signal
from gatehouse.conditions.compile_python import Lists
from gatehouse.conditions.nodes import Type
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.reading import suggestion
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase, lines, said_by
from gatehouse.decisions.record import RECORD_NONE, UnreadableRecord, encode
from gatehouse.decisions.signal_layout import fits
from gatehouse.decisions.signal_rows import row_of
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.decisions import decisions

_NO_SIGNAL: Final = Phrase("refused.case_no_signal", "there is no signal {name}{near}")
_WRONG_TYPE: Final = Phrase("refused.case_type", "{name} must be a {kind}")

_CASE_JSON: Final = Phrase("refused.case_json", "the case is not JSON; it should look like {shape}")
_CASE_SIGNALS: Final = Phrase(
    "refused.case_signals", "the case has no signals; it should look like {shape}"
)
_NO_REQUEST: Final = Phrase(
    "refused.no_request", "account {account_id} has no request {request_id}"
)
NO_SIGNALS: Final = Phrase(
    "refused.no_signals", "only requests for a pipeline or for rules keep their signals"
)

LARGEST_CASE_BYTES: Final = 1024 * 1024
LONGEST_SHOWN: Final = 60
_MOST_PROBLEMS: Final = 100
_MOMENT: Final[Any] = Annotated[datetime, Meta(tz=True)] | None
_SHAPE: Final = '{"signals": {"order.amount": 59.9, "ip.country": "GB"}}'
_TYPE_NAMES: Final = {
    Type.NUMBER: "number",
    Type.TEXT: "text",
    Type.BOOLEAN: "boolean",
    Type.WORDS: "list of texts",
}


class TrialCase(NamedTuple):
    """What rules are tried on."""

    signals: dict[str, Any]
    at_ms: int | None
    """When it happened; None for now."""


def read_case(content: bytes, rule_set: RuleSet) -> TrialCase:
    """The signals of a case that an author wrote, or of a decision as the API returns it."""
    try:
        case = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise InvalidInput(_CASE_JSON(shape=_SHAPE)) from None
    if isinstance(case, dict) and isinstance(case.get("decisionResponse"), dict):
        case = case["decisionResponse"]
    if not isinstance(case, dict) or not isinstance(case.get("signals"), dict):
        raise InvalidInput(_CASE_SIGNALS(shape=_SHAPE))
    if isinstance(case.get("stages"), list):
        return _of_record(msgspec.json.encode(case), case.get("at"), rule_set)
    return TrialCase(_checked(case["signals"], Catalogue(rule_set.inputs)), None)


def recorded_case(
    session: AdminSession, account_id: str, request_id: str, rule_set: RuleSet
) -> TrialCase:
    """The signals of a recorded request, as the rule set of this name saw them."""
    session.actor.check_reads(account_id)
    with session.account_reading(account_id) as connection:
        record = decisions.get(connection, account_id, request_id, session.fingerprints)
    if record is None:
        raise NotFound(_NO_REQUEST(account_id=account_id, request_id=recordable(request_id)))
    if record.signals is None:
        raise InvalidInput(NO_SIGNALS())
    return _of_record(encode(record), record.at, rule_set)


def try_rules(rule_set: RuleSet, case: TrialCase) -> TrialResponse:
    """Try a rule set that looks at no lists; it needs no account."""
    return _judge(rule_set, case.signals, AccountLists({}), 0)


def try_rules_with_lists(
    session: AdminSession, account_id: str, rule_set: RuleSet, case: TrialCase
) -> TrialResponse:
    """Try a rule set with the account's lists as they were when the case happened."""
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        names = lists_of(rule_set)
        history = list_reading.history_of(connection, account_id, names, session.signer)
    at_ms = session.clock() if case.at_ms is None else case.at_ms
    return _judge(rule_set, case.signals, history, at_ms)


def _judge(rule_set: RuleSet, signals: dict[str, Any], lists: Lists, at_ms: int) -> TrialResponse:
    judgement = CompiledRuleSet(rule_set, 0).judge(signals, lists, at_ms)
    matched = {rule.id for rule in (*judgement.matched, *judgement.shadow)}

    def look_up(signal: str, name: str) -> ListAnswer:
        value = read_signal(signals, signal)
        return ListAnswer(signal, name, None if value is None else lists.has(name, value, at_ms))

    rules = [
        TriedRule(
            rule.name,
            rule.name in matched,
            rule.outcome,
            rule.final,
            rule.shadow,
            {name: read_signal(signals, name) for name in rule.condition.signals},
            [look_up(signal, name) for signal, name in rule.condition.lists],
        )
        for rule in rule_set.rules
    ]
    return TrialResponse(
        rule_set.name, judgement.status, judgement.final_by, list(judgement.tags), rules
    )


def _of_record(text: str | bytes, came_at: Any, rule_set: RuleSet) -> TrialCase:
    try:
        row = row_of(text, rule_set.name)
        at = msgspec.convert(came_at, _MOMENT)
    except UnreadableRecord as error:
        raise InvalidInput(said_by(error)) from None
    except msgspec.ValidationError as error:
        raise InvalidInput(RECORD_NONE(why=said_by(error))) from None
    # Callers may send anything as a custom input; for a rule all but the declared type is NULL.
    inputs = {f"{CUSTOM}{key}": kind for key, kind in rule_set.inputs.items()}
    seen = {
        name: value
        for name, value in row.items()
        if not name.startswith(CUSTOM) or (name in inputs and fits(value, inputs[name]))
    }
    return TrialCase(packed(seen), None if at is None else round(at.timestamp() * 1000))


def _checked(signals: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    problems: list[str] = []
    for name, value in signals.items():
        if len(problems) == _MOST_PROBLEMS:
            break
        info = catalogue.find(name)
        if info is None:
            near = suggestion(name, catalogue.names())
            problems.append(_NO_SIGNAL(name=shortened(name), near=near))
        elif value is not None and not fits(value, info.type):
            problems.append(_WRONG_TYPE(name=name, kind=_TYPE_NAMES[info.type]))
    if problems:
        raise InvalidInput(lines(problems))
    return packed(signals)


def shortened(text: str) -> str:
    """A text for people: without card numbers, and not too long."""
    clean = recordable(text)
    return clean if len(clean) <= LONGEST_SHOWN else f"{clean[:LONGEST_SHOWN]}…"
