"""Reads rule sets that people write, and compares two versions. A running server does neither.

A file is accepted whole or refused whole: the flaws of all its rules are reported at once, each
with its place in the file and the rule's name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.conditions.catalogue import LIST_KINDS, Catalogue, kinds_for
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.conditions.parse import ConditionRefused, read_condition
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.reading import (
    ADDED,
    GONE,
    INPUT,
    MOST_FLAWS,
    Document,
    DocumentRefused,
    Flaw,
    changed_lines,
    convert_part,
    load_document,
)
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase, described
from gatehouse.rules.ruleset import MOST_RULES, Rule, RuleSet, RuleState

_RULE: Final = Phrase("change.rule", "{name}: {outcome}{marks} when {condition}")
_ORDER: Final = Phrase("change.order", "~ order of the rules: {names}")
_NOTHING_SAID: Final = Phrase("change.nothing", "(nothing)")
_CONDITION: Final = Phrase("change.condition", "~ {name}: condition: {before} -> {after}")
_OF_RULE_SAID: Final = Phrase("change.of_rule", "{name}: ")
_DESCRIPTION: Final = Phrase("change.of_description", "description")

_RULE_NAME: Final = Phrase(
    "document.rule_name", "1 to 64 letters, digits, - and _, beginning with a letter or digit"
)
_TAG_FORM: Final = Phrase("document.tag_form", "a tag of 1 to 64 letters, digits, - and _")
_INPUT_FORM: Final = Phrase(
    "document.input_form", "1 to 64 letters, digits and _, not beginning with a digit"
)

_OUTCOME: Final = Phrase(
    "document.outcome", "must be one of ACCEPT, REVIEW, DECLINE (DENY means DECLINE)"
)
_CAPITALS: Final = Phrase(
    "document.capitals", "differs from {other} only in capitals; give one of them another name"
)
_FINAL_SHADOW: Final = Phrase(
    "document.final_shadow",
    "a rule is final or shadow, not both: what is only watched cannot decide",
)
_SAME_NAME: Final = Phrase(
    "document.same_name", "another rule on line {line} has this name; every rule needs its own"
)
_OF_RULE: Final = Phrase("document.of_rule", "rule {name}: {message}")
_RULE_NO_LIST: Final = Phrase(
    "document.rule_no_list", "rule {rule}: there is no list {list}; make it"
)
_RULE_LIST_KIND: Final = Phrase(
    "document.rule_list_kind",
    "rule {rule}: list {list} holds {kind} and cannot be asked about {signal}; it can "
    "about {holds}",
)

LONGEST_DESCRIPTION: Final = 500
MOST_INPUTS: Final = 100
MOST_TAGS: Final = 10
_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z"
_NOTHING: Final = _NOTHING_SAID()

RuleName = Annotated[
    str,
    described(_RULE_NAME, pattern=_NAME),
]
Tag = Annotated[str, described(_TAG_FORM, pattern=_NAME)]
InputKey = Annotated[
    str,
    described(_INPUT_FORM, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z"),
]
Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]


class InputType(StrEnum):
    """The type of a custom input: what a JSON scalar can be."""

    NUMBER = Type.NUMBER.value
    TEXT = Type.TEXT.value
    BOOLEAN = Type.BOOLEAN.value


class OutcomeWord:
    """An outcome as authors write it."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    @classmethod
    def parse(cls, text: str) -> "OutcomeWord":
        """Accept the three outcomes, and DENY for DECLINE."""
        if text == "DENY":
            return cls(Outcome.DECLINE)
        if text not in tuple(Outcome):
            raise ValueError(_OUTCOME())
        return cls(Outcome(text))


class RuleSetFile(msgspec.Struct, frozen=True):
    """The keys of a rule set's file."""

    rule_set: RuleName
    rules: Annotated[list[Any], Meta(max_length=MOST_RULES)]
    description: Description = ""
    inputs: Annotated[dict[InputKey, InputType], Meta(max_length=MOST_INPUTS)] = {}


