"""Documents that become numbered versions, as every face takes and shows them."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import (
    DEFAULT_PAGE,
    LONGEST_NOTE,
    CamelStruct,
    DryRunFlag,
    HasMore,
    PageSize,
    doc,
)
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
    doc(
        "The file as YAML, as `apply` of the command line takes it.",
        RULES_EXAMPLE,
        min_length=1,
        max_length=262_144,
    ),
]
Note = Annotated[
    Annotated[str, Meta(max_length=LONGEST_NOTE)] | None,
    doc("Why, for the history.", "Review large orders"),
]
Version = Annotated[int, doc("Its number.", 3)]
VersionNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Differences = Annotated[
    list[str],
    doc(
        "What changes, a line each: `+` is new, `-` is gone, `~` is changed.",
        ["~ large-order: condition: order.amount > 500 -> order.amount > 600"],
    ),
]


class DocumentChange(CamelStruct):
    """A document to put in force."""

    document: Document
    note: Note = None


class DocumentToCheck(CamelStruct):
    """A document to check."""

    document: Document


class VersionReturn(CamelStruct):
    """Which version to go back to."""

    to: Annotated[
        Annotated[int, Meta(ge=0, le=2**31 - 1)] | None,
        doc("Without it, the one in force before the present one.", 2),
    ] = None


class VersionEntry(CamelStruct):
    """One version."""

    version: Version
    created_at: Annotated[Moment, doc("When it was made (RFC 3339).")]
    by: Annotated[
        str, doc("The key, or the operator, that made it.", "key:key_01kabcdefghjkmnpqrstvwxyz0")
    ]
    note: Annotated[str | None, doc("Why.", "Review large orders")]
    in_force: Annotated[bool, doc("Whether requests use it.", True)]


class VersionPage(CamelStruct):
    """Versions, newest first."""

    versions: Annotated[list[VersionEntry], doc("Newest first.")]
    has_more: HasMore


class VersionShown(CamelStruct):
    """One version as its author wrote it."""

    name: Annotated[str, doc("Its name.", "checkout")]
    version: Version
    in_force: Annotated[bool, doc("Whether requests use it.", True)]
    document: Annotated[str, doc("The file as it was applied.", RULES_EXAMPLE)]


class VersionApplied(CamelStruct):
    """What applying a document did, or would do."""

    name: Annotated[str, doc("Its name.", "checkout")]
    version: Annotated[int, doc("The version in force now; of a dry run, the next.", 4)]
    changed: Annotated[bool, doc("False when this very document is in force.", True)]
    dry_run: DryRunFlag
    differences: Differences
    remarks: Annotated[list[str], doc("What the author should know.", [])]


class VersionReturned(CamelStruct):
    """What a rollback did, or would do."""

    version: Version
    before: Annotated[int, doc("The version until now.", 4)]
    dry_run: DryRunFlag
    differences: Differences


class DocumentFlaw(CamelStruct):
    """One mistake in a document."""

    path: Annotated[str, doc("Of what.", "rules[0].when")]
    line: Annotated[int, doc("Counted from 1; 0 for the whole.", 4)]
    column: Annotated[int, doc("Counted from 1; 0 for the whole.", 11)]
    message: Annotated[str, doc("What is wrong.", "is not known")]


class DocumentChecked(CamelStruct):
    """Whether a document could be applied."""

    valid: Annotated[bool, doc("Whether it could be applied.", True)]
    name: Annotated[str | None, doc("Its name, if it can be read.", "checkout")]
    flaws: Annotated[list[DocumentFlaw], doc("All mistakes that were found.")]
    differences: Differences
    remarks: Annotated[list[str], doc("What the author should know.", [])]


class ConfiguredSummary(CamelStruct):
    """What is in force under one name."""

    name: Annotated[str, doc("Its name.", "checkout")]
    version: Annotated[int, doc("The version in force.", 3)]
    parts: Annotated[int, doc("How many rules, or stages.", 12)]
    description: Annotated[str, doc("What it is for.", "Card payments")]


class ConfiguredPage(CamelStruct):
    """Everything of a kind that is in force, by name."""

    items: Annotated[list[ConfiguredSummary], doc("By name.")]


class VersionWanted(CamelStruct):
    """Which version to show."""

    version: Annotated[VersionNumber | None, doc("Its number; without it, the one in force.")] = (
        None
    )


class VersionsWanted(CamelStruct):
    """Which part of a history to show."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[VersionNumber | None, doc("The last version of the page before.")] = (
        None
    )
