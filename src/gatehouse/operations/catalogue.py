"""Every operation this server offers, and whom each of them asks."""

import importlib
from typing import Any, Final

import msgspec

from gatehouse.access.keys import SCOPES
from gatehouse.connectors.sandbox.addresses import SandboxAddresses
from gatehouse.connectors.sandbox.gateway import SandboxGateway
from gatehouse.connectors.sandbox.identities import SandboxIdentities
from gatehouse.connectors.sandbox.issuer import SandboxIssuer
from gatehouse.core.errors import SettingsError
from gatehouse.core.outcomes import Outcome
from gatehouse.core.stage import Stage
from gatehouse.gateway.port import NoGateway, PaymentGateway
from gatehouse.gateway.response import GatewayResponse, GatewayStatus
from gatehouse.gateway.stage import GatewayStage
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import (
    IdVerifyResponse,
    NameResult,
    NameVerification,
    Result,
    VerificationLevel,
)
from gatehouse.idverify.source import IdentitySource
from gatehouse.idverify.stage import IdVerifyStage
from gatehouse.intel.networks import AddressBook
from gatehouse.operations.pipeline_messages import PipelineCall, PipelineRequest, PipelineResponse
from gatehouse.operations.planning import Pipelines
from gatehouse.precheck.advice import PreCheckPolicy
from gatehouse.precheck.issuer import Issuer
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.response import Advice, AvsResult, CardSummary, Cvv2Result, PreCheckResponse
from gatehouse.precheck.stage import PreCheckStage
from gatehouse.rules.request import RulesCall
from gatehouse.rules.response import RulesResponse
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory import Memory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.response import Reason, SentryInPipeline, SentryResponse
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.settings import Settings
from gatehouse.web.operations import Operation, plan_of


class Parties(msgspec.Struct, frozen=True):
    """Whom the stages ask."""

    issuer: Issuer
    identities: IdentitySource
    addresses: AddressBook
    memory: Memory
    keeper: EntityHasher
    gateway: PaymentGateway


class Stages(msgspec.Struct, frozen=True):
    """The stages that are the same for every account."""

    pre_check: PreCheckStage
    id_verify: IdVerifyStage
    sentry: SentryStage
    gateway: GatewayStage

    def by_name(self) -> dict[str, Stage]:
        """The stages as pipelines name them."""
        every: tuple[Stage, ...] = (self.pre_check, self.id_verify, self.sentry, self.gateway)
        return {stage.name: stage for stage in every}


def make_stages(settings: Settings, parties: Parties) -> Stages:
    """The stages, each with whom it asks and how long it waits."""
    return Stages(
        PreCheckStage(
            parties.issuer,
            time_limit_ms=settings.precheck_timeout_ms,
            refuse_test_cards=settings.is_production,
        ),
        IdVerifyStage(parties.identities, time_limit_ms=settings.idverify_timeout_ms),
        SentryStage(
            parties.addresses,
            parties.memory,
            load_scorecard(),
            parties.keeper,
            time_limit_ms=settings.sentry_timeout_ms,
        ),
        GatewayStage(parties.gateway, time_limit_ms=settings.gateway_timeout_ms),
    )


def make_operations(stages: Stages, pipelines: Pipelines) -> list[Operation]:
    """Every operation this server offers. A new function is one more entry here."""
    operations = [
        _precheck(stages.pre_check),
        _id_verify(stages.id_verify),
        _sentry(pipelines),
        _rules(pipelines),
        _pipeline(pipelines),
    ]
    assert {operation.name for operation in operations} <= set(SCOPES)
    return operations


def _precheck(stage: PreCheckStage) -> Operation:
    return Operation(
        name="precheck",
        title="PreCheck",
        about=(
            "Validates card details with the issuer: returns the address (AVS) and security "
            "code (CVV2) results and a recommended action. `advice` can be any of its values "
            "while `isSuccess` is true."
        ),
        field="preCheckResponse",
        request_type=PreCheckRequest,
        response_type=PreCheckResponse,
        plan=plan_of(stage, PreCheckRequest.card),
        fee_types=(stage.fee_type,),
        example=_PRE_CHECKED,
        mistaken={"cardNumber": "4242 4242 4242 4242"},
    )