class RuleEntry(msgspec.Struct, frozen=True):
    """The keys of one rule."""

    name: RuleName
    condition: str
    outcome: OutcomeWord
    tags: Annotated[tuple[Tag, ...], Meta(max_length=MOST_TAGS)] = ()
    description: Description = ""
    final: bool = False
    shadow: bool = False
    off: bool = False


def read_rule_set(content: bytes) -> RuleSet:
    """A rule set from its file, or `DocumentRefused` with the flaws of all its rules."""
    return _RuleSetReader(load_document(content)).read()


class _RuleSetReader:
    """Reads one file, collecting what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._flaws: list[Flaw] = []

    def read(self) -> RuleSet:
        """The rule set, when nothing is wrong."""
        data = self._document.data
        file, flaws = convert_part(self._document, "", data, RuleSetFile)
        self._flaws += flaws
        inputs, _ = convert_part(
            self._document, "inputs", data.get("inputs", {}), dict[InputKey, InputType]
        )
        types = {key: Type(each) for key, each in (inputs or {}).items()}
        self._flaws += self._alike(types)
        # Without readable inputs every mention of one would be reported as unknown.
        catalogue = None if inputs is None else Catalogue(types)
        entries = data.get("rules")
        rules: list[Rule | None] = []
        if isinstance(entries, list) and len(entries) <= MOST_RULES:
            rules = [
                self._rule(entry, f"rules[{index}]", catalogue)
                for index, entry in enumerate(entries)
            ]
            self._flaws += self._repeated(entries)
        if self._flaws or file is None:
            raise DocumentRefused(self._flaws)
        return RuleSet(
            file.rule_set,
            recordable(" ".join(file.description.split())),
            types,
            tuple([rule for rule in rules if rule is not None]),
        )

    def _alike(self, keys: Iterable[str]) -> Iterator[Flaw]:
        first: dict[str, str] = {}
        for key in keys:
            other = first.setdefault(key.lower(), key)
            if other != key:
                place = self._document.key_place(f"inputs.{key}")
                message = _CAPITALS(other=other)
                yield Flaw(f"inputs.{key}", *place, message)

    def _rule(self, data: Any, path: str, catalogue: Catalogue | None) -> Rule | None:
        called = data.get("name") if isinstance(data, dict) else None
        entry, flaws = convert_part(self._document, path, data, RuleEntry)
        self._flaws += [_named(flaw, called) for flaw in flaws]
        text = data.get("condition") if isinstance(data, dict) else None
        condition = None
        # Flaws beyond the limit are not shown, so looking for more would only take time.
        worthwhile = len(self._flaws) < MOST_FLAWS
        if isinstance(text, str) and catalogue is not None and worthwhile:
            condition = self._condition(text, f"{path}.condition", called, catalogue)
        if entry is None or condition is None:
            return None
        if entry.final and entry.shadow:
            message = _FINAL_SHADOW()
            self._flaws.append(_named(self._document.flaw(f"{path}.shadow", message), called))
        return Rule(
            entry.name,
            condition,
            entry.outcome.outcome,
            tuple(dict.fromkeys(entry.tags)),
            recordable(" ".join(entry.description.split())),
            # One that is switched off keeps being final in the document alone.
            entry.final and not entry.off,
            entry.shadow or entry.off,
            entry.off,
        )

    def _condition(
        self, text: str, path: str, called: Any, catalogue: Catalogue
    ) -> Condition | None:
        try:
            return read_condition(text, catalogue)
        except ConditionRefused as refused:
            for mistake in refused.mistakes:
                flaw = self._document.flaw_inside(
                    path, mistake.line, mistake.column, mistake.message
                )
                self._flaws.append(_named(flaw, called))
            return None

    def _repeated(self, entries: list[Any]) -> Iterator[Flaw]:
        first: dict[str, int] = {}
        for index, entry in enumerate(entries):
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str):
                continue
            if name in first:
                line = self._document.place(f"rules[{first[name]}].name").line
                message = _SAME_NAME(line=line)
                yield _named(self._document.flaw(f"rules[{index}].name", message), name)
            else:
                first[name] = index


def _named(flaw: Flaw, name: Any) -> Flaw:
    """The flaw with the name of its rule, if it has a fitting one."""
    if not isinstance(name, str) or re.fullmatch(_NAME, name) is None:
        return flaw
    message = _OF_RULE(name=recordable(name), message=flaw.message)
    return msgspec.structs.replace(flaw, message=message)


def list_problems(rule_set: RuleSet, kinds: Mapping[str, str]) -> list[str]:
    """What is wrong with the lists that rules name, given the existing lists and their kinds."""
    problems: list[str] = []
    for rule in rule_set.rules:
        for signal, name in rule.condition.lists:
            fitting = kinds_for(signal)
            kind = kinds.get(name)
            if kind is None:
                new = next(iter(fitting), "KIND")
                problems.append(_RULE_NO_LIST(rule=rule.name, list=name, kind=new))
            elif kind not in fitting:
                holds = ", ".join(LIST_KINDS.get(kind, ()))
                problems.append(
                    _RULE_LIST_KIND(
                        rule=rule.name, list=name, kind=kind, signal=signal, holds=holds
                    )
                )
    return list(dict.fromkeys(problems))


def differences(old: RuleSet | None, new: RuleSet) -> list[str]:
    """What changes from one version to the next, one line each: + added, - removed, ~ changed."""
    if old is None:
        return [ADDED(what=_summary(rule)) for rule in new.rules]
    lines: list[str] = [*_head_differences(old, new)]
    before = {rule.name: rule for rule in old.rules}
    after = {rule.name: rule for rule in new.rules}
    lines += [GONE(what=_summary(rule)) for rule in old.rules if rule.name not in after]
    for rule in new.rules:
        earlier = before.get(rule.name)
        if earlier is None:
            lines.append(ADDED(what=_summary(rule)))
        else:
            lines += _rule_differences(earlier, rule)
    kept_before = [name for name in before if name in after]
    kept_after = [name for name in after if name in before]
    if kept_before != kept_after:
        lines.append(_ORDER(names=", ".join(kept_after)))
    return lines


def _head_differences(old: RuleSet, new: RuleSet) -> Iterator[str]:
    texts = ({"": each.description or _NOTHING} for each in (old, new))
    yield from changed_lines(_DESCRIPTION(), *texts)
    inputs = changed_lines(INPUT(), old.inputs, new.inputs)
    yield from sorted(inputs, key=lambda line: line[2:].partition(":")[0])


def rule_differences(old: Rule | None, new: Rule | None) -> list[str]:
    """What changed about one rule, which may be new or gone."""
    if old is not None and new is not None:
        return list(_rule_differences(old, new))
    added: list[str] = [] if new is None else [ADDED(what=_summary(new))]
    return added if old is None else [*added, GONE(what=_summary(old))]


def _rule_differences(old: Rule, new: Rule) -> Iterator[str]:
    was, is_ = _shown(old), _shown(new)
    # Lines may have been broken inside a quoted text, so the trees are compared, too.
    if was["condition"] == is_["condition"] and old.condition.root != new.condition.root:
        yield _CONDITION(name=new.name, before=was["condition"], after=is_["condition"])
    yield from changed_lines(_OF_RULE_SAID(name=new.name), was, is_)


def _shown(rule: Rule) -> dict[str, str]:
    """What a rule says, in words."""
    return {
        "condition": " ".join(rule.condition.text.split()),
        "outcome": rule.outcome.value,
        "tags": ", ".join(rule.tags) or _NOTHING,
        "final": str(rule.final).lower(),
        "shadow": str(rule.shadow and not rule.off).lower(),
        "off": str(rule.off).lower(),
        "description": rule.description or _NOTHING,
    }


def _summary(rule: Rule) -> str:
    said = {"final": rule.final, rule.state.value: rule.state is not RuleState.LIVE}
    marks = "".join(f" {mark}" for mark, holds in said.items() if holds)
    condition = " ".join(rule.condition.text.split())
    return _RULE(name=rule.name, outcome=rule.outcome, marks=marks, condition=condition)
