"""What an API key is, as every face shows it. The text of a key is told once."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.access.keys import OF_PLAYGROUND, ApiKey
from gatehouse.core.clock import Moment, moment

LONGEST_NAME: Final = 100
LONGEST_REASON: Final = 200
"""Why a key was revoked."""
MAX_RATE_LIMIT: Final = 1_000_000
_MOST_S: Final = 100 * 366 * 86_400
_MOST_OVERLAP_S: Final = 90 * 86_400

KeyId = Annotated[str, Meta(description="The `keyId` of the key.")]


class NewKey(msgspec.Struct, frozen=True, rename="camel"):
    """A key to issue."""

    name: Annotated[
        str,
        Meta(
            min_length=1, max_length=LONGEST_NAME, description="For people.", examples=["checkout"]
        ),
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

    key_id: Annotated[str, Meta(description="Its id.", examples=["key_01kabcdefghjkmnpqrstvwxyz0"])]
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
    revoked_at: Annotated[Moment | None, Meta(description="When it was revoked (RFC 3339).")]
    last_used_at: Annotated[
        Moment | None, Meta(description="When it was last used, to about a minute (RFC 3339).")
    ]
    successor: Annotated[str | None, Meta(description="The key that replaced it.")]
    parent: Annotated[
        str | None, Meta(description="The key that issued it, or the successor of that key.")
    ]

    @property
    def is_of_playground(self) -> bool:
        """Whether the console made it for its own calls."""
        return self.name == OF_PLAYGROUND


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


def shown(key: ApiKey, now_ms: int) -> KeyShown:
    """A key as faces show it."""
    return KeyShown(
        key_id=key.key_id,
        name=key.name,
        status=key.status(now_ms),
        scopes=list(key.scopes),
        networks=list(key.networks),
        rate_limit_per_second=key.rate_limit_per_second,
        created_at=Moment(key.created_at_ms),
        expires_at=moment(key.expires_at_ms),
        revoked_at=moment(key.revoked_at_ms),
        last_used_at=moment(key.last_used_at_ms),
        successor=key.successor,
        parent=key.parent,
    )
