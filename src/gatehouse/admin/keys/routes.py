"""API keys over HTTP: issued, listed, rotated and revoked. The text of a key is told once."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.keys.use_cases import grants as key_grants
from gatehouse.admin.keys.use_cases import keys
from gatehouse.admin.keys.use_cases.grants import ApiKey, IssuingKey
from gatehouse.admin.keys.use_cases.keys import LONGEST_REASON, MAX_RATE_LIMIT, KeyTerms
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.manage.messages import Moment
from gatehouse.core.clock import iso_time

_SCOPE: Final = "manage:keys"
_ID: Final = {"keyId": "The `keyId` of the key."}
_MOST_S: Final = 100 * 366 * 86_400
_MOST_OVERLAP_S: Final = 90 * 86_400
_EXAMPLE: Final = "key_01kabcdefghjkmnpqrstvwxyz0"


class NewKey(msgspec.Struct, frozen=True, rename="camel"):
    """A key to issue."""

    name: Annotated[
        str, Meta(min_length=1, max_length=100, description="For people.", examples=["checkout"])
    ] = "default"
    scopes: Annotated[
        list[Annotated[str, Meta(max_length=64)]],
        Meta(
            max_length=50,
            description="What it is for. Without any, every operation and no management.",
            examples=[["precheck", "pipeline"]],
        ),
    ] = []
    networks: Annotated[
        list[Annotated[str, Meta(max_length=64)]],
        Meta(
            max_length=50,
            description="From where it may be used; without any, from everywhere.",
            examples=[["203.0.113.0/24"]],
        ),
    ] = []
    rate_limit_per_second: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_RATE_LIMIT)] | None,
        Meta(description="Not above that of the issuing key.", examples=[50]),
    ] = None
    expires_in_s: Annotated[
        Annotated[int, Meta(ge=1, le=_MOST_S)] | None,
        Meta(
            description="Seconds until it ends, not later than the issuing key; without it, it "
            "ends with that one, if at all.",
            examples=[7_776_000],
        ),
    ] = None


class KeyRotation(msgspec.Struct, frozen=True, rename="camel"):
    """How to rotate a key."""

    overlap_s: Annotated[
        int,
        Meta(
            ge=0,
            le=_MOST_OVERLAP_S,
            description="Seconds for which the old key still works.",
            examples=[86_400],
        ),
    ] = 86_400


class KeyRevocation(msgspec.Struct, frozen=True, rename="camel"):
    """Why a key is revoked."""

    reason: Annotated[
        str,
        Meta(
            min_length=1, max_length=LONGEST_REASON, description="Why.", examples=["was in a log"]
        ),
    ]
    children: Annotated[
        bool,
        Meta(
            description="Whether the keys that it issued are revoked too, and those that they "
            "issued.",
            examples=[False],
        ),
    ] = False


class KeyShown(msgspec.Struct, frozen=True, rename="camel"):
    """A key without its text."""

    key_id: Annotated[str, Meta(description="Its id.", examples=[_EXAMPLE])]
    name: Annotated[str, Meta(description="For people.", examples=["checkout"])]
    status: Annotated[
        str, Meta(description="`active`, `expired` or `revoked`.", examples=["active"])
    ]
    scopes: Annotated[list[str], Meta(description="What it is for.", examples=[["precheck"]])]
    networks: Annotated[list[str], Meta(description="From where.", examples=[[]])]
    rate_limit_per_second: Annotated[
        int | None, Meta(description="Its own limit, if it has one.", examples=[50])
    ]
    created_at: Annotated[Moment, Meta(description="When it was issued (RFC 3339).")]
    expires_at: Annotated[Moment | None, Meta(description="When it ends (RFC 3339).")]
    last_used_at: Annotated[
        Moment | None, Meta(description="When it was last used, to about a minute (RFC 3339).")
    ]
    successor: Annotated[str | None, Meta(description="The key that replaced it.")]
    parent: Annotated[
        str | None, Meta(description="The key that issued it, or the successor of that key.")
    ]


class KeyTold(msgspec.Struct, frozen=True, rename="camel"):
    """A new key with its text."""

    key: Annotated[
        str,
        Meta(
            description="The key itself. It is told here only and cannot be had again.",
            examples=["gh_sandbox_…"],
        ),
    ]
    issued: Annotated[KeyShown, Meta(description="What it may do.")]

    def __repr__(self) -> str:
        return f"KeyTold({self.issued.key_id})"


class KeyPage(msgspec.Struct, frozen=True, rename="camel"):
    """All keys of an account."""

    keys: Annotated[list[KeyShown], Meta(description="Oldest first.")]


def _listing(call: ManageCall) -> KeyPage:
    found = keys.listing(call.session, call.account_id)
    return KeyPage([_shown(each, call.session.clock()) for each in found])


def _issue(call: ManageCall) -> KeyTold:
    new: NewKey = call.body
    terms = KeyTerms(new.name, tuple(new.scopes), tuple(new.networks), new.rate_limit_per_second)
    lifetime_ms = None if new.expires_in_s is None else new.expires_in_s * 1000
    key, text = key_grants.issue_by(call.session, _issuer(call), terms, lifetime_ms)
    return KeyTold(text, _shown(key, call.session.clock()))


def _rotate(call: ManageCall) -> KeyTold:
    overlap_ms = call.body.overlap_s * 1000
    done = key_grants.rotate_by(call.session, _issuer(call), call.path["keyId"], overlap_ms)
    return KeyTold(done.text, _shown(done.key, call.session.clock()))


def _issuer(call: ManageCall) -> IssuingKey:
    return IssuingKey(call.caller.key, call.default_rate)


def _revoke(call: ManageCall) -> KeyShown:
    key_id, body = call.path["keyId"], call.body
    key = key_grants.revoke_by(
        call.session, _issuer(call), key_id, body.reason, children=body.children
    )
    return _shown(key, call.session.clock())


def _shown(key: ApiKey, now_ms: int) -> KeyShown:
    expires, used = key.expires_at_ms, key.last_used_at_ms
    return KeyShown(
        key_id=key.key_id,
        name=key.name,
        status=key.status(now_ms),
        scopes=list(key.scopes),
        networks=list(key.networks),
        rate_limit_per_second=key.rate_limit_per_second,
        created_at=iso_time(key.created_at_ms),
        expires_at=None if expires is None else iso_time(expires),
        last_used_at=None if used is None else iso_time(used),
        successor=key.successor,
        parent=key.parent,
    )


KEY_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/keys",
        scope=_SCOPE,
        operation="listKeys",
        field="keysResponse",
        summary="List keys",
        about="The account's keys, oldest first, without their text.",
        answer=KeyPage,
        run=_listing,
    ),
    ManageEndpoint(
        method="POST",
        path="/keys",
        scope=_SCOPE,
        operation="issueKey",
        field="keyIssuedResponse",
        summary="Issue a key",
        about="Issues a key. It can be for every operation, for scopes of management that "
        "the issuing key has, within its networks, up to its rate limit and up to its end.",
        body=NewKey,
        answer=KeyTold,
        run=_issue,
        one_change=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/keys/{keyId}/rotate",
        scope=_SCOPE,
        operation="rotateKey",
        field="keyIssuedResponse",
        summary="Rotate a key",
        about="Issues a successor on the same terms; the old key ends after the overlap, and the "
        "keys that it issued belong to the successor. A key can rotate itself, and keys that it "
        "could issue. The successor ends with the calling key at the latest.",
        body=KeyRotation,
        path_about=_ID,
        answer=KeyTold,
        run=_rotate,
        one_change=True,
    ),
    ManageEndpoint(
        method="POST",
        path="/keys/{keyId}/revoke",
        scope=_SCOPE,
        operation="revokeKey",
        field="keyResponse",
        summary="Revoke a key",
        about="Ends a key at once, on every server within a second. A key can revoke itself, and "
        "keys that it could issue.",
        body=KeyRevocation,
        path_about=_ID,
        answer=KeyShown,
        run=_revoke,
        one_change=True,
    ),
)
