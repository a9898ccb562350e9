"""Reads the conditions of stages: each must be valid, and use only signals known at its place."""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Final

from gatehouse.conditions.catalogue import Catalogue, kinds_for
from gatehouse.conditions.nodes import Condition
from gatehouse.conditions.parse import ConditionRefused, read_condition
from gatehouse.core.documents.reading import Document, Flaw, nearest
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase, any_of
from gatehouse.pipeline.file_types import NEVER, quoted
from gatehouse.pipeline.waiting import Waiting

_FEW_MORE: Final = Phrase("document.few_more", "{names} and {count} more")

_COMES_LATER: Final = Phrase("document.comes_later", "which comes later, as stage {number}")
_NOT_THERE: Final = Phrase("document.not_there", "which this pipeline does not have")
_NOT_KNOWN: Final = Phrase(
    "document.not_known", "{signal} is not known before {stage} has run, {later}"
)
_NO_RESULT: Final = Phrase(
    "document.no_result",
    "{missing} of {rules} rules speak of stages that have no result for them "
    "({absent}), so that it is NULL: {names}",
)
_JUDGED_AFTER: Final = Phrase(
    "document.judged_after",
    "{late} of {rules} rules speak of {payment} and are judged after it, when a "
    "DECLINE reverses the payment: {names}",
)
_USE_STOP_WHEN: Final = Phrase(
    "document.use_stop_when", "{signal} is not known before {stage} has run; use stop_when"
)
MEANT: Final = Phrase("document.meant", "did you mean {guess}?")
_MAKE_FIRST: Final = Phrase("document.make_first", "make it first")
_NO_LIST: Final = Phrase("document.no_list", "this account has no list {name}; {hint}")
_LIST_KIND: Final = Phrase(
    "document.list_kind",
    "{signal} cannot be looked up on list {name}, which holds {kind}; it needs a list of {kinds}",
)

_MOST_NAMED: Final = 5


def left_by(signal: str) -> str | None:
    """The stage that leaves a signal; None for what is known from the start."""
    spec = REGISTRY.leaving(signal)
    return None if spec is None else spec.name


def never_known(signal: str, stages: Sequence[str], place: int) -> str | None:
    """Why a signal cannot be known to a condition before which the first `place` stages ran."""
    stage = left_by(signal)
    if stage is None or stage in stages[:place]:
        return None
    later = _COMES_LATER(number=stages.index(stage, place) + 1) if stage in stages else _NOT_THERE()
    return _NOT_KNOWN(signal=signal, stage=stage, later=later)


def rules_without_results(
    stages: Sequence[str], place: int, rules: Sequence[tuple[str, Sequence[str]]]
) -> str | None:
    """One line about the rules of a rule set for which a stage they speak of has no result.

    `rules` are names with the signals that each speaks of. This is no mistake: one rule set may
    serve in several pipelines, and what is not known is NULL.
    """
    # Rules see what Rules stages before their own decided, and wait for all other stages.
    others = {stage for stage in stages if not REGISTRY[stage].runs_rule_set}
    known = {*stages[:place], *others, None}
    missing = {
        name: unknown
        for name, signals in rules
        if (unknown := {left_by(signal) for signal in signals} - known)
    }
    if not missing:
        return None
    absent = ", ".join(sorted({stage for each in missing.values() for stage in each if stage}))
    return _NO_RESULT(
        missing=len(missing), rules=len(rules), absent=absent, names=_few(list(missing))
    )


def rules_after_payment(
    stages: Sequence[str], place: int, rules: Sequence[tuple[str, Sequence[str]]]
) -> str | None:
    """One line about the rules that can only be judged when the payment was made."""
    waiting = Waiting(stages)
    late = [
        name
        for name, signals in rules
        if place < waiting.payment <= waiting.judged_after(place, signals)
    ]
    if not late:
        return None
    payment = stages[waiting.payment]
    return _JUDGED_AFTER(late=len(late), rules=len(rules), payment=payment, names=_few(late))


def _few(names: Sequence[str]) -> str:
    some = ", ".join(names[:_MOST_NAMED])
    if len(names) <= _MOST_NAMED:
        return some
    return _FEW_MORE(names=some, count=len(names) - _MOST_NAMED)


class StageConditions:
    """Reads conditions of one pipeline and collects their flaws."""

    def __init__(
        self,
        document: Document,
        catalogue: Catalogue,
        doubtful: Set[str],
        lists: Mapping[str, str] | None,
    ) -> None:
        self.flaws: list[Flaw] = []
        self._document = document
        self._catalogue = catalogue
        self._doubtful = doubtful
        self._lists = lists

    def read(
        self, path: str, text: str, stages: Sequence[str | None], place: int
    ) -> Condition | None:
        """A condition of a pipeline of these stages, at a place before which `place` of them ran.

        A stage is None when its name cannot be made out.
        """
        # An input whose declaration is wrong would be reported again as unknown.
        if text.strip().lower() == NEVER or any(name in text for name in self._doubtful):
            return None
        try:
            condition = read_condition(text, self._catalogue)
        except ConditionRefused as refused:
            for mistake in refused.mistakes:
                self._flaw(path, (mistake.line, mistake.column), mistake.message)
            return None
        self._check_known(path, condition, stages, place)
        self._check_lists(path, condition)
        return condition

    def _check_known(
        self, path: str, condition: Condition, stages: Sequence[str | None], place: int
    ) -> None:
        names = [name for name in stages if name is not None]
        if len(names) < len(stages):
            return  # A stage that cannot be made out may be the one that is missing.
        for signal in condition.signals:
            why = never_known(signal, names, place)
            if why is None:
                continue
            if path.endswith("skip_when") and left_by(signal) == names[place]:
                why = _USE_STOP_WHEN(signal=signal, stage=names[place])
            self._flaw(path, _position(condition.text, signal), why)

    def _check_lists(self, path: str, condition: Condition) -> None:
        if self._lists is None:
            return
        for signal, name in condition.lists:
            where = _position(condition.text, f"'{name}'")
            kinds = kinds_for(signal)
            if name not in self._lists:
                guess = nearest(name, self._lists)
                hint = MEANT(guess=guess) if guess else _MAKE_FIRST()
                self._flaw(path, where, _NO_LIST(name=quoted(name), hint=hint))
            elif self._lists[name] not in kinds:
                message = _LIST_KIND(
                    signal=signal,
                    name=quoted(name),
                    kind=self._lists[name],
                    kinds=any_of(kinds),
                )
                self._flaw(path, where, message)

    def _flaw(self, path: str, position: tuple[int, int], message: str) -> None:
        self.flaws.append(self._document.flaw_inside(path, *position, message))


def _position(text: str, word: str) -> tuple[int, int]:
    """Line and column of a word in a condition; its beginning when it is written another way."""
    found = re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", text, re.IGNORECASE)
    before = text[: found.start()] if found else ""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
