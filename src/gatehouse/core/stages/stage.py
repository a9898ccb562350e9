"""What a stage is: a named, priced, time-limited step that turns a case into a result.

`Stage` is what the engine runs. `StageSpec` is what a function's room declares about itself, once;
pipelines, fees, scopes, conditions, backtests and the API's description are all driven by it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from gatehouse.core.cards.numbers import CardOfRequest, KeptCard
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import Case, StageResult
from gatehouse.core.stages.outcomes import DecisionReason, OnFailure, Outcome
from gatehouse.core.stages.signal import SignalInfo

PAYMENT: Final = "payment"
"""A need of a stage that is no object: an amount and a currency, wherever the request has them."""


class Stage(Protocol):
    """One function of the service as the engine sees it.

    `run` may raise `ConnectorFailed` or exceed `time_limit_ms`; the engine then asks
    `unavailable` for the truthful answer, which costs nothing.
    """

    @property
    def name(self) -> str:
        """The name shown in ``pipelineStages``."""

    @property
    def fee_type(self) -> str:
        """The fee schedule's word for this stage."""

    @property
    def time_limit_ms(self) -> int:
        """How long `run` may take."""

    async def run(self, case: Case) -> StageResult:
        """Do the work."""

    def unavailable(self, case: Case) -> StageResult:
        """The result when an outside party failed or was late."""


class PromptStage(Stage, Protocol):
    """A stage that seldom or never has to wait for anybody.

    The engine calls it, and awaits `run` under a time limit only where it must.
    """

    def run_now(self, case: Case) -> StageResult | None:
        """The result; None when something has to be waited for, and `run` has to be asked."""


class PayingStage(Stage, Protocol):
    """A stage that makes a payment."""

    def refer(self, case: Case) -> str | None:
        """What is stored before it runs, so that its payment can be reversed."""


class StageOptions(msgspec.Struct, frozen=True):
    """What a stage is told by the settings."""

    time_limit_ms: int
    is_production: bool
    authentication_file: Path | None = None
    """The operator's table of limits of strong authentication; without it, the one that ships."""


class Contacts(Personal, frozen=True):
    """How the person of a request can be reached, as far as what was sent could be read."""

    mailbox: str | None = None
    """One spelling for all addresses that reach it."""
    number: str | None = None
    """The phone number in E.164."""
    email_domain: str | None = None
    phone_country: str | None = None


class StageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The object for a stage in a Pipeline request."""

    type: type[msgspec.Struct]
    field: str
    about: str
    card: Callable[[Any], CardOfRequest] | None = None
    """The card that such a request speaks of, if it speaks of one."""
    most_bytes: int = 0
    """How large a body with it may be, where that is more than the settings allow."""
    contacts: Callable[[Any], Contacts] | None = None
    """The contacts that such a request speaks of, if it can speak of any."""


class RecordedResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision record, and what was configured then, say about one stage that ran."""

    facts: Mapping[str, Any]
    card: KeptCard | None
    alone: bool
    """Whether the stage was called alone and not as a part of a pipeline."""
    programs: Mapping[tuple[str, int], str] = {}
    """The rule sets that stages of the request ran, as they are kept, by name and version."""


class AnsweredAgain(msgspec.Struct, frozen=True):
    """The response of a stage as it was answered, made out of a decision record."""

    response: msgspec.Struct
    tags: Sequence[str] = ()


class StageResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The object of a stage in a Pipeline response."""

    type: type[msgspec.Struct]
    field: str
    combine: Callable[[Sequence[Any]], msgspec.Struct] | None = None
    """Makes one response of several; only a stage that can run more than once has it."""
    recorded: Callable[[RecordedResult], AnsweredAgain | None] | None = None
    """Makes the response again; None as its result when it cannot be told any more.

    A stage without it has all fields of its response among its facts.
    """
    example: msgspec.Struct | None = None
    """For the documentation's example of a pipeline, if the stage is part of it."""
    example_tags: tuple[str, ...] = ()


class StageSignals(msgspec.Struct, frozen=True, kw_only=True):
    """What later conditions can say about a stage that ran."""

    prefix: str
    """What the names of its signals begin with, without the dot."""
    catalogue: tuple[SignalInfo, ...]
    read: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """From the facts of the decision record, live or recorded, to signals.

    None for a stage that adds its signals to the case itself.
    """
    facts: tuple[str, ...] = ()
    """All facts that `read` looks at, where that is a small part of them; a fact that is missing
    is then None. Backtests decode only these."""


class StageFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a stage found, in words for people."""

    text: str
    """A whole sentence."""
    code: str = ""
    effect: float | None = None
    """What it added to a score, if the stage adds up."""


class StageReason(NamedTuple):
    """What a stage that decides wanted, and the word for it should that be the decision."""

    verdict: Outcome
    word: DecisionReason


class ResultChange(msgspec.Struct, frozen=True, kw_only=True):
    """Another result that a stage could have had, with everything that follows inside the stage."""

    condition: str
    """What would have had to be different; it follows "if" in a sentence."""
    signals: Mapping[str, Any]
    """The signals of the stage that would have been different."""
    consequence: str = ""
    """What it would have changed about the stage's own result, as a sentence without a stop."""
    parts: int = 1
    """How many things would have had to be different."""


class StageExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """How a stage explains what it found, from the facts that a decision record keeps of it.

    `findings` and `changes` take those facts, and the program of the model that made them as it
    is kept; None stands for what ships with the package.
    """

    findings: Callable[[Mapping[str, Any], str | None], list[StageFinding]]
    """The one that says most comes first."""
    verdict: Callable[[Mapping[str, Any]], Outcome] | None = None
    """From the stage's signals, for a stage that decides."""
    changes: Callable[[Mapping[str, Any], str | None], list[ResultChange]] | None = None
    told_whole: tuple[str, ...] = ()
    """Signals that change only together with others, as `changes` says."""
    model: Callable[[Mapping[str, Any]], int | None] | None = None
    """The version of the account's own model that made the facts, if one did."""


class OperationSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A stage as an operation of its own, with its documentation."""

    name: str
    """Scope of keys, last part of the path, and the word in decision records."""
    title: str
    about: str
    request_type: type[msgspec.Struct]
    response_type: type[msgspec.Struct]
    example: msgspec.Struct
    """The answer to the request that the examples of the fields make."""
    mistaken: dict[str, Any]
    """A request with mistakes, to show how it is refused."""


class StageSpec(msgspec.Struct, frozen=True, kw_only=True):
    """All that a function's room declares about itself as a stage."""

    name: str
    fee_type: str
    default_fee_micros: int
    place: int
    """Its usual place in a pipeline: by this, stages are listed."""
    response: StageResponse
    signals: StageSignals
    request: StageRequest
    operation: OperationSpec | None = None
    build: Callable[[Any, StageOptions], Stage] | None = None
    """Makes the stage, given the parties that stages ask. Each room names its own as a protocol.

    None for a stage that is made for each account, out of what the account configured.
    """
    time_limit_setting: str | None = None
    """The setting that says how long it may take."""
    policy_type: type[msgspec.Struct] | None = None
    """What an account can choose about it."""
    more_policies: Mapping[str, type[msgspec.Struct]] = {}
    """What else is kept of an account for it, such as what was found in its requests, by name."""
    reads: tuple[str, ...] = ()
    """Other stages' objects of a Pipeline request that it looks at, too."""
    needs: tuple[str, ...] = ()
    """What a caller must send: objects of the Pipeline request, or `PAYMENT`."""
    decides: bool = False
    """Whether its results have a verdict."""
    decides_if_named: bool = False
    """Whether they have one in pipelines whose `decided_by` names it, and only there."""
    reason: Callable[[Mapping[str, Any]], StageReason] | None = None
    """From the facts of the decision record to what it wanted; None is told as OTHER."""
    explanation: StageExplanation | None = None
    """How it explains its results; None where rules explain themselves."""
    stop_when: str | None = None
    """The condition that ends a pipeline after it, unless the pipeline's author says another."""
    on_failure: OnFailure = OnFailure.CONTINUE
    """What its failure means, unless the pipeline's author says another."""
    runs_rule_set: bool = False
    """Whether it runs one of the account's rule sets. Such a stage can run more than once."""
    pays: bool = False
    """Whether it asks for a payment, after which only rule sets can run."""

    def verdict_of(self, signals: Mapping[str, Any], decided_by: Collection[str]) -> Outcome | None:
        """What it wanted to be decided, by its signals; None where it had no verdict."""
        told = self.explanation
        if told is None or told.verdict is None:
            return None
        return told.verdict(signals) if self.decides or self.name in decided_by else None
