"""Reads a pipeline out of the file that its author wrote, or says everything that is wrong in it.

A running server never comes here: it runs what was checked when it was applied.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, Catalogue, kinds_for
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.conditions.parse import ConditionRefused, read_condition
from gatehouse.core.documents import Document, DocumentRefused, Flaw, load_document
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.outcomes import OnFailure
from gatehouse.core.redaction import recordable
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.core.yaml_files import join_path, shown_key
from gatehouse.pipeline.availability import left_by, never_known
from gatehouse.pipeline.definition import PipelineDefinition, StageDefinition

MOST_STAGES: Final = 20
MOST_INPUTS: Final = 100
LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 500
NEVER: Final = "never"

_KEYS: Final = ("pipeline", "name", "description", "inputs", "decided_by", "stages")
_STAGE_KEYS: Final = ("stage", "rule_set", "fee", "stop_when", "skip_when", "on_failure")
_TYPES: Final = (Type.NUMBER, Type.TEXT, Type.BOOLEAN)
_INPUT_NAME: Final = (
    "cannot name an input: use up to 64 letters, digits and underscores, not a digit first"
)
_NUMBER = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_RULE_SET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


class Surroundings(msgspec.Struct, frozen=True):
    """What an account has that its pipelines can speak of."""

    rule_sets: Mapping[str, Mapping[str, Type]]
    """By name: the custom inputs that each rule set declares."""
    lists: Mapping[str, str]
    """By name: the kind of each list."""


def read_pipeline(content: bytes, surroundings: Surroundings | None = None) -> PipelineDefinition:
    """The pipeline that a file describes.

    Raises `DocumentRefused` with all that is wrong. Whether rule sets and lists exist is looked at
    only with the surroundings of an account.
    """
    document = load_document(content)
    reader = _PipelineReader(document, surroundings)
    definition = reader.read(document.data)
    if reader.flaws or definition is None:
        raise DocumentRefused(reader.flaws)
    return definition


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one was most likely meant to be."""
    plain = {_letters(each): each for each in known}
    close = difflib.get_close_matches(_letters(word[:80]), plain, n=1)
    return plain[close[0]] if close else None


def _is_input(key: str) -> bool:
    try:
        Catalogue({key: Type.TEXT})
    except InvalidInput:
        return False
    return True


def _an_example() -> str:
    """A stage that needs no options."""
    return next(spec.name for spec in REGISTRY.in_pipelines if not spec.runs_rule_set)


def _letters(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())


def _must_be_one_of(word: str, known: Sequence[str], what: str) -> str:
    guess = nearest(word, known)
    hint = f"did you mean {guess}?" if guess else f"there are {', '.join(known)}"
    return f"no {what} {_quoted(word)}; {hint}"


def _quoted(text: str) -> str:
    """What an author wrote, short and without anything that a terminal or a log must not see."""
    plain = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    shown = recordable("".join(plain))
    return f"'{shown[:40]}...'" if len(shown) > 40 else f"'{shown}'"