def _id_verify(stage: IdVerifyStage) -> Operation:
    return Operation(
        name="idverify",
        title="ID Verify",
        about=(
            "Compares a cardholder's name, e-mail address, phone number and government "
            "identifiers with what is on record for the card: one result per attribute, all of "
            "the same person. Results such as `NO_MATCH` come while `isSuccess` is true."
        ),
        field="idVerifyResponse",
        request_type=IdVerifyRequest,
        response_type=IdVerifyResponse,
        plan=plan_of(stage, IdVerifyRequest.card),
        fee_types=(stage.fee_type,),
        example=IdVerifyResponse(
            card_holder_email_address_verification_results=Result.MATCH,
            card_holder_phone_number_verification_results=Result.MATCH,
            card_holder_name_verification_result=NameVerification(
                Result.MATCH, Result.MATCH, Result.MATCH, Result.MATCH, NameResult.PERFORMED
            ),
            id_verification={IdentifierType.PASSPORT: Result.MATCH},
            verification_level=VerificationLevel.FULL,
        ),
        mistaken={
            "cardNumber": "4242424242424242",
            "cardHolderName": {"firstName": "", "lastName": "Whitfield"},
            "cardHolderIds": {"SSN": "987-65-4329"},
        },
    )


def _sentry(pipelines: Pipelines) -> Operation:
    return Operation(
        name="sentry",
        title="Sentry",
        about=(
            "Turns what is known about device, visit, account, order and cart into a confidence "
            "that the request is legitimate, with the reasons. Every group is optional; what is "
            "missing or hard to believe is scored, not refused."
        ),
        field="sentryResponse",
        request_type=SentryRequest,
        response_type=SentryResponse,
        plan=pipelines.plan_sentry,
        fee_types=("SENTRY",),
        example=SentryResponse(0.8914, _REASONS),
        mistaken={
            "event": {"type": "REFUND", "timestamp": "yesterday"},
            "shoppingCart": {"items": [{"price": 10, "quantity": "two"}]},
            "customInputs": {"coupon": None},
        },
    )


def _rules(pipelines: Pipelines) -> Operation:
    return Operation(
        name="rules",
        title="Rules",
        about=(
            "Decides with one of the account's rule sets and names every rule that matched. "
            "Every field is optional: a rule that speaks of something that was not sent does not "
            "match. Outcomes such as `DECLINE` come while `isSuccess` is true."
        ),
        field="rulesResponse",
        request_type=RulesCall,
        response_type=RulesResponse,
        plan=pipelines.plan_rules,
        fee_types=("RULES",),
        example=RulesResponse(Outcome.ACCEPT, ()),
        mistaken={"cardNumber": "4242 4242 4242 4242", "amount": "59.90"},
    )


def _pipeline(pipelines: Pipelines) -> Operation:
    return Operation(
        name="pipeline",
        title="Pipeline",
        about=(
            "Runs the stages of a pipeline that the account has configured, in order, in one "
            "request, and returns what each of them found and one decision. Only the inputs that "
            "its stages need are looked at. A stage that was not reached has no object and costs "
            "nothing."
        ),
        field="pipelineResponse",
        request_type=PipelineRequest,
        read_type=PipelineCall,
        response_type=PipelineResponse,
        plan=pipelines.plan_pipeline,
        fee_types=("RULES", "SENTRY", "PRECHECK", "GATEWAY"),
        example=PipelineResponse(
            pipeline_stages=["Rules", "Sentry", "PreCheck", "Gateway"],
            decision=Outcome.ACCEPT,
            tags=[_FOREIGN_CARD.code],
            rules_response=RulesResponse(Outcome.ACCEPT, ()),
            sentry_response=SentryInPipeline(0.6804, 0.7868, [_FOREIGN_CARD, *_REASONS]),
            pre_check_response=_PRE_CHECKED,
            gateway_response=GatewayResponse(GatewayStatus.APPROVED, "00", "410263"),
        ),
        mistaken={
            "pipelineId": 1,
            "sentryRequest": {"order": {"amount": 59.9, "currency": "USD"}},
            "preCheckRequest": {"cardNumber": "4242"},
        },
    )


