"""The playground of a sandbox: send a request from a form, see what is answered and its code.

Only the sandbox's own cards can be sent, so that no real card number ever comes here.
"""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.pipelines.pages import playground_request
from gatehouse.admin.pipelines.pages.api_calls import ApiAnswer
from gatehouse.admin.pipelines.pages.playground_request import (
    ACCEPTED,
    OPERATIONS,
    SAMPLE,
    Wanted,
    request_body,
)
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import format_amount, parse_amount
from gatehouse.core.wording.sentences import said_by
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.sentry.spec import SENTRY

_HEADLINES: Final = {
    "precheck": (PRE_CHECK.response.field, "advice"),
    "sentry": (SENTRY.response.field, "requestConfidence"),
    "pipeline": ("pipelineResponse", "decision"),
}
"""Where the answer of an operation says what matters most."""
_LONGEST: Final = 128
_LANGUAGES: Final = (
    ("curl", playground_request.as_curl),
    ("Python", playground_request.as_python),
    ("TypeScript", playground_request.as_typescript),
)


class TriedCall(msgspec.Struct, frozen=True, dict=True):
    """A request that was sent, and what came back."""

    operation: str
    base_url: str
    body: Mapping[str, Any]
    answer: ApiAnswer | None = None
    """None when there was none."""
    failure: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the API did what was asked."""
        answer = self.answer
        return answer is not None and isinstance(answer.body, dict) and _succeeded(answer.body)

    @property
    def request_id(self) -> str | None:
        """By which its decision record is found; None when nothing was decided."""
        return self.answer.body["requestId"] if self.answer and self.is_good else None

    @property
    def headline(self) -> str | None:
        """What matters most in a good answer, as the API writes it."""
        if not self.is_good or self.answer is None:
            return None
        part, field = _HEADLINES.get(self.operation, ("", ""))
        found = (self.answer.body.get(part) or {}).get(field)
        return None if found is None else f"{field} {found}"

    @cached_property
    def request_text(self) -> str:
        """The request as JSON."""
        return _pretty(self.body)

    @cached_property
    def answer_text(self) -> str:
        """The answer as JSON."""
        return "" if self.answer is None else _pretty(self.answer.body)

    @cached_property
    def samples(self) -> list[tuple[str, str]]:
        """The same call as programs."""
        about = self.base_url, self.operation, self.body
        return [(name, write(*about)) for name, write in _LANGUAGES]


def show_playground(visit: Visit) -> Response:
    """The form, filled with a request that works."""
    return _show(visit, None)


def send(visit: Visit) -> Response:
    """Send what the form says, and show what came back."""
    wanted = _wanted(visit)
    body = request_body(wanted)
    caller = visit.desk.api
    sent = TriedCall(wanted.operation, caller.base_url, body)
    try:
        path = f"/api/v1/{wanted.operation}"
        content = msgspec.json.encode(body)
        answer = caller.post(*visit.opened, path, content)
    except ConnectorFailed as failed:
        return _show(visit, msgspec.structs.replace(sent, failure=visit.said(said_by(failed))), 502)
    return _show(visit, msgspec.structs.replace(sent, answer=answer))


def _show(visit: Visit, sent: TriedCall | None, status: int = 200) -> Response:
    return visit.render(
        "playground/playground.html",
        status,
        operations=OPERATIONS,
        cards=cards(),
        addresses=triggers_of("device.ipAddress"),
        codes=[each for each in triggers_of("cardCvv2Value") if len(each) == len("123")],
        pipelines=_pipelines(visit),
        defaults={**SAMPLE, "amount": visit.amount_to_type(parse_amount(SAMPLE["amount"]))},
        longest=_LONGEST,
        sent=sent,
    )


def cards() -> tuple[str, ...]:
    """Every card that can be sent."""
    return (*ACCEPTED, *triggers_of("cardNumber"))


def triggers_of(field: str) -> tuple[str, ...]:
    """The values of a field that make the sandbox answer something else."""
    return tuple(each.value for each in all_triggers() if each.field == field)


def _wanted(visit: Visit) -> Wanted:
    given: dict[str, Any] = {name: visit.entered(name) for name in SAMPLE}
    if given["operation"] not in OPERATIONS:
        raise visit.refuse("operation", "playground.problems.operation")
    if given["card"] not in cards():
        raise visit.refuse("card", "playground.problems.card")
    for name, value in given.items():
        if len(value) > _LONGEST:
            raise visit.refuse(name, "playground.problems.long", most=_LONGEST)
    if given["amount"]:
        given["amount"] = _plain_amount(visit, given["amount"], given["currency"])
    if given["operation"] != "pipeline":
        return Wanted(**given)
    number = visit.form["pipeline"]
    for pipeline in _pipelines(visit):
        if str(pipeline.number) == number:
            stages = frozenset(each.stage for each in pipeline.stages)
            return Wanted(**given, pipeline=pipeline.number, stages=stages)
    raise visit.refuse("pipeline", "playground.problems.pipeline")


def _plain_amount(visit: Visit, typed: str, currency: str) -> str:
    """The amount with a point, as JSON has it."""
    micros = visit.read_amount("amount", typed, currency)
    if micros < 0:
        raise visit.refuse("amount", "playground.problems.negative")
    return format_amount(micros)


def _pipelines(visit: Visit) -> list[PipelineDefinition]:
    found = configurations.listing(*visit.opened, PIPELINES)
    return [each.definition for each in found]


def _succeeded(body: Mapping[str, Any]) -> bool:
    return body.get("isSuccess") is True and isinstance(body.get("requestId"), str)


def _pretty(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


_MAY: Final[dict[str, Any]] = {"permission": Permission.REVIEW, "sandbox_only": True}
_PATH: Final = "/a/{account}/playground"

PAGES: Final[Declarations] = (
    Page(_PATH, "playground", show_playground, **_MAY),
    Action(_PATH, "playground-send", send, again=show_playground, asks_elsewhere=True, **_MAY),
)
