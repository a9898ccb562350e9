"""Requests and answers that several subjects of the management API share."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.use_cases.configurations import (
    AppliedVersion,
    RolledBack,
    VersionLine,
)
from gatehouse.core.api_values import DryRunFlag, Timestamp
from gatehouse.core.clock import iso_time
from gatehouse.store.configured.configurations import LONGEST_NOTE

RULES_EXAMPLE = """\
rule_set: checkout
rules:
  - name: large-order
    condition: order.amount > 500
    outcome: REVIEW
"""
PIPELINE_EXAMPLE = """\
pipeline: 40
name: online orders
stages:
  - stage: Rules
    rule_set: checkout
  - stage: PreCheck
"""

Document = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=262_144,
        description="The file as YAML, as `apply` of the command line takes it.",
        examples=[RULES_EXAMPLE],
    ),
]
Note = Annotated[
    Annotated[str, Meta(max_length=LONGEST_NOTE)] | None,
    Meta(description="Why, for the history.", examples=["Review large orders"]),
]
Version = Annotated[int, Meta(description="Its number.", examples=[3])]
Moment = Annotated[Timestamp, Meta(examples=["2026-11-16T09:30:00.000Z"])]
Differences = Annotated[
    list[str],
    Meta(
        description="What changes, a line each: `+` is new, `-` is gone, `~` is changed.",
        examples=[["~ large-order: condition: order.amount > 500 -> order.amount > 600"]],
    ),
]


class DocumentChange(msgspec.Struct, frozen=True, rename="camel"):
    """A document to put in force."""

    document: Document
    note: Note = None


class DocumentToCheck(msgspec.Struct, frozen=True, rename="camel"):
    """A document to check."""

    document: Document


class VersionReturn(msgspec.Struct, frozen=True, rename="camel"):
    """Which version to go back to."""

    to: Annotated[
        Annotated[int, Meta(ge=0, le=2**31 - 1)] | None,
        Meta(description="Without it, the one in force before the present one.", examples=[2]),
    ] = None


class VersionEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One version."""

    version: Version
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]
    by: Annotated[
        str,
        Meta(
            description="The key, or the operator, that made it.",
            examples=["key:key_01kabcdefghjkmnpqrstvwxyz0"],
        ),
    ]
    note: Annotated[str | None, Meta(description="Why.", examples=["Review large orders"])]
    in_force: Annotated[bool, Meta(description="Whether requests use it.", examples=[True])]


class VersionPage(msgspec.Struct, frozen=True, rename="camel"):
    """Versions, newest first."""

    versions: Annotated[list[VersionEntry], Meta(description="Newest first.")]
    has_more: Annotated[bool, Meta(description="Whether there are more.", examples=[False])]


class VersionShown(msgspec.Struct, frozen=True, rename="camel"):
    """One version as its author wrote it."""

    name: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    version: Version
    in_force: Annotated[bool, Meta(description="Whether requests use it.", examples=[True])]
    document: Annotated[
        str, Meta(description="The file as it was applied.", examples=[RULES_EXAMPLE])
    ]


class VersionApplied(msgspec.Struct, frozen=True, rename="camel"):
    """What applying a document did, or would do."""

    name: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    version: Annotated[
        int, Meta(description="The version in force now; of a dry run, the next.", examples=[4])
    ]
    changed: Annotated[
        bool, Meta(description="False when this very document is in force.", examples=[True])
    ]
    dry_run: DryRunFlag
    differences: Differences
    remarks: Annotated[list[str], Meta(description="What the author should know.", examples=[[]])]


class VersionReturned(msgspec.Struct, frozen=True, rename="camel"):
    """What a rollback did, or would do."""

    version: Version
    before: Annotated[int, Meta(description="The version until now.", examples=[4])]
    dry_run: DryRunFlag
    differences: Differences


class DocumentFlaw(msgspec.Struct, frozen=True, rename="camel"):
    """One mistake in a document."""

    path: Annotated[str, Meta(description="Of what.", examples=["rules[0].when"])]
    line: Annotated[int, Meta(description="Counted from 1; 0 for the whole.", examples=[4])]
    column: Annotated[int, Meta(description="Counted from 1; 0 for the whole.", examples=[11])]
    message: Annotated[str, Meta(description="What is wrong.", examples=["is not known"])]


class DocumentChecked(msgspec.Struct, frozen=True, rename="camel"):
    """Whether a document could be applied."""

    valid: Annotated[bool, Meta(description="Whether it could be applied.", examples=[True])]
    name: Annotated[
        str | None, Meta(description="Its name, if it can be read.", examples=["checkout"])
    ]
    flaws: Annotated[list[DocumentFlaw], Meta(description="All mistakes that were found.")]
    differences: Differences
    remarks: Annotated[list[str], Meta(description="What the author should know.", examples=[[]])]


def shown_versions(lines: list[VersionLine], limit: int, below: int | None) -> VersionPage:
    """A page of versions, below the number of the last one that was seen."""
    wanted = [line for line in lines if below is None or line.version < below]
    shown = [
        VersionEntry(line.version, iso_time(line.created_at_ms), line.actor, line.note, line.active)
        for line in wanted[:limit]
    ]
    return VersionPage(shown, len(wanted) > limit)


def shown_applied(done: AppliedVersion, *, dry_run: bool) -> VersionApplied:
    """What applying did."""
    return VersionApplied(
        done.name, done.version, done.changed, dry_run, done.differences, done.warnings or []
    )


def shown_return(done: RolledBack, *, dry_run: bool) -> VersionReturned:
    """What a rollback did."""
    return VersionReturned(done.version, done.before, dry_run, done.differences)
