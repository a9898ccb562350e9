"""What lists and their entries are, as every face shows them."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import (
    DEFAULT_PAGE,
    CamelStruct,
    Cursor,
    DryRunFlag,
    HasMore,
    PageSize,
    doc,
)
from gatehouse.core.clock import Moment
from gatehouse.core.secrets.hidden import Personal
from gatehouse.rules.list_entries import ListKind

MOST_ENTRIES: Final = 1000
_LONGEST_REASON: Final = 200
_BY: Final = ["key:key_01kabcdefghjkmnpqrstvwxyz0"]

PathName = Annotated[str, doc("Name of the list.", "bad-networks")]
ListName = Annotated[str, doc("Its name.", "bad-networks", min_length=1, max_length=64)]
Reason = Annotated[
    Annotated[str, Meta(max_length=_LONGEST_REASON)] | None, doc("Why.", "card testing")
]
EntryValue = Annotated[
    str,
    doc(
        "As the kind of the list has it: a network, a mailbox, a card number, ...",
        "203.0.113.0/24",
        min_length=1,
        max_length=512,
    ),
]
Counted = Annotated[int, doc("How many.", 1)]


class NewList(CamelStruct):
    """A list to create."""

    name: ListName
    kind: Annotated[ListKind, doc("What it holds.", "networks")]
    description: Annotated[
        Annotated[str, Meta(max_length=_LONGEST_REASON)] | None,
        doc("What it is for.", "Networks of card testers"),
    ] = None


class ListShown(CamelStruct):
    """A list."""

    name: ListName
    kind: Annotated[ListKind, doc("What it holds.", "networks")]
    description: Annotated[str | None, doc("What it is for.")]
    entries: Annotated[int, doc("How many are in force.", 12)]
    created_at: Annotated[Moment, doc("When it was made (RFC 3339).")]


class ListPage(CamelStruct):
    """All lists of an account."""

    lists: Annotated[list[ListShown], doc("By name.")]


class ListDropped(CamelStruct):
    """A list that is gone."""

    name: ListName
    entries: Annotated[int, doc("How many were in force.", 12)]


class ListDropping(CamelStruct):
    """How a list is dropped."""

    force: Annotated[bool, doc("`true` drops it although rules use it.")] = False


UNFORCED: Final = ListDropping()


class EntryToAdd(Personal, frozen=True, rename="camel"):
    """One entry."""

    value: EntryValue
    reason: Reason = None
    expires: Annotated[
        Annotated[str, Meta(max_length=40)] | None,
        doc("A span such as 30d, a day, or a time.", "30d"),
    ] = None


class EntriesToAdd(Personal, frozen=True, rename="camel"):
    """Entries to put on a list."""

    entries: Annotated[
        list[EntryToAdd],
        doc(
            "Each value once.",
            [{"value": "203.0.113.0/24", "reason": "card testing"}],
            min_length=1,
            max_length=MOST_ENTRIES,
        ),
    ]
    kind: Annotated[
        ListKind | None, doc("With it, the list is created if there is none.", "networks")
    ] = None
    reason: Annotated[
        Annotated[str, Meta(max_length=_LONGEST_REASON)] | None,
        doc("For entries without one of their own."),
    ] = None
    expires_in_s: Annotated[
        Annotated[int, Meta(ge=1, le=3_153_600_000)] | None,
        doc("Seconds, for entries without an expiry of their own."),
    ] = None


class EntriesAdded(CamelStruct):
    """What became of entries."""

    name: ListName
    added: Counted
    changed: Annotated[int, doc("Got another expiry or reason.", 0)]
    unchanged: Annotated[int, doc("Were there alike.", 0)]
    dry_run: DryRunFlag


class EntriesToRemove(Personal, frozen=True, rename="camel"):
    """Entries to take off a list."""

    values: Annotated[
        list[EntryValue],
        doc("As they were added.", ["203.0.113.0/24"], min_length=1, max_length=MOST_ENTRIES),
    ]


class EntriesRemoved(CamelStruct):
    """Entries that are off a list."""

    name: ListName
    removed: Counted


class EntrySearch(Personal, frozen=True, rename="camel"):
    """Which entries to show."""

    value: Annotated[EntryValue | None, doc("Only this one, written as it would be added.")] = None
    gone: Annotated[bool, doc("Whether removed and expired ones are shown.")] = False
    limit: PageSize = DEFAULT_PAGE
    cursor: Annotated[
        Annotated[str, Meta(max_length=1000)] | None, doc("The `cursor` of the page before.")
    ] = None


class EntryShown(CamelStruct):
    """An entry as people may see it."""

    value: Annotated[str, doc("What is shown of it.", "203.0.113.0/24")]
    status: Annotated[str, doc("`listed`, `expired` or `removed`.", "listed")]
    reason: Annotated[str | None, doc("Why.", "card testing")]
    by: Annotated[str, doc("Who put it there.", *_BY)]
    added_at: Annotated[Moment, doc("When (RFC 3339).")]
    expires_at: Annotated[Moment | None, doc("Until when it counts (RFC 3339).")]
    removed_at: Annotated[Moment | None, doc("When it was removed (RFC 3339).")]


class EntryShownPage(CamelStruct):
    """Entries of a list."""

    entries: Annotated[list[EntryShown], doc("By value.")]
    has_more: HasMore
    cursor: Annotated[str | None, doc("For the next page.")]


class OperationSearch(CamelStruct):
    """Which changes of a list to show."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[Cursor | None, doc("The `cursor` of the page before.")] = None


class ListOperation(CamelStruct):
    """One change of a list."""

    action: Annotated[str, doc("What was done.", "list.add")]
    by: Annotated[str, doc("By whom.", *_BY)]
    at: Annotated[Moment, doc("When (RFC 3339).")]
    counts: Annotated[
        dict[str, int], doc("How many entries became what.", {"added": 1, "changed": 0})
    ]


class ListOperationPage(CamelStruct):
    """Changes of a list, newest first."""

    operations: Annotated[list[ListOperation], doc("Newest first.")]
    has_more: HasMore
    cursor: Annotated[str | None, doc("For `startingAfter` of the next page.")]
