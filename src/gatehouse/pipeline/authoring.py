"""Reads a pipeline out of the file that its author wrote, or says everything that is wrong in it.

A running server never imports this: it runs what was checked when it was applied.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, Catalogue
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.core.documents.reading import Document, DocumentRefused, Flaw, load_document, nearest
from gatehouse.core.reading.validation import join_path
from gatehouse.core.stages.outcomes import OnFailure
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase, any_of, said_by
from gatehouse.pipeline.definition import (
    CaptureWhen,
    OnDeclinedReview,
    Pay,
    PipelineDefinition,
    StageDefinition,
)
from gatehouse.pipeline.file_types import (
    capture_time,
    condition_text,
    declined_review_action,
    description_text,
    failure_action,
    input_problem,
    must_be_one_of,
    pay_choice,
    pipeline_number,
    plain_text,
    quoted,
    rule_set_name,
    stage_fee,
)
from gatehouse.pipeline.stage_conditions import MEANT, StageConditions

_WHAT_KEY: Final = Phrase("document.what_key", "key")
_WHAT_STAGE: Final = Phrase("document.what_stage", "stage")
_WHAT_DECIDING: Final = Phrase("document.what_deciding", "deciding stage")

_GIVE_NUMBER: Final = Phrase("document.give_number", "give the number by which callers name it")
_GIVE_NAME: Final = Phrase("document.give_name", "give the pipeline a name for people")
_GIVE_STAGES: Final = Phrase("document.give_stages", "list what the pipeline runs, in order")
_REQUIRED_WHY: Final = Phrase("document.required_why", "is required: {why}")
_INPUTS_FORM: Final = Phrase(
    "document.inputs_form", "must be names with types, such as loyalty_level: text"
)
_INPUTS_MANY: Final = Phrase("document.inputs_many", "has {count} entries: declare {most} at most")
_THIS_FILE: Final = Phrase("document.this_file", "this file")
_STAGES_FORM: Final = Phrase(
    "document.stages_form", "must be a list of stages, such as - stage: {example}"
)
_STAGES_MANY: Final = Phrase("document.stages_many", "has {count} stages: use {most} at most")
_STAGE_FORM: Final = Phrase(
    "document.stage_form", "must be a stage with its options, such as - stage: {example}"
)
_STAGE_REQUIRED: Final = Phrase("document.stage_required", "is required: name one of {known}")
_STAGE_TWICE: Final = Phrase(
    "document.stage_twice", "{name} is stage {first} already: only {again} can run twice"
)
_AFTER_PAYMENT: Final = Phrase(
    "document.after_payment",
    "{name} would run after {payment}, when the payment was made already: move it "
    "before {payment}, after which only {again} can come",
)
_PAYMENT_FAILURE: Final = Phrase(
    "document.payment_failure",
    "a payment that could not be made is reversed, so it ends the pipeline: leave on_failure out",
)
_PAYS_NOTHING: Final = Phrase("document.pays_nothing", "{name} pays nothing: leave {key} out")
_NO_CAPTURE: Final = Phrase(
    "document.no_capture",
    "needs connectors that capture payments, and these do not: {names}; leave capture out, or give "
    "their mappings a section for it",
)
_RULE_SET_REQUIRED: Final = Phrase(
    "document.rule_set_required", "is required: name the rule set that this {name} stage runs"
)
_RUNS_NO_RULES: Final = Phrase("document.runs_no_rules", "{name} runs no rules: leave rule_set out")
_APPLY_FIRST: Final = Phrase("document.apply_first", "apply it first")
_NO_RULE_SET: Final = Phrase("document.no_rule_set", "this account has no rule set {name}; {hint}")
_RULE_SET: Final = Phrase("document.rule_set", "rule set {name}")
_DECLARE_ALIKE: Final = Phrase(
    "document.declare_alike",
    "{custom}{key} is {kind} in rule set {name}, but {declared} in {where}: declare it alike",
)
_DECIDING_FORM: Final = Phrase(
    "document.deciding_form", "must be a list of stages, such as [{example}]"
)
_NO_VERDICT: Final = Phrase(
    "document.no_verdict", "{name} has no verdict: let a Rules stage after it decide"
)
_NAMED_TWICE: Final = Phrase("document.named_twice", "{name} is named twice")
_NO_DECIDING: Final = Phrase(
    "document.no_deciding", "this pipeline has no {name} stage that could decide"
)
_PAYMENT_DECIDES: Final = Phrase(
    "document.payment_decides", "must name {name}: a payment that was refused decides"
)

T = TypeVar("T")

MOST_STAGES: Final = 20
MOST_INPUTS: Final = 100

_KEYS: Final = ("pipeline", "name", "description", "inputs", "decided_by", "stages")
_REQUIRED: Final = {
    "pipeline": _GIVE_NUMBER(),
    "name": _GIVE_NAME(),
    "stages": _GIVE_STAGES(),
}
_PAYMENT_KEYS: Final = ("pay", "on_declined_review", "capture")
_STAGE_KEYS: Final = (
    *("stage", "rule_set", "fee", "stop_when", "skip_when", "on_failure"),
    *_PAYMENT_KEYS,
)


class Surroundings(msgspec.Struct, frozen=True):
    """The rule sets and lists of an account, which its pipelines can name."""

    rule_sets: Mapping[str, Mapping[str, Type]]
    """By name: the custom inputs that each rule set declares."""
    lists: Mapping[str, str]
    """By name: the kind of each list."""
    without_capture: tuple[str, ...] = ()
    """The connectors that take payments of the account and cannot capture them."""


def read_pipeline(content: bytes, surroundings: Surroundings | None = None) -> PipelineDefinition:
    """The pipeline that a file describes.

    Raises `DocumentRefused` with all that is wrong. Whether rule sets and lists exist is checked
    only with the surroundings of an account.
    """
    document = load_document(content)
    reader = _PipelineReader(document, surroundings)
    definition = reader.read(document.data)
    if reader.flaws or definition is None:
        raise DocumentRefused(reader.flaws)
    return definition


class _PipelineReader:
    """One pass over a document that notes every flaw and goes on."""

    def __init__(self, document: Document, surroundings: Surroundings | None) -> None:
        self.flaws: list[Flaw] = []
        self._document = document
        self._surroundings = surroundings
        self._declared: dict[str, tuple[Type, str]] = {}
        """Custom inputs by key: the type of each, and where it was declared first."""
        self._names: list[str | None] = []
        """The stages in order, misspelt ones corrected; None where a name cannot be made out."""

    def read(self, data: Any) -> PipelineDefinition | None:
        """The pipeline, or None and flaws."""
        self._refuse_unknown(data, _KEYS, "")
        for key, why in _REQUIRED.items():
            if key not in data:
                self._flaw(key, _REQUIRED_WHY(why=why))
        number = self._field(data, "", "pipeline", pipeline_number)
        name = self._field(data, "", "name", plain_text)
        description = self._field(data, "", "description", description_text)
        inputs, doubtful = self._inputs(data.get("inputs", {}))
        lists = None if self._surroundings is None else self._surroundings.lists
        conditions = StageConditions(self._document, Catalogue(inputs), doubtful, lists)
        stages = self._stages(data["stages"], conditions) if "stages" in data else []
        self.flaws += conditions.flaws
        decided_by = self._decided_by(data["decided_by"]) if "decided_by" in data else ()
        if self.flaws or number is None or name is None:
            return None
        return PipelineDefinition(
            number, name, description or "", inputs, tuple(stages), decided_by
        )

    def _flaw(self, path: str, message: str) -> None:
        self.flaws.append(self._document.flaw(path, message))

    def _flaw_of_key(self, path: str, key: str, message: str) -> None:
        self.flaws.append(self._document.key_flaw(path, key, message))

    def _refuse_unknown(self, data: Mapping[str, Any], known: Sequence[str], path: str) -> None:
        for key in data:
            if key not in known:
                self._flaw_of_key(path, key, must_be_one_of(key, known, _WHAT_KEY()))

    def _field(
        self, data: Mapping[str, Any], path: str, key: str, read: Callable[[Any], T]
    ) -> T | None:
        """A field as it is read; None when it is not there or after its flaw was noted."""
        if key not in data:
            return None
        try:
            return read(data[key])
        except ValueError as error:
            self._flaw(join_path(path, key), said_by(error))
            return None

    def _inputs(self, given: Any) -> tuple[dict[str, Type], set[str]]:
        """The declared inputs, and the signals of those whose declaration is wrong."""
        inputs: dict[str, Type] = {}
        doubtful: set[str] = set()
        if not isinstance(given, dict):
            self._flaw("inputs", _INPUTS_FORM())
            return inputs, doubtful
        if len(given) > MOST_INPUTS:
            self._flaw("inputs", _INPUTS_MANY(count=len(given), most=MOST_INPUTS))
            return inputs, doubtful
        for key, value in given.items():
            problem = input_problem(key, value)
            if problem is None:
                inputs[key] = Type(value)
            else:
                self._flaw_of_key("inputs", key, problem)
                doubtful.add(CUSTOM + key)
        self._declared = {key: (kind, _THIS_FILE()) for key, kind in inputs.items()}
        return inputs, doubtful

    def _stages(self, given: Any, conditions: StageConditions) -> list[StageDefinition]:
        if not isinstance(given, list) or not given:
            self._flaw("stages", _STAGES_FORM(example=_an_example()))
            return []
        if len(given) > MOST_STAGES:
            self._flaw("stages", _STAGES_MANY(count=len(given), most=MOST_STAGES))
            return []
        self._names = [self._stage_name(stage, index) for index, stage in enumerate(given)]
        self._check_order()
        return [
            self._stage(stage, index, name, conditions)
            for index, (stage, name) in enumerate(zip(given, self._names, strict=True))
            if name is not None
        ]

    def _stage_name(self, stage: Any, index: int) -> str | None:
        path = f"stages[{index}]"
        if not isinstance(stage, dict):
            guess = stage if isinstance(stage, str) and stage in REGISTRY else _an_example()
            self._flaw(path, _STAGE_FORM(example=guess))
            return None
        self._refuse_unknown(stage, _STAGE_KEYS, path)
        if "stage" not in stage:
            self._flaw(f"{path}.stage", _STAGE_REQUIRED(known=", ".join(REGISTRY.names)))
            return None
        name = self._field(stage, path, "stage", plain_text)
        if name is None or name in REGISTRY:
            return name
        self._flaw(f"{path}.stage", must_be_one_of(name, REGISTRY.names, _WHAT_STAGE()))
        return nearest(name, REGISTRY.names)

    def _check_order(self) -> None:
        names = self._names
        again = any_of([spec.name for spec in REGISTRY.in_pipelines if spec.runs_rule_set])
        paid_by: str | None = None
        for index, name in enumerate(names):
            if name is None or REGISTRY[name].runs_rule_set:
                continue
            path = f"stages[{index}].stage"
            if name in names[:index]:
                first = names.index(name) + 1
                self._flaw(path, _STAGE_TWICE(name=name, first=first, again=again))
            elif paid_by is not None:
                self._flaw(
                    path,
                    _AFTER_PAYMENT(name=name, payment=paid_by, again=again),
                )
            if REGISTRY[name].pays:
                paid_by = paid_by or name

    def _stage(
        self, stage: dict[str, Any], index: int, name: str, conditions: StageConditions
    ) -> StageDefinition:
        path = f"stages[{index}]"
        spec = REGISTRY[name]

        def condition(key: str, place: int, default: str | None = None) -> Condition | None:
            text = self._field(stage, path, key, condition_text) if key in stage else default
            if text is None:
                return None
            return conditions.read(f"{path}.{key}", text, self._names, place)

        on_failure = self._field(stage, path, "on_failure", failure_action)
        fee = self._field(stage, path, "fee", stage_fee)
        if spec.pays and on_failure not in (None, OnFailure.STOP):
            self._flaw(
                f"{path}.on_failure",
                _PAYMENT_FAILURE(),
            )
        for key in _PAYMENT_KEYS:
            if key in stage and not spec.pays:
                self._flaw(f"{path}.{key}", _PAYS_NOTHING(name=name, key=key))
        return StageDefinition(
            name,
            self._rule_set(stage, path, name),
            fee if isinstance(fee, int) else None,
            stop_when=condition("stop_when", index + 1, spec.stop_when),
            skip_when=condition("skip_when", index),
            on_failure=on_failure or spec.on_failure,
            pay=self._field(stage, path, "pay", pay_choice) or Pay.REVIEWED,
            on_declined_review=self._field(
                stage, path, "on_declined_review", declined_review_action
            )
            or OnDeclinedReview.REVERSE,
            capture=self._capture(stage, path),
            fee_name=fee if isinstance(fee, str) else None,
        )

    def _capture(self, stage: dict[str, Any], path: str) -> CaptureWhen:
        read = self._field(stage, path, "capture", capture_time) or CaptureWhen.LATER
        around = self._surroundings
        if read is CaptureWhen.ACCEPTED and around is not None and around.without_capture:
            self._flaw(f"{path}.capture", _NO_CAPTURE(names=", ".join(around.without_capture)))
        return read

    def _rule_set(self, stage: dict[str, Any], path: str, name: str) -> str | None:
        where = f"{path}.rule_set"
        runs_rule_set = REGISTRY[name].runs_rule_set
        if "rule_set" not in stage:
            if runs_rule_set:
                self._flaw(where, _RULE_SET_REQUIRED(name=name))
            return None
        if not runs_rule_set:
            self._flaw(where, _RUNS_NO_RULES(name=name))
            return None
        rule_set = self._field(stage, path, "rule_set", rule_set_name)
        if rule_set is not None and self._surroundings is not None:
            self._check_rule_set(where, rule_set, self._surroundings.rule_sets)
        return rule_set

    def _check_rule_set(
        self, path: str, name: str, rule_sets: Mapping[str, Mapping[str, Type]]
    ) -> None:
        if name not in rule_sets:
            guess = nearest(name, rule_sets)
            hint = MEANT(guess=guess) if guess else _APPLY_FIRST()
            self._flaw(path, _NO_RULE_SET(name=quoted(name), hint=hint))
            return
        for key, kind in rule_sets[name].items():
            declared, where = self._declared.setdefault(key, (kind, _RULE_SET(name=name)))
            if declared is not kind:
                self._flaw(
                    path,
                    _DECLARE_ALIKE(
                        custom=CUSTOM, key=key, kind=kind, name=name, declared=declared, where=where
                    ),
                )

    def _decided_by(self, given: Any) -> tuple[str, ...]:
        if not isinstance(given, list) or not given:
            some = ", ".join(REGISTRY.deciding[:2])
            self._flaw("decided_by", _DECIDING_FORM(example=some))
            return ()
        for index, name in enumerate(given):
            path = f"decided_by[{index}]"
            if not isinstance(name, str) or name not in REGISTRY:
                shown = name if isinstance(name, str) else ""
                self._flaw(path, must_be_one_of(shown, REGISTRY.deciding, _WHAT_DECIDING()))
            elif not (REGISTRY[name].decides or REGISTRY[name].decides_if_named):
                self._flaw(path, _NO_VERDICT(name=name))
            elif name in given[:index]:
                self._flaw(path, _NAMED_TWICE(name=name))
            elif name not in self._names and None not in self._names:
                self._flaw(path, _NO_DECIDING(name=name))
        for name in self._names:
            if name is not None and REGISTRY[name].pays and name not in given:
                self._flaw("decided_by", _PAYMENT_DECIDES(name=name))
        return tuple(name for name in given if isinstance(name, str))


def _an_example() -> str:
    """A stage that needs no options."""
    return next(spec.name for spec in REGISTRY.in_pipelines if not spec.runs_rule_set)
