"""Documents that become numbered versions, as every face takes and shows them."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, LONGEST_NOTE, DryRunFlag, HasMore, PageSize
from gatehouse.core.clock import Moment

RULES_EXAMPLE: Final = """\
rule_set: checkout
rules:
  - name: large-order
    condition: order.amount > 500
    outcome: REVIEW
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
VersionNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
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
    has_more: HasMore


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


class ConfiguredSummary(msgspec.Struct, frozen=True, rename="camel"):
    """What is in force under one name."""

    name: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    version: Annotated[int, Meta(description="The version in force.", examples=[3])]
    parts: Annotated[int, Meta(description="How many rules, or stages.", examples=[12])]
    description: Annotated[str, Meta(description="What it is for.", examples=["Card payments"])]


class ConfiguredPage(msgspec.Struct, frozen=True, rename="camel"):
    """Everything of a kind that is in force, by name."""

    items: Annotated[list[ConfiguredSummary], Meta(description="By name.")]


class VersionWanted(msgspec.Struct, frozen=True, rename="camel"):
    """Which version to show."""

    version: Annotated[
        VersionNumber | None, Meta(description="Its number; without it, the one in force.")
    ] = None


class VersionsWanted(msgspec.Struct, frozen=True, rename="camel"):
    """Which part of a history to show."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        VersionNumber | None, Meta(description="The last version of the page before.")
    ] = None
