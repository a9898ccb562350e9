"""Lines of the audit log, as programs read them."""

from typing import Annotated, Any

from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, CamelStruct, HasMore, PageSize, doc
from gatehouse.core.clock import Moment


class AuditQuery(CamelStruct):
    """Which lines are wanted."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Annotated[int, Meta(ge=1, le=2**53)] | None,
        doc("The `line` of the last one of the page before."),
    ] = None
    action: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        doc("Only actions that begin with this, such as `rules.`."),
    ] = None


class AuditEntry(CamelStruct):
    """One line of the audit log."""

    line: Annotated[int, doc("Its number.", 412)]
    at: Annotated[Moment, doc("When (RFC 3339).")]
    by: Annotated[str, doc("Who.", "key:key_01kabcdefghjkmnpqrstvwxyz0")]
    action: Annotated[str, doc("What was done.", "rules.apply")]
    details: Annotated[dict[str, Any], doc("About what.", {"name": "checkout", "version": 4})]


class AuditPage(CamelStruct):
    """Lines of the audit log, newest first."""

    lines: Annotated[list[AuditEntry], doc("Newest first.")]
    has_more: HasMore
