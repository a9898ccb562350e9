"""The account over HTTP: its fees, its policies, and everything that was changed in it."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.accounts.use_cases import accounts, policies
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.api.manage.endpoints import (
    LIMIT,
    ManageCall,
    ManageEndpoint,
    Parameter,
    whole_number,
)
from gatehouse.api.manage.messages import Moment
from gatehouse.billing.fees import fee_schedule
from gatehouse.core.api_values import Money, money
from gatehouse.core.clock import iso_time
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES

_SCOPE: Final = "manage:account"
_LARGEST: Final = 2**53
_BELOW: Final = Parameter(
    "startingAfter",
    "The `line` of the last one of the page before.",
    {"type": "integer", "minimum": 1, "maximum": _LARGEST},
    whole_number(1, _LARGEST),
)
_ACTION: Final = Parameter(
    "action",
    "Only actions that begin with this, such as `rules.`.",
    {"type": "string", "maxLength": 64},
)


class AccountShown(msgspec.Struct, frozen=True, rename="camel"):
    """An account."""

    account_id: Annotated[
        str, Meta(description="Its id.", examples=["acct_01kabcdefghjkmnpqrstvwxyz0"])
    ]
    name: Annotated[str, Meta(description="Its name.", examples=["Shop"])]
    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]
    fees: Annotated[dict[str, Money], Meta(description="What each service costs, by fee type.")]


class PreCheckPolicyBody(msgspec.Struct, frozen=True, rename="camel"):
    """What an approval becomes when address or security code do not match."""

    avs: Annotated[
        dict[AvsResult, Advice],
        Meta(
            description="By result of the address; others keep theirs.",
            examples=[{"NO_MATCH": "DECLINE"}],
        ),
    ] = {}
    cvv2: Annotated[
        dict[Cvv2Result, Advice],
        Meta(
            description="By result of the security code; others keep theirs.",
            examples=[{"NO_MATCH": "DECLINE"}],
        ),
    ] = {}


class SentryPolicyBody(msgspec.Struct, frozen=True, rename="camel"):
    """Which custom inputs Sentry remembers."""

    entities: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)]],
        Meta(
            max_length=MOST_ENTITIES,
            description="Keys of `customInputs`; no others are remembered.",
            examples=[["loyaltyNumber"]],
        ),
    ]


class PoliciesShown(msgspec.Struct, frozen=True, rename="camel"):
    """An account's policies."""

    precheck: Annotated[PreCheckPolicyBody, Meta(description="Of PreCheck.")]
    sentry: Annotated[SentryPolicyBody, Meta(description="Of Sentry.")]


class AuditEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One line of the audit log."""

    line: Annotated[int, Meta(description="Its number.", examples=[412])]
    at: Annotated[Moment, Meta(description="When (RFC 3339).")]
    by: Annotated[
        str,
        Meta(description="Who.", examples=["key:key_01kabcdefghjkmnpqrstvwxyz0"]),
    ]
    action: Annotated[str, Meta(description="What was done.", examples=["rules.apply"])]
    details: Annotated[
        dict[str, Any],
        Meta(description="About what.", examples=[{"name": "checkout", "version": 4}]),
    ]


class AuditPage(msgspec.Struct, frozen=True, rename="camel"):
    """Lines of the audit log, newest first."""

    lines: Annotated[list[AuditEntry], Meta(description="Newest first.")]
    has_more: Annotated[bool, Meta(description="Whether there are more.", examples=[False])]


def _account(call: ManageCall) -> AccountShown:
    account = accounts.get(call.session, call.account_id).account
    fees = {kind: money(account.currency, fee) for kind, fee in fee_schedule(account.fees).items()}
    at = iso_time(account.created_at_ms)
    return AccountShown(account.account_id, account.name, account.currency, at, fees)


def _policies(call: ManageCall) -> PoliciesShown:
    checked = policies.precheck_policy(call.session, call.account_id)
    remembered = policies.sentry_policy(call.session, call.account_id)
    return PoliciesShown(
        PreCheckPolicyBody(checked.avs, checked.cvv2),
        SentryPolicyBody(list(remembered.entities)),
    )


def _set_precheck(call: ManageCall) -> PoliciesShown:
    new: PreCheckPolicyBody = call.body
    avs, cvv2 = msgspec.to_builtins(new.avs), msgspec.to_builtins(new.cvv2)
    policies.set_precheck_policy(call.session, call.account_id, avs, cvv2)
    return _policies(call)


def _set_sentry(call: ManageCall) -> PoliciesShown:
    policies.set_sentry_policy(call.session, call.account_id, call.body.entities)
    return _policies(call)


def _audit(call: ManageCall) -> AuditPage:
    limit: int = call.query["limit"]
    wanted = audit_log.LineSearch(
        call.query["startingAfter"], limit + 1, call.query["action"] or ""
    )
    found = audit_log.search(call.session, call.account_id, wanted)
    shown = [
        AuditEntry(each.seq, iso_time(each.at_ms), each.actor, each.action, each.details)
        for each in found[:limit]
    ]
    return AuditPage(shown, len(found) > limit)


ACCOUNT_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/account",
        scope=_SCOPE,
        operation="getAccount",
        field="accountResponse",
        summary="Account",
        about="The account and its fees.",
        answer=AccountShown,
        run=_account,
    ),
    ManageEndpoint(
        method="GET",
        path="/policies",
        scope=_SCOPE,
        operation="getPolicies",
        field="policiesResponse",
        summary="Policies",
        about="What PreCheck's results become, and what Sentry remembers for the account.",
        answer=PoliciesShown,
        run=_policies,
    ),
    ManageEndpoint(
        method="PUT",
        path="/policies/precheck",
        scope=_SCOPE,
        operation="setPreCheckPolicy",
        field="policiesResponse",
        summary="Set the policy of PreCheck",
        about="Sets the advice for the named results; other results keep theirs.",
        body=PreCheckPolicyBody,
        answer=PoliciesShown,
        run=_set_precheck,
    ),
    ManageEndpoint(
        method="PUT",
        path="/policies/sentry",
        scope=_SCOPE,
        operation="setSentryPolicy",
        field="policiesResponse",
        summary="Set the policy of Sentry",
        about="Has Sentry remember these custom inputs, and no others.",
        body=SentryPolicyBody,
        answer=PoliciesShown,
        run=_set_sentry,
    ),
    ManageEndpoint(
        method="GET",
        path="/audit",
        scope=_SCOPE,
        operation="listAudit",
        field="auditResponse",
        summary="Audit log",
        about="Everything that was changed in the account: who, when, what. Newest first.",
        query=(LIMIT, _BELOW, _ACTION),
        answer=AuditPage,
        run=_audit,
    ),
)
