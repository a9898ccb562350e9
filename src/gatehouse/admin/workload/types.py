"""What is done with many decisions at once, and how that is shown."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.reviews.types import (
    PersonName,
    ReasonField,
    ReviewVerdict,
    VerdictField,
    person_name,
)
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.core.api_values import CamelStruct, DryRunFlag, doc
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.labels import Label

MOST_MEANT: Final = 10_000
"""Decisions of one change."""
MOST_NAMED: Final = 1_000
DONE_AT_ONCE: Final = 50
"""So many are done before the answer; more are a job."""
UNDO_MS: Final = 600_000
"""For so long after its end the one who made a change may undo it."""
MOST_TOLD: Final = 100
_MOST_DAYS: Final = 3650

BulkId = Annotated[str, doc("The `id` of the answer that began it.")]
_Count = Annotated[int, Meta(examples=[40])]


class BulkAction(StrEnum):
    """What can be done with many decisions."""

    RESOLVE = "resolve"
    LABEL = "label"
    ASSIGN = "assign"
    LIST = "list"


class BulkState(StrEnum):
    """How far a change is."""

    RUNNING = "RUNNING"
    DONE = "DONE"
    UNDOING = "UNDOING"
    UNDONE = "UNDONE"


class ItemState(StrEnum):
    """What became of one decision of a change."""

    PENDING = "PENDING"
    DONE = "DONE"
    REFUSED = "REFUSED"
    UNDONE = "UNDONE"
    KEPT = "KEPT"
    """It was done and could not be undone."""


class BulkTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """What exactly is done with each decision."""

    approve: bool = False
    reason: str | None = None
    label: Label | None = None
    assignee: str | None = None
    list: str | None = None
    entity: EntityType | None = None
    days: int | None = None


class BulkSelection(Checked, Personal, frozen=True, rename="camel", kw_only=True):
    """Which decisions: those that are named, or all that a search finds."""

    request_ids: Annotated[
        list[Annotated[str, Meta(max_length=128)]] | None,
        doc(
            f"The `requestId`s of 1 to {MOST_NAMED} decisions; give this or `search`.",
            ["req_01kabcdefghjkmnpqrstvwxyz0"],
        ),
    ] = None
    search: Annotated[
        DecisionSearchRequest | None,
        Meta(
            description=f"As for a search; at most {MOST_MEANT} may fit. Its page is ignored.",
            examples=[],
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Whether exactly one is given."""
        if (self.request_ids is None) == (self.search is None):
            yield "requestIds", "give either requestIds or search"
        elif isinstance(self.request_ids, list) and not 1 <= len(self.request_ids) <= MOST_NAMED:
            yield "requestIds", f"must have 1 to {MOST_NAMED} ids"


class ResolveMany(BulkSelection, frozen=True, rename="camel", kw_only=True):
    """One verdict on the open reviews of many decisions."""

    resolution: VerdictField
    reason: ReasonField

    @property
    def terms(self) -> BulkTerms:
        """What is done with each."""
        return BulkTerms(approve=self.resolution is ReviewVerdict.APPROVE, reason=self.reason)


class LabelMany(BulkSelection, frozen=True, rename="camel", kw_only=True):
    """One label for many decisions."""

    label: Annotated[Label, doc("What they turned out to be.", "FRAUD")]

    @property
    def terms(self) -> BulkTerms:
        """What is done with each."""
        return BulkTerms(label=self.label)


class AssignMany(BulkSelection, frozen=True, rename="camel", kw_only=True):
    """One person for the reviews of many decisions."""

    assignee: Annotated[
        PersonName | None, doc("Your name for the person; null for nobody.", "amelia")
    ]

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the name beyond its form."""
        yield from BulkSelection.problems(self)
        if isinstance(self.assignee, str):
            try:
                person_name(self.assignee)
            except InvalidInput as error:
                yield "assignee", str(error)

    @property
    def terms(self) -> BulkTerms:
        """What is done with each."""
        return BulkTerms(assignee=self.assignee)


class ListMany(BulkSelection, frozen=True, rename="camel", kw_only=True):
    """A list for who or what acted in many decisions."""

    list: Annotated[str, doc("The list.", "blocked", min_length=1, max_length=64)]
    entity: Annotated[EntityType, doc("What is put on it.", "user")]
    reason: Annotated[str, doc("Why.", "one attack", min_length=1, max_length=200)]
    days: Annotated[
        Annotated[int, Meta(ge=1, le=_MOST_DAYS)] | None,
        doc("After how many days the entries expire; without it, never."),
    ] = None

    @property
    def terms(self) -> BulkTerms:
        """What is done with each."""
        return BulkTerms(list=self.list, entity=self.entity, reason=self.reason, days=self.days)


class BulkRefusal(CamelStruct):
    """A decision with which nothing was done, or whose change stays, and why."""

    request_id: str
    why: str


class BulkShown(CamelStruct):
    """A change of many decisions: what became of it."""

    id: Annotated[str | None, doc("Its id; null of a dry run.", "blk_01kabc")]
    action: BulkAction
    state: Annotated[BulkState, doc("`RUNNING` and `UNDOING` go on in a job.")]
    at: Annotated[Moment, doc("When it began (RFC 3339).")]
    by: Annotated[str, doc("Who began it, and may undo it.")]
    undo_until: Annotated[Moment | None, doc("Until when it can be undone.")]
    pending: Annotated[_Count, doc("Not looked at yet.")]
    done: Annotated[_Count, doc("Done; of a dry run, what would be.")]
    refused: Annotated[_Count, doc("Left as they were.")]
    undone: Annotated[_Count, doc("Brought back.")]
    kept: Annotated[_Count, doc("Done, and not brought back by the undo.")]
    refusals: Annotated[
        list[BulkRefusal], doc(f"Why some were left or kept; the first {MOST_TOLD}.")
    ]
    dry_run: DryRunFlag
