"""Every operation this server offers, made out of the registered stages."""

from typing import Any, Final

import msgspec

from gatehouse.core.cards.numbers import CardShown
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage, StageOptions
from gatehouse.gateway.port import PaymentGateway
from gatehouse.idverify.source import IdentitySource
from gatehouse.intel.networks import AddressBook
from gatehouse.operations.operation import Operation, Planner, plan_stage, stage_operation
from gatehouse.operations.pipeline_messages import PIPELINE_RESPONSE
from gatehouse.operations.planning import Pipelines
from gatehouse.precheck.issuer import Issuer
from gatehouse.rules.spec import RULES
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.found.input_watch import InputWatch
from gatehouse.sentry.memory.port import Memory
from gatehouse.sentry.spec import SENTRY
from gatehouse.settings.settings import Settings

PIPELINE: Final = "pipeline"
"""The operation whose stages an account chooses."""
_NO_POLICIES: Final = ValuesByType()
_read: Final[LruCache[int, tuple[dict[str, Any], ValuesByType]]] = LruCache(2_000)
_UNLIMITED_MS: Final = 1000
"""For a stage without a setting: it computes and never waits, so this is never reached."""


class Parties(msgspec.Struct, frozen=True):
    """Whom the stages ask."""

    issuer: Issuer
    identities: IdentitySource
    addresses: AddressBook
    memory: Memory
    entity_hasher: EntityHasher
    gateway: PaymentGateway
    input_watch: InputWatch | None = None
    test_cards: frozenset[CardShown] = frozenset()
    """The sandbox's, which pay for many orders that have nothing in common."""


def make_stages(settings: Settings, parties: Parties) -> dict[str, Stage]:
    """The stages that are the same for every account, by name."""
    stages: dict[str, Stage] = {}
    for spec in REGISTRY:
        if spec.build is not None:
            setting = spec.time_limit_setting
            limit_ms = _UNLIMITED_MS if setting is None else getattr(settings, setting)
            options = StageOptions(
                limit_ms,
                is_production=settings.is_production,
                authentication_file=settings.authentication_file,
            )
            stages[spec.name] = spec.build(parties, options)
    return stages


def make_operations(stages: dict[str, Stage], pipelines: Pipelines) -> list[Operation]:
    """Every operation: one for each stage that declares one, and Pipeline."""
    own_plans: dict[str, Planner] = {
        RULES.name: pipelines.plan_rules,
        SENTRY.name: pipelines.plan_sentry,
    }
    operations = [
        stage_operation(
            spec,
            spec.operation,
            own_plans.get(spec.name)
            or plan_stage(spec, stages[spec.name], pipelines.found_by, pipelines.fees_of),
        )
        for spec in REGISTRY
        if spec.operation is not None
    ]
    return [*operations, _pipeline(pipelines)]


def _pipeline(pipelines: Pipelines) -> Operation:
    messages = pipelines.messages
    shown = [spec for spec in REGISTRY.in_pipelines if spec.response.example is not None]
    return Operation(
        name=PIPELINE,
        title="Pipeline",
        about=(
            "Runs the stages of a pipeline that the account has configured, in order, in one "
            "request, and returns what each of them found and one decision. Only the inputs that "
            "its stages need are looked at. A stage that was not reached has no object and costs "
            "nothing."
        ),
        field=PIPELINE_RESPONSE,
        request_type=messages.request,
        read_type=messages.call,
        response_type=messages.response,
        plan=pipelines.plan_pipeline,
        most_bytes=max(spec.request.most_bytes for spec in REGISTRY.in_pipelines),
        fee_types=tuple(spec.fee_type for spec in shown),
        left_out=tuple(
            spec.request.field for spec in REGISTRY.in_pipelines if spec.response.example is None
        ),
        example=messages.response(
            pipeline_stages=[spec.name for spec in shown],
            reason=None,
            retryable=False,
            decision=Outcome.ACCEPT,
            tags=[tag for spec in shown for tag in spec.response.example_tags],
            **{spec.response.field: spec.response.example for spec in shown},
        ),
        mistaken={
            "pipelineId": 1,
            "sentryRequest": {"order": {"amount": 59.9, "currency": "USD"}},
            "preCheckRequest": {"cardNumber": "4242"},
        },
    )


def read_policies(kept: dict[str, Any]) -> ValuesByType:
    """An account's policies as their stages want them."""
    if not kept:
        return _NO_POLICIES
    # An account is cached between requests, so it is mostly the very same dictionary.
    known = _read.get(id(kept))
    if known is not None and known[0] is kept:
        return known[1]
    policies = ValuesByType(
        {
            kind: msgspec.convert(kept[name], kind)
            for name, kind in REGISTRY.policies.items()
            if name in kept
        }
    )
    _read.put(id(kept), (kept, policies))
    return policies