_PRE_CHECKED: Final = PreCheckResponse(
    Advice.ACCEPT,
    AvsResult.FULL_MATCH,
    Cvv2Result.MATCH,
    CardSummary("VISA", "GB", "CREDIT", prepaid=False, bin="42424242", last_four="4242"),
    ["approved"],
)
_FOREIGN_CARD: Final = Reason(
    "IP_CARD_COUNTRY_MISMATCH", -0.8, "The card is not from the address's country."
)
_REASONS: Final = [
    Reason("IP_CONSUMER", 0.35, "The address is an ordinary one."),
    Reason("UA_CURRENT", 0.35, "The browser is an ordinary one and up to date."),
    Reason("LANG_COUNTRY_FIT", 0.25, "The browser's languages fit the address's country."),
    Reason("SESSION_ORDINARY", 0.2, "The visit has lasted an ordinary time."),
    Reason("ACCOUNT_NAMED", 0.15, "The order was placed from an account."),
    Reason("CART_ADDS_UP", 0.15, "The cart adds up to the order's amount."),
    Reason("CURRENCY_COUNTRY_FIT", 0.15, "The currency is that of the address's country."),
    Reason("ORDER_PLAUSIBLE", 0.1, "Amount and currency are plausible."),
]


def read_policies(kept: dict[str, Any]) -> dict[str, Any]:
    """An account's policies as their stages want them."""
    return {
        name: msgspec.convert(kept[name], kind) for name, kind in POLICIES.items() if name in kept
    }


POLICIES: Final[dict[str, type]] = {"PreCheck": PreCheckPolicy, "Sentry": SentryPolicy}


def load_issuer(settings: Settings) -> Issuer:
    """The issuer that the settings name."""
    if settings.issuer == "sandbox":
        return SandboxIssuer()
    issuer: Issuer = _load_connector("GATEHOUSE_ISSUER", settings.issuer, "check")
    return issuer


def load_gateway(settings: Settings) -> PaymentGateway:
    """The payment gateway that the settings name."""
    if settings.gateway == "sandbox":
        return SandboxGateway()
    if settings.gateway == "none":
        return NoGateway()
    gateway: PaymentGateway = _load_connector(
        "GATEHOUSE_GATEWAY", settings.gateway, "authorize", "reverse"
    )
    return gateway


def load_identities(settings: Settings, records: IdentitySource) -> IdentitySource:
    """The identity source that the settings name, given the embedded one."""
    if settings.identities == "records":
        return records
    if settings.identities == "sandbox":
        return SandboxIdentities(records)
    return load_identity_connector(settings)


def load_identity_connector(settings: Settings) -> IdentitySource:
    """The identity source outside the house that the settings name."""
    source: IdentitySource = _load_connector("GATEHOUSE_IDENTITIES", settings.identities, "find")
    return source


def load_addresses(settings: Settings, book: AddressBook) -> AddressBook:
    """Who is asked about addresses; the sandbox knows a few of its own."""
    return book if settings.is_production else SandboxAddresses(book)


def _load_connector(setting: str, path: str, *methods: str) -> Any:
    """What the factory of a connector makes; it must have the methods of its port."""
    module, separator, factory = path.partition(":")
    if not separator:
        raise SettingsError(f"{setting} takes a word of its own or module:factory; got {path}")
    try:
        connector = getattr(importlib.import_module(module), factory)()
    except Exception as error:
        raise SettingsError(f"{setting} cannot be loaded: {error}") from None
    for method in methods:
        if not callable(getattr(connector, method, None)):
            raise SettingsError(
                f"{setting} does not make what it should: it has no {method} method"
            )
    return connector
