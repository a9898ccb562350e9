"""What an API key is, as every face shows it. The text of a key is told once."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.access.keys import OF_PLAYGROUND, ApiKey
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment, moment
from gatehouse.core.filling import filled

LONGEST_NAME: Final = 100
LONGEST_REASON: Final = 200
"""Why a key was revoked."""
MAX_RATE_LIMIT: Final = 1_000_000
_MOST_S: Final = 100 * 366 * 86_400
_MOST_OVERLAP_S: Final = 90 * 86_400

KeyId = Annotated[str, doc("The `keyId` of the key.")]


class NewKey(CamelStruct):
    """A key to issue."""

    name: Annotated[str, doc("For people.", "checkout", min_length=1, max_length=LONGEST_NAME)] = (
        "default"
    )
    scopes: Annotated[
        list[Annotated[str, Meta(max_length=64)]],
        doc(
            "What it is for. Without any, every operation and no management.",
            ["precheck", "pipeline"],
            max_length=50,
        ),
    ] = []
    networks: Annotated[
        list[Annotated[str, Meta(max_length=64)]],
        doc(
            "From where it may be used; without any, from everywhere.",
            ["203.0.113.0/24"],
            max_length=50,
        ),
    ] = []
    rate_limit_per_second: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_RATE_LIMIT)] | None,
        doc("Not above that of the issuing key.", 50),
    ] = None
    expires_in_s: Annotated[
        Annotated[int, Meta(ge=1, le=_MOST_S)] | None,
        doc(
            "Seconds until it ends, not later than the issuing key; without it, it "
            "ends with that one, if at all.",
            7_776_000,
        ),
    ] = None


class KeyRotation(CamelStruct):
    """How to rotate a key."""

    overlap_s: Annotated[
        int, doc("Seconds for which the old key still works.", 86_400, ge=0, le=_MOST_OVERLAP_S)
    ] = 86_400


class KeyRevocation(CamelStruct):
    """Why a key is revoked."""

    reason: Annotated[str, doc("Why.", "was in a log", min_length=1, max_length=LONGEST_REASON)]
    children: Annotated[
        bool,
        doc("Whether the keys that it issued are revoked too, and those that they issued.", False),
    ] = False


class KeyShown(CamelStruct):
    """A key without its text."""

    key_id: Annotated[str, doc("Its id.", "key_01kabcdefghjkmnpqrstvwxyz0")]
    name: Annotated[str, doc("For people.", "checkout")]
    status: Annotated[str, doc("`active`, `expired` or `revoked`.", "active")]
    scopes: Annotated[list[str], doc("What it is for.", ["precheck"])]
    networks: Annotated[list[str], doc("From where.", [])]
    rate_limit_per_second: Annotated[int | None, doc("Its own limit, if it has one.", 50)]
    created_at: Annotated[Moment, doc("When it was issued (RFC 3339).")]
    expires_at: Annotated[Moment | None, doc("When it ends (RFC 3339).")]
    revoked_at: Annotated[Moment | None, doc("When it was revoked (RFC 3339).")]
    last_used_at: Annotated[
        Moment | None, doc("When it was last used, to about a minute (RFC 3339).")
    ]
    successor: Annotated[str | None, doc("The key that replaced it.")]
    parent: Annotated[str | None, doc("The key that issued it, or the successor of that key.")]

    @property
    def is_of_playground(self) -> bool:
        """Whether the console made it for its own calls."""
        return self.name == OF_PLAYGROUND


class KeyTold(CamelStruct):
    """A new key with its text."""

    key: Annotated[
        str, doc("The key itself. It is told here only and cannot be had again.", "gh_sandbox_…")
    ]
    issued: Annotated[KeyShown, doc("What it may do.")]

    def __repr__(self) -> str:
        return f"KeyTold({self.issued.key_id})"


class KeyPage(CamelStruct):
    """All keys of an account."""

    keys: Annotated[list[KeyShown], doc("Oldest first.")]


def shown(key: ApiKey, now_ms: int) -> KeyShown:
    """A key as faces show it."""
    return filled(
        KeyShown,
        key,
        status=key.status(now_ms),
        scopes=list(key.scopes),
        networks=list(key.networks),
        created_at=Moment(key.created_at_ms),
        expires_at=moment(key.expires_at_ms),
        revoked_at=moment(key.revoked_at_ms),
        last_used_at=moment(key.last_used_at_ms),
    )