class _PipelineReader:
    """One pass over a document that notes every flaw and goes on."""

    def __init__(self, document: Document, surroundings: Surroundings | None) -> None:
        self.flaws: list[Flaw] = []
        self._document = document
        self._surroundings = surroundings
        self._catalogue = Catalogue()
        self._doubtful: set[str] = set()
        """Custom signals whose declaration is wrong: conditions over them are not looked at."""
        self._declared: dict[str, tuple[Type, str]] = {}
        """Custom inputs by key: the type of each, and where it was declared first."""
        self._names: list[str | None] = []
        """The stages in order as far as they can be made out, with misspelt ones put right."""

    def read(self, data: Any) -> PipelineDefinition | None:
        """The pipeline, or None and flaws."""
        self._refuse_unknown(data, _KEYS, "")
        number = self._number(data)
        name = self._text(data, "", "name", LONGEST_NAME)
        if "name" not in data:
            self._flaw("name", "is required: give the pipeline a name for people")
        description = self._text(data, "", "description", LONGEST_DESCRIPTION) or ""
        inputs = self._inputs(data)
        stages = self._stages(data)
        decided_by = self._decided_by(data)
        if self.flaws or number is None or name is None:
            return None
        return PipelineDefinition(number, name, description, inputs, tuple(stages), decided_by)

    def _flaw(self, path: str, message: str) -> None:
        self.flaws.append(self._document.flaw(path, message))

    def _flaw_of_key(self, path: str, key: str, message: str) -> None:
        place = self._document.key_place(join_path(path, key))
        self.flaws.append(Flaw(join_path(path, shown_key(key)), *place, message))

    def _refuse_unknown(self, data: Mapping[str, Any], known: Sequence[str], path: str) -> None:
        for key in data:
            if key not in known:
                self._flaw_of_key(path, key, _must_be_one_of(key, known, "key"))

    def _text(self, data: Mapping[str, Any], path: str, key: str, longest: int) -> str | None:
        """A text that is there and fit to be shown; None when it is not there or is a flaw."""
        if key not in data:
            return None
        where = join_path(path, key)
        if not isinstance(data[key], str):
            self._flaw(where, "must be a text")
            return None
        value = " ".join(data[key].split())
        if not value:
            self._flaw(where, "is empty: write something, or leave the line out")
        elif len(value) > longest:
            self._flaw(where, f"is too long: use {longest} characters at most")
        elif recordable(value) != value:
            self._flaw(where, "must hold no card number and no control characters")
        else:
            return value
        return None

    def _number(self, data: Mapping[str, Any]) -> int | None:
        value = data.get("pipeline")
        if value is None and "pipeline" not in data:
            self._flaw("pipeline", "is required: give the number by which callers name it")
        elif not isinstance(value, str) or _NUMBER.fullmatch(value) is None:
            self._flaw("pipeline", "must be a number from 1 to 999999")
        else:
            return int(value)
        return None

    def _inputs(self, data: Mapping[str, Any]) -> dict[str, Type]:
        given = data.get("inputs", {})
        if not isinstance(given, dict):
            self._flaw("inputs", "must be names with types, such as loyalty_level: text")
            return {}
        if len(given) > MOST_INPUTS:
            self._flaw("inputs", f"has {len(given)} entries: declare {MOST_INPUTS} at most")
            return {}
        inputs: dict[str, Type] = {}
        for key, value in given.items():
            if not _is_input(key):
                self._flaw_of_key("inputs", key, _INPUT_NAME)
            elif not isinstance(value, str) or value not in _TYPES:
                shown = value if isinstance(value, str) else ""
                self._flaw_of_key("inputs", key, _must_be_one_of(shown, _TYPES, "type"))
            else:
                inputs[key] = Type(value)
                continue
            self._doubtful.add(CUSTOM + key)
        self._catalogue = Catalogue(inputs)
        self._declared = {key: (kind, "this file") for key, kind in inputs.items()}
        return inputs

    def _stages(self, data: Mapping[str, Any]) -> list[StageDefinition]:
        given = data.get("stages")
        if "stages" not in data:
            self._flaw("stages", "is required: list what the pipeline runs, in order")
            return []
        if not isinstance(given, list) or not given:
            self._flaw("stages", f"must be a list of stages, such as - stage: {_an_example()}")
            return []
        if len(given) > MOST_STAGES:
            self._flaw("stages", f"has {len(given)} stages: use {MOST_STAGES} at most")
            return []
        self._names = [self._stage_name(stage, index) for index, stage in enumerate(given)]
        self._check_order()
        found = []
        for index, (stage, name) in enumerate(zip(given, self._names, strict=True)):
            if name is not None:
                found.append(self._stage(stage, index, name))
        return found

    def _stage_name(self, stage: Any, index: int) -> str | None:
        path = f"stages[{index}]"
        if not isinstance(stage, dict):
            guess = stage if isinstance(stage, str) and stage in REGISTRY else _an_example()
            self._flaw(path, f"must be a stage with its options, such as - stage: {guess}")
            return None
        self._refuse_unknown(stage, _STAGE_KEYS, path)
        if "stage" not in stage:
            self._flaw(f"{path}.stage", f"is required: name one of {', '.join(REGISTRY.names)}")
            return None
        name = self._text(stage, path, "stage", LONGEST_NAME)
        if name is None or name in REGISTRY:
            return name
        self._flaw(f"{path}.stage", _must_be_one_of(name, REGISTRY.names, "stage"))
        return nearest(name, REGISTRY.names)

    def _check_order(self) -> None:
        names = self._names
        again = " or ".join(spec.name for spec in REGISTRY.in_pipelines if spec.runs_rule_set)
        paid_by: str | None = None
        for index, name in enumerate(names):
            if name is None or REGISTRY[name].runs_rule_set:
                continue
            path = f"stages[{index}].stage"
            if name in names[:index]:
                first = names.index(name) + 1
                self._flaw(path, f"{name} is stage {first} already: only {again} can run twice")
            elif paid_by is not None:
                self._flaw(
                    path,
                    f"{name} would run after {paid_by}, when the payment was made already: move it "
                    f"before {paid_by}, after which only {again} can come",
                )
            if REGISTRY[name].pays:
                paid_by = paid_by or name

    def _stage(self, stage: dict[str, Any], index: int, name: str) -> StageDefinition:
        path = f"stages[{index}]"
        rule_set = self._rule_set(stage, path, name)
        fee = self._fee(stage, path)
        skip_when = self._condition(stage, f"{path}.skip_when", index)
        stop_when = self._condition(stage, f"{path}.stop_when", index + 1)
        spec = REGISTRY[name]
        if "stop_when" not in stage and spec.stop_when is not None:
            stop_when = read_condition(spec.stop_when, self._catalogue)
        on_failure = spec.on_failure
        if "on_failure" in stage:
            word = self._text(stage, path, "on_failure", LONGEST_NAME)
            if word in tuple(OnFailure):
                on_failure = OnFailure(word)
                if spec.pays and on_failure is not OnFailure.STOP:
                    self._flaw(
                        f"{path}.on_failure",
                        "a payment that could not be made is reversed, so it ends the pipeline: "
                        "leave on_failure out",
                    )
            elif word is not None:
                message = _must_be_one_of(word, tuple(OnFailure), "way to fail")
                self._flaw(f"{path}.on_failure", message)
        return StageDefinition(name, rule_set, fee, stop_when, skip_when, on_failure)

    def _rule_set(self, stage: dict[str, Any], path: str, name: str) -> str | None:
        where = f"{path}.rule_set"
        runs_rule_set = REGISTRY[name].runs_rule_set
        if "rule_set" not in stage:
            if runs_rule_set:
                self._flaw(where, f"is required: name the rule set that this {name} stage runs")
            return None
        if not runs_rule_set:
            self._flaw(where, f"{name} runs no rules: leave rule_set out")
            return None
        rule_set = self._text(stage, path, "rule_set", LONGEST_NAME)
        if rule_set is None:
            return None
        if _RULE_SET.fullmatch(rule_set) is None:
            self._flaw(where, f"{_quoted(rule_set)} cannot be the name of a rule set")
        elif self._surroundings is not None:
            self._check_rule_set(where, rule_set)
        return rule_set

    def _check_rule_set(self, path: str, name: str) -> None:
        assert self._surroundings is not None
        rule_sets = self._surroundings.rule_sets
        if name not in rule_sets:
            guess = nearest(name, rule_sets)
            hint = f"did you mean {guess}?" if guess else "apply it first: gatehouse rules apply"
            self._flaw(path, f"this account has no rule set {_quoted(name)}; {hint}")
            return
        for key, kind in rule_sets[name].items():
            declared, where = self._declared.setdefault(key, (kind, f"rule set {name}"))
            if declared is not kind:
                self._flaw(
                    path,
                    f"{CUSTOM}{key} is {kind} in rule set {name}, but {declared} in {where}: "
                    "declare it alike",
                )

    def _fee(self, stage: dict[str, Any], path: str) -> int | None:
        text = self._text(stage, path, "fee", LONGEST_NAME)
        if text is None:
            return None
        try:
            micros = parse_amount(text)
        except ValueError as error:
            self._flaw(f"{path}.fee", str(error))
            return None
        if micros < 0:
            self._flaw(f"{path}.fee", "a fee cannot be negative")
        return micros

    def _condition(self, stage: dict[str, Any], path: str, place: int) -> Condition | None:
        """A condition at a place before which that many stages ran."""
        key = path.rpartition(".")[2]
        if key not in stage:
            return None
        text = stage[key]
        if not isinstance(text, str) or not text.strip():
            self._flaw(path, f"must be a condition, or {NEVER}")
            return None
        if text.strip().lower() == NEVER or any(name in text for name in self._doubtful):
            return None
        try:
            condition = read_condition(text, self._catalogue)
        except ConditionRefused as refused:
            for mistake in refused.mistakes:
                self._flaw_inside(path, (mistake.line, mistake.column), mistake.message)
            return None
        self._check_known(path, condition, place)
        self._check_lists(path, condition)
        return condition

    def _check_known(self, path: str, condition: Condition, place: int) -> None:
        names = [name for name in self._names if name is not None]
        if len(names) < len(self._names):
            return  # A stage that cannot be made out may be the one that is missing.
        for signal in condition.signals:
            why = never_known(signal, names, place)
            if why is None:
                continue
            if path.endswith("skip_when") and left_by(signal) == names[place]:
                why = f"{signal} is not known before {names[place]} has run; use stop_when"
            self._flaw_inside(path, _position(condition.text, signal), why)

    def _check_lists(self, path: str, condition: Condition) -> None:
        if self._surroundings is None:
            return
        lists = self._surroundings.lists
        for signal, name in condition.lists:
            kinds = kinds_for(signal)
            where = _position(condition.text, f"'{name}'")
            if name not in lists:
                guess = nearest(name, lists)
                hint = (
                    f"did you mean {guess}?" if guess else "make it first: gatehouse lists create"
                )
                self._flaw_inside(path, where, f"this account has no list {_quoted(name)}; {hint}")
            elif lists[name] not in kinds:
                self._flaw_inside(
                    path,
                    where,
                    f"{signal} cannot be looked up on list {_quoted(name)}, which holds "
                    f"{lists[name]}; it needs a list of {' or '.join(kinds)}",
                )

    def _flaw_inside(self, path: str, position: tuple[int, int], message: str) -> None:
        self.flaws.append(self._document.flaw_inside(path, *position, message))

    def _decided_by(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        if "decided_by" not in data:
            return ()
        given = data["decided_by"]
        if not isinstance(given, list) or not given:
            some = ", ".join(REGISTRY.deciding[:2])
            self._flaw("decided_by", f"must be a list of stages, such as [{some}]")
            return ()
        for index, name in enumerate(given):
            path = f"decided_by[{index}]"
            if not isinstance(name, str) or name not in REGISTRY:
                shown = name if isinstance(name, str) else ""
                self._flaw(path, _must_be_one_of(shown, REGISTRY.deciding, "deciding stage"))
            elif not REGISTRY[name].decides:
                self._flaw(path, f"{name} has no verdict: let a Rules stage after it decide")
            elif name in given[:index]:
                self._flaw(path, f"{name} is named twice")
            elif name not in self._names and None not in self._names:
                self._flaw(path, f"this pipeline has no {name} stage that could decide")
        for name in self._names:
            if name is not None and REGISTRY[name].pays and name not in given:
                self._flaw("decided_by", f"must name {name}: a payment that was refused decides")
        return tuple(name for name in given if isinstance(name, str))


def _position(text: str, word: str) -> tuple[int, int]:
    """Line and column of a word in a condition; its beginning when it is written another way."""
    found = re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", text, re.IGNORECASE)
    before = text[: found.start()] if found else ""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
