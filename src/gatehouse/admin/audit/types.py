"""Lines of the audit log, as programs read them."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, HasMore, PageSize
from gatehouse.core.clock import Moment


class AuditQuery(msgspec.Struct, frozen=True, rename="camel"):
    """Which lines are wanted."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Annotated[int, Meta(ge=1, le=2**53)] | None,
        Meta(description="The `line` of the last one of the page before."),
    ] = None
    action: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(description="Only actions that begin with this, such as `rules.`."),
    ] = None


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
    has_more: HasMore
