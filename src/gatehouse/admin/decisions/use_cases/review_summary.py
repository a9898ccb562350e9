"""What a reviewer has to know of a decision, read out of its record."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.decisions.use_cases.request_subject import RequestSubject, subject_of
from gatehouse.core.api_values import doc
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.precheck.response import Advice
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.rules.spec import RULES as RULES_STAGE
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.configured.configurations import RULES, ConfigurationKey, find

_RULE_MATCHED: Final = Phrase("review.rule_matched", "The rule {rule} matched.")
_SENTRY_FOUND: Final = Phrase("review.sentry_found", "Sentry found {code}.")
_PRECHECK_ADVISES: Final = Phrase("review.precheck_advises", "PreCheck advises {advice}: {codes}.")

Descriptions = Mapping[tuple[str, int], Mapping[str, str]]
"""The descriptions of rules by name, of each rule set by name and version."""


class ReviewReason(msgspec.Struct, frozen=True):
    """One thing that spoke against the request."""

    stage: Annotated[str, doc("The stage that found it.")]
    code: Annotated[str, doc("Name of the rule, or code of the reason.")]
    sentence: Annotated[str, doc("What it means.")]


class ReviewSummary(RequestSubject, frozen=True):
    """Who ordered what, with which card, from where, and what spoke against it."""

    rules: Annotated[list[str], doc("Names of the rules that matched.")]
    tags: Annotated[list[str], doc("Tags of those rules, and codes that lowered Sentry's score.")]
    reasons: Annotated[list[ReviewReason], doc("Why, one sentence for each.")]


class _RuleWords(msgspec.Struct, frozen=True, gc=False):
    name: str
    description: str = ""


class _RuleSetWords(msgspec.Struct, frozen=True):
    rules: tuple[_RuleWords, ...] = ()


_decode_words: Final = msgspec.json.Decoder(_RuleSetWords).decode


def rule_descriptions(
    connection: sa.Connection, account_id: str, records: Iterable[DecisionRecord | None]
) -> Descriptions:
    """The descriptions of rules as they were when these requests were decided."""
    used = {
        (stage.result["ruleSet"], stage.result["version"])
        for record in records
        if record is not None
        for stage in record.stages
        if stage.result.get("matched") and {"ruleSet", "version"} <= stage.result.keys()
    }
    found: dict[tuple[str, int], Mapping[str, str]] = {}
    for name, version in used:
        stored = find(connection, ConfigurationKey(account_id, RULES, name), version)
        if stored is not None:
            words = _decode_words(stored.program).rules
            found[name, version] = {rule.name: rule.description for rule in words}
    return found


def summarise(record: DecisionRecord, descriptions: Descriptions) -> ReviewSummary:
    """The summary of one record."""
    about = subject_of(record)
    reasons = [reason for stage in record.stages for reason in _reasons(stage, descriptions)]
    matched = [name for stage in record.stages for name in stage.result.get("matched", ())]
    return ReviewSummary(
        customer=about.customer,
        order=about.order,
        card=about.card,
        origin=about.origin,
        rules=list(dict.fromkeys(matched)),
        tags=list(dict.fromkeys(tag for stage in record.stages for tag in _tags(stage))),
        reasons=reasons,
    )


def _reasons(stage: RecordedStage, descriptions: Descriptions) -> Iterator[ReviewReason]:
    result = stage.result
    if stage.name == RULES_STAGE.name:
        words = descriptions.get((result.get("ruleSet", ""), result.get("version", 0)), {})
        for rule in result.get("matched", ()):
            yield ReviewReason(stage.name, rule, words.get(rule) or _RULE_MATCHED(rule=rule))
    elif stage.name == SENTRY.name:
        # All features: commands that show no review need not load them.
        from gatehouse.sentry.explaining import said_reason

        measured = result.get("signals", {})
        for code, effect in result.get("reasons", {}).items():
            if effect < 0:
                said = said_reason(code, effect, measured.get(code, 0.0))
                yield ReviewReason(stage.name, code, said or _SENTRY_FOUND(code=code))
    elif stage.name == PRE_CHECK.name and result.get("advice") not in (None, Advice.ACCEPT):
        advice, codes = result["advice"], ", ".join(result.get("reasons", ()))
        yield ReviewReason(stage.name, advice, _PRECHECK_ADVISES(advice=advice, codes=codes))


def _tags(stage: RecordedStage) -> Iterator[str]:
    yield from stage.result.get("tags", ())
    if stage.name == SENTRY.name:
        yield from (code for code, effect in stage.result.get("reasons", {}).items() if effect < 0)
