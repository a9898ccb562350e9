"""What lists and their entries are, as every face shows them."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import DEFAULT_PAGE, Cursor, DryRunFlag, HasMore, PageSize
from gatehouse.core.clock import Moment
from gatehouse.core.secrets.hidden import Personal
from gatehouse.rules.list_entries import ListKind

MOST_ENTRIES: Final = 1000
_LONGEST_REASON: Final = 200
_BY: Final = ["key:key_01kabcdefghjkmnpqrstvwxyz0"]

PathName = Annotated[str, Meta(description="Name of the list.", examples=["bad-networks"])]
ListName = Annotated[
    str, Meta(min_length=1, max_length=64, description="Its name.", examples=["bad-networks"])
]
Reason = Annotated[
    Annotated[str, Meta(max_length=_LONGEST_REASON)] | None,
    Meta(description="Why.", examples=["card testing"]),
]
EntryValue = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=512,
        description="As the kind of the list has it: a network, a mailbox, a card number, ...",
        examples=["203.0.113.0/24"],
    ),
]
Counted = Annotated[int, Meta(description="How many.", examples=[1])]


class NewList(msgspec.Struct, frozen=True, rename="camel"):
    """A list to create."""

    name: ListName
    kind: Annotated[ListKind, Meta(description="What it holds.", examples=["networks"])]
    description: Annotated[
        Annotated[str, Meta(max_length=_LONGEST_REASON)] | None,
        Meta(description="What it is for.", examples=["Networks of card testers"]),
    ] = None


class ListShown(msgspec.Struct, frozen=True, rename="camel"):
    """A list."""

    name: ListName
    kind: Annotated[ListKind, Meta(description="What it holds.", examples=["networks"])]
    description: Annotated[str | None, Meta(description="What it is for.")]
    entries: Annotated[int, Meta(description="How many are in force.", examples=[12])]
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]


class ListPage(msgspec.Struct, frozen=True, rename="camel"):
    """All lists of an account."""

    lists: Annotated[list[ListShown], Meta(description="By name.")]


class ListDropped(msgspec.Struct, frozen=True, rename="camel"):
    """A list that is gone."""

    name: ListName
    entries: Annotated[int, Meta(description="How many were in force.", examples=[12])]


class ListDropping(msgspec.Struct, frozen=True, rename="camel"):
    """How a list is dropped."""

    force: Annotated[bool, Meta(description="`true` drops it although rules use it.")] = False


UNFORCED: Final = ListDropping()


class EntryToAdd(Personal, frozen=True, rename="camel"):
    """One entry."""

    value: EntryValue
    reason: Reason = None
    expires: Annotated[
        Annotated[str, Meta(max_length=40)] | None,
        Meta(description="A span such as 30d, a day, or a time.", examples=["30d"]),
    ] = None


class EntriesToAdd(Personal, frozen=True, rename="camel"):
    """Entries to put on a list."""

    entries: Annotated[
        list[EntryToAdd],
        Meta(
            min_length=1,
            max_length=MOST_ENTRIES,
            description="Each value once.",
            examples=[[{"value": "203.0.113.0/24", "reason": "card testing"}]],
        ),
    ]
    kind: Annotated[
        ListKind | None,
        Meta(description="With it, the list is created if there is none.", examples=["networks"]),
    ] = None
    reason: Annotated[
        Annotated[str, Meta(max_length=_LONGEST_REASON)] | None,
        Meta(description="For entries without one of their own."),
    ] = None
    expires_in_s: Annotated[
        Annotated[int, Meta(ge=1, le=3_153_600_000)] | None,
        Meta(description="Seconds, for entries without an expiry of their own."),
    ] = None


class EntriesAdded(msgspec.Struct, frozen=True, rename="camel"):
    """What became of entries."""

    name: ListName
    added: Counted
    changed: Annotated[int, Meta(description="Got another expiry or reason.", examples=[0])]
    unchanged: Annotated[int, Meta(description="Were there alike.", examples=[0])]
    dry_run: DryRunFlag


class EntriesToRemove(Personal, frozen=True, rename="camel"):
    """Entries to take off a list."""

    values: Annotated[
        list[EntryValue],
        Meta(
            min_length=1,
            max_length=MOST_ENTRIES,
            description="As they were added.",
            examples=[["203.0.113.0/24"]],
        ),
    ]


class EntriesRemoved(msgspec.Struct, frozen=True, rename="camel"):
    """Entries that are off a list."""

    name: ListName
    removed: Counted


class EntrySearch(Personal, frozen=True, rename="camel"):
    """Which entries to show."""

    value: Annotated[
        EntryValue | None, Meta(description="Only this one, written as it would be added.")
    ] = None
    gone: Annotated[bool, Meta(description="Whether removed and expired ones are shown.")] = False
    limit: PageSize = DEFAULT_PAGE
    cursor: Annotated[
        Annotated[str, Meta(max_length=1000)] | None,
        Meta(description="The `cursor` of the page before."),
    ] = None


class EntryShown(msgspec.Struct, frozen=True, rename="camel"):
    """An entry as people may see it."""

    value: Annotated[str, Meta(description="What is shown of it.", examples=["203.0.113.0/24"])]
    status: Annotated[
        str, Meta(description="`listed`, `expired` or `removed`.", examples=["listed"])
    ]
    reason: Annotated[str | None, Meta(description="Why.", examples=["card testing"])]
    by: Annotated[str, Meta(description="Who put it there.", examples=_BY)]
    added_at: Annotated[Moment, Meta(description="When (RFC 3339).")]
    expires_at: Annotated[Moment | None, Meta(description="Until when it counts (RFC 3339).")]
    removed_at: Annotated[Moment | None, Meta(description="When it was removed (RFC 3339).")]


class EntryShownPage(msgspec.Struct, frozen=True, rename="camel"):
    """Entries of a list."""

    entries: Annotated[list[EntryShown], Meta(description="By value.")]
    has_more: HasMore
    cursor: Annotated[str | None, Meta(description="For the next page.")]


class OperationSearch(msgspec.Struct, frozen=True, rename="camel"):
    """Which changes of a list to show."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Cursor | None, Meta(description="The `cursor` of the page before.")
    ] = None


class ListOperation(msgspec.Struct, frozen=True, rename="camel"):
    """One change of a list."""

    action: Annotated[str, Meta(description="What was done.", examples=["list.add"])]
    by: Annotated[str, Meta(description="By whom.", examples=_BY)]
    at: Annotated[Moment, Meta(description="When (RFC 3339).")]
    counts: Annotated[
        dict[str, int],
        Meta(description="How many entries became what.", examples=[{"added": 1, "changed": 0}]),
    ]


class ListOperationPage(msgspec.Struct, frozen=True, rename="camel"):
    """Changes of a list, newest first."""

    operations: Annotated[list[ListOperation], Meta(description="Newest first.")]
    has_more: HasMore
    cursor: Annotated[str | None, Meta(description="For `startingAfter` of the next page.")]
