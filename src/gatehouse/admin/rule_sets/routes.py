"""Rule sets tried before they are applied: on one case at once, on the past as a job."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.types import Document
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import DAY_MS, MOST_EXAMPLES, BacktestOrder, JobKind, JobResponse
from gatehouse.admin.jobs.use_cases import shown_job
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.problems import Problem
from gatehouse.core.clock import parse_time
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES

_DEFAULT_DAYS: Final = 30
_NEEDS_DECISIONS: Final = "a recorded request needs the scope decisions, too; send signals instead"
SinceText = Annotated[
    Annotated[str, Meta(max_length=40)] | None,
    Meta(
        description="The first moment: a day, or a time such as 2026-11-15T08:30:00Z.",
        examples=["2026-10-01"],
    ),
]
UntilText = Annotated[
    Annotated[str, Meta(max_length=40)] | None,
    Meta(
        description="The first moment after it, in the same words. Default: now.",
        examples=["2026-11-01"],
    ),
]


class BacktestRequest(msgspec.Struct, frozen=True, rename="camel"):
    """A rule set to try on recorded requests."""

    document: Document
    since: SinceText = None
    until: UntilText = None
    lists_now: Annotated[
        bool,
        Meta(description="Whether lists are used as they are now, not as they were then."),
    ] = False
    examples: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_EXAMPLES,
            description="Requests to name for each change. They are shown to keys that also have "
            "the scope `decisions`.",
        ),
    ] = 5


class TrialRequest(Checked, msgspec.Struct, frozen=True, rename="camel"):
    """A rule set, and the case to try it on."""

    document: Document
    request_id: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(
            description="A recorded request, for a key that also has the scope `decisions`. Give "
            "it or `signals`."
        ),
    ] = None
    signals: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Values of signals by their names, as a decision record shows them.",
            examples=[{"order.amount": 700}],
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        if (self.request_id is None) == (self.signals is None):
            yield "signals", "give exactly one of requestId, signals"


class TriedRule(msgspec.Struct, frozen=True, rename="camel"):
    """What one rule said."""

    name: Annotated[str, Meta(description="Its name.", examples=["large-order"])]
    matches: Annotated[bool, Meta(description="Whether its condition holds.", examples=[True])]
    outcome: Annotated[Outcome, Meta(description="What it decides.", examples=["REVIEW"])]
    shadow: Annotated[bool, Meta(description="Whether it only watches.", examples=[False])]
    signals: Annotated[
        dict[str, Any],
        Meta(description="The values that it looked at.", examples=[{"order.amount": 700}]),
    ]


class TrialResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What a rule set decides about a case."""

    rule_set: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    status: Annotated[Outcome, Meta(description="What it decides.", examples=["REVIEW"])]
    tags: Annotated[list[str], Meta(description="Tags of the rules that match.", examples=[[]])]
    rules: Annotated[list[TriedRule], Meta(description="In the order of the document.")]


def _try(call: ManageCall) -> TrialResponse:
    from gatehouse.admin.rule_sets.use_cases import rule_trial
    from gatehouse.rules.authoring import read_rule_set

    wanted: TrialRequest = call.body
    rule_set = read_rule_set(wanted.document.encode())
    session, account_id = call.session, call.account_id
    if wanted.request_id is not None:
        if not call.caller.key.reads_requests:
            raise Problem("scope_not_allowed", details=[_NEEDS_DECISIONS])
        case = rule_trial.recorded_case(session, account_id, wanted.request_id, rule_set)
    else:
        content = msgspec.json.encode({"signals": wanted.signals})
        case = rule_trial.read_case(content, rule_set)
    done = rule_trial.try_rules_with_lists(session, account_id, rule_set, case)
    return TrialResponse(
        rule_set.name,
        done.judgement.status,
        list(done.judgement.tags),
        [
            TriedRule(one.name, one.matches, one.outcome, one.shadow, one.signals)
            for one in done.rules
        ],
    )


def _backtest(call: ManageCall) -> JobResponse:
    from gatehouse.rules.authoring import read_rule_set

    wanted: BacktestRequest = call.body
    # Mistakes are told now, not by a job that fails.
    read_rule_set(wanted.document.encode())
    since_ms, until_ms = read_span(wanted.since, wanted.until, call.session.clock(), _DEFAULT_DAYS)
    order = BacktestOrder(wanted.document, since_ms, until_ms, wanted.lists_now, wanted.examples)
    return shown_job(queue.start_job(call.session, call.account_id, JobKind.BACKTEST, order))


def read_span(since: str | None, until: str | None, now_ms: int, days: int) -> tuple[int, int]:
    """The span that two texts name, by default the last days; or a `Problem` with both."""
    wrong: dict[str, list[str]] = {}
    start = _moment("since", since, max(0, now_ms - days * DAY_MS), wrong)
    # A record of this very millisecond belongs to the span.
    end = _moment("until", until, now_ms + 1, wrong)
    if not wrong and start >= end:
        wrong["since"] = ["must be earlier than until"]
    if wrong:
        raise Problem("invalid_request", fields=wrong)
    return start, end


def _moment(field: str, text: str | None, default: int, wrong: dict[str, list[str]]) -> int:
    if text is None:
        return default
    try:
        at_ms = parse_time(text)
    except ValueError:
        at_ms = -1
    if not 0 <= at_ms < 2**48:
        wrong[field] = ["must be a day such as 2026-11-15, or a time such as 2026-11-15T08:30:00Z"]
    return at_ms


TRIAL_ENDPOINTS: Final = (
    ManageEndpoint(
        method="POST",
        path="/rules/trials",
        scope="manage:rules",
        operation="tryRuleSet",
        field="trialResponse",
        summary="Try a rule set on one case",
        about="Shows which rules of a document match a case, and the values that they looked "
        "at. Changes nothing.",
        body=TrialRequest,
        answer=TrialResponse,
        run=_try,
        reads=True,
        most_bytes=MOST_DOCUMENT_BYTES,
    ),
    ManageEndpoint(
        method="POST",
        path="/rules/backtests",
        scope="manage:rules",
        operation="startBacktest",
        field="jobResponse",
        summary="Backtest a rule set",
        about="Starts a job that judges recorded requests by a document, each by what was "
        "known when it came. Its result says what would have been decided, caught and lost, "
        "in millionths by currency. Changes nothing.",
        body=BacktestRequest,
        answer=JobResponse,
        run=_backtest,
        most_bytes=MOST_DOCUMENT_BYTES,
    ),
)
