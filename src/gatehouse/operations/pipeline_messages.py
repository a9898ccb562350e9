"""What a Pipeline request and its answer hold: the objects of its stages, side by side."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from gatehouse.core.case import ClientReferenceField
from gatehouse.core.outcomes import Outcome
from gatehouse.core.secrets import Personal
from gatehouse.gateway.request import GatewayRequest
from gatehouse.gateway.response import GatewayResponse
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import IdVerifyResponse
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.response import PreCheckResponse
from gatehouse.rules.request import RulesRequest
from gatehouse.rules.response import RulesResponse
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.response import SentryInPipeline

PipelineNumber = Annotated[
    int, Meta(ge=1, le=999_999, description="Number of the pipeline.", examples=[1])
]
_NULL = Raw(b"null")


class PipelineRequest(Personal, frozen=True, rename="camel"):
    """A purchase, with an input for every stage that needs one."""

    pipeline_id: PipelineNumber
    client_reference_id: ClientReferenceField = None
    rules_request: Annotated[RulesRequest | None, Meta(description="For Rules.")] = None
    sentry_request: Annotated[SentryRequest | None, Meta(description="For Sentry.")] = None
    pre_check_request: Annotated[
        PreCheckRequest | None, Meta(description="For PreCheck, and the card that Gateway charges.")
    ] = None
    id_verify_request: Annotated[IdVerifyRequest | None, Meta(description="For IdVerify.")] = None
    gateway_request: Annotated[
        GatewayRequest | None,
        Meta(description="What Gateway charges; otherwise `sentryRequest.order` says it."),
    ] = None


class PipelineCall(Personal, frozen=True, rename="camel"):
    """The same as it is read: which inputs are looked at depends on the pipeline."""

    pipeline_id: PipelineNumber
    client_reference_id: ClientReferenceField = None
    rules_request: Raw = _NULL
    sentry_request: Raw = _NULL
    pre_check_request: Raw = _NULL
    id_verify_request: Raw = _NULL
    gateway_request: Raw = _NULL


class PipelineResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What every stage that ran has found, and what follows from it."""

    pipeline_stages: Annotated[
        list[str], Meta(description="Stages that ran, in order.", examples=[["Rules", "Sentry"]])
    ]
    decision: Annotated[
        Outcome, Meta(description="The strongest of what the deciding stages want.")
    ]
    tags: Annotated[
        list[str], Meta(description="From Sentry's reasons and from the rules that matched.")
    ]
    rules_response: RulesResponse | UnsetType = UNSET
    sentry_response: SentryInPipeline | UnsetType = UNSET
    pre_check_response: PreCheckResponse | UnsetType = UNSET
    id_verify_response: IdVerifyResponse | UnsetType = UNSET
    gateway_response: GatewayResponse | UnsetType = UNSET
