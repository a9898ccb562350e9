"""What a ring is, as far as the decisions of an account tell it."""

from enum import StrEnum
from typing import Annotated, Final

from gatehouse.admin.entities.types import EntityType
from gatehouse.core.api_values import CamelStruct, DryRunFlag, doc
from gatehouse.core.clock import Moment
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label

MOST_READ: Final = 1000
"""Of so many of the newest decisions rings are listed, and one is shown."""
MOST_GLIMPSED: Final = 100
"""Of so many the page of a decision tells what its ring comes to."""
MOST_SHOWN: Final = 100
LAST_DECISIONS: Final = 20
LONGEST_REASON: Final = 200
BLOCKED: Final = (
    EntityType.USER,
    EntityType.CARD,
    EntityType.EMAIL,
    EntityType.PHONE,
    EntityType.DEVICE,
)
"""What is blocked of a ring. Addresses are shared by too many."""
_MOST_DAYS: Final = 3650

RingId = Annotated[str, doc("The `id` of the ring, as decisions name it.")]
_Id = Annotated[str, doc("Its id.", "ring_01kabcdefghjkmnpqrstvwxyz0")]
_Count = Annotated[int, doc("How many.", 12)]
_Since = Annotated[Moment, doc("When it was first seen (RFC 3339).")]
_Until = Annotated[Moment, doc("When it was last seen (RFC 3339).")]


class RingOrder(StrEnum):
    """Which rings come first."""

    PEOPLE = "people"
    FRAUDS = "frauds"
    NEWEST = "newest"


class RingSearch(CamelStruct):
    """Which rings to list."""

    order: Annotated[
        str,
        doc(
            "What comes first: the most `people`, the most `frauds`, the `newest`.",
            pattern=r"^(people|frauds|newest)\Z",
            max_length=8,
        ),
    ] = RingOrder.PEOPLE.value
    limit: Annotated[int, doc("How many rings at most.", ge=1, le=MOST_SHOWN)] = 20


class RingMoney(CamelStruct):
    """Amounts of orders in one currency."""

    currency: Annotated[str | None, doc("ISO 4217 code.", "USD")]
    amount: Annotated[float, doc("In units of the currency.", 249.9)]


class RingShown(CamelStruct):
    """A ring by the decisions that were looked at."""

    id: _Id
    people: Annotated[int, doc("Different users or mailboxes; cards without either.", 4)]
    decisions: _Count
    frauds: Annotated[int, doc("Decisions that turned out to be fraud.", 3)]
    amounts: Annotated[list[RingMoney], doc("What the orders come to, in each currency.")]
    first_seen_at: _Since
    last_seen_at: _Until


class RingPage(CamelStruct):
    """Rings of an account."""

    rings: Annotated[list[RingShown], doc("In the order that was asked for.")]
    complete: Annotated[
        bool,
        doc(f"Whether all decisions with a ring were looked at: the newest {MOST_READ} are.", True),
    ]


class RingMember(Personal, frozen=True, rename="camel"):
    """Somebody or something in a ring, as decisions keep it."""

    kind: Annotated[EntityType, doc("What it is.", "user")]
    value: Annotated[str, doc("As decisions name it: a name or a fingerprint.", "u-4711")]
    decisions: _Count
    frauds: Annotated[int, doc("Decisions that turned out to be fraud.", 1)]
    first_seen_at: _Since
    last_seen_at: _Until


class RingDecision(CamelStruct):
    """One of a ring's decisions."""

    request_id: Annotated[str, doc("The request.")]
    at: Annotated[Moment, doc("When it came in (RFC 3339).")]
    operation: Annotated[str, doc("The operation.", "pipeline")]
    decision: Annotated[Outcome | None, doc("What was decided.")]
    amount: Annotated[RingMoney | None, doc("The order's amount.")]
    label: Annotated[Label | None, doc("What it turned out to be, as of now.")]


class RingDetails(CamelStruct):
    """One ring."""

    ring: Annotated[RingShown, doc("What it comes to.")]
    members: Annotated[list[RingMember], doc("People first, then what they used.")]
    last_decisions: Annotated[list[RingDecision], doc(f"The newest {LAST_DECISIONS}.")]
    labels: Annotated[
        dict[str, int], doc("How many decisions have which label.", {"CHARGEBACK": 3})
    ]
    complete: Annotated[bool, doc(f"Whether it has no more than {MOST_READ} decisions.", True)]


class RingBlocking(CamelStruct):
    """Why and for how long all members of a ring are blocked."""

    reason: Annotated[
        str,
        doc(
            "Why, for the entries and the audit log.",
            "stolen cards, one device",
            min_length=1,
            max_length=LONGEST_REASON,
        ),
    ]
    days: Annotated[
        int, doc("After how many days the entries expire.", 90, ge=1, le=_MOST_DAYS)
    ] = 90
    prefix: Annotated[
        str,
        doc(
            "What the lists' names begin with: `blocked` puts users on `blocked-users`,"
            " cards on `blocked-cards`, and so on. A list that does not exist is created.",
            "blocked",
            pattern=r"^[a-z0-9][a-z0-9_-]{0,49}\Z",
        ),
    ] = "blocked"


class MembersListed(CamelStruct):
    """What became of the members of one kind."""

    list: Annotated[str, doc("The list.", "blocked-users")]
    added: Annotated[int, doc("How many are new on it.", 4)]
    changed: Annotated[int, doc("Got another expiry or reason.", 0)]
    unchanged: Annotated[int, doc("Were there alike.", 0)]


class RingBlocked(CamelStruct):
    """A ring whose members are on lists."""

    id: _Id
    lists: Annotated[list[MembersListed], doc("By kind.")]
    dry_run: DryRunFlag
