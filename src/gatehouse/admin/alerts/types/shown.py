"""Alerts as programs and people see them, and what is kept of one."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.alerts.types.hours import Measure
from gatehouse.admin.alerts.types.judging import AlertFinding, AlertKind, Departed, newest_ids
from gatehouse.admin.alerts.types.observing import ValueKind
from gatehouse.admin.alerts.types.standing_out import (
    AtStake,
    ProposedRule,
    StandingOut,
    at_stake,
    proposed_rule,
    standing_out,
)
from gatehouse.admin.alerts.types.usual import UsualTraffic
from gatehouse.core.api_values import CamelStruct, DryRunFlag, PageSize, doc
from gatehouse.core.clock import Moment, iso_time
from gatehouse.core.secrets.hidden import Personal

MOST_SHOWN: Final = 100
MOST_EXAMPLES: Final = 20
LONGEST_NOTE: Final = 200
BLOCKABLE: Final = (
    ValueKind.ADDRESS,
    ValueKind.NETWORK,
    ValueKind.DEVICE,
    ValueKind.DOMAIN,
    ValueKind.BIN,
)
"""What lists can hold."""
BLOCKED_UNASKED: Final = (ValueKind.ADDRESS, ValueKind.DEVICE)
"""What is blocked unless something else is asked for: others share the rest."""
_LIFT_TO_BLOCK: Final = 5.0

AlertId = Annotated[str, doc("The `id` of the alert.")]
_Id = Annotated[str, doc("Its id.", "alr_01kabcdefghjkmnpqrstvwxyz0")]
_Kind = Annotated[
    AlertKind,
    doc(
        "`attack`: orders that go badly are added, or one origin brings many cards. "
        "`feast`: far more orders than usual in the usual mix. `outage`: a party fails or refuses "
        "the usual customers."
    ),
]


class MeasureDeparting(CamelStruct):
    """One of the counts that depart from the normal."""

    measure: Annotated[Measure, doc("What is counted.", "refused")]
    count: Annotated[int, doc("How many there were.", 34)]
    usual: Annotated[float, doc("How many there usually are of as many requests.", 1.6)]
    requests: Annotated[int, doc("Of how many requests.", 52)]


class AlertFound(CamelStruct):
    """What is kept of an alert, as it was last seen."""

    window_minutes: int
    requests: int
    measures: list[MeasureDeparting] = []
    values: list[StandingOut] = []
    at_stake: list[AtStake] = []
    rule: ProposedRule | None = None
    examples: list[str] = []


class AlertShown(Personal, frozen=True, rename="camel"):
    """An alert."""

    id: _Id
    kind: _Kind
    began_at: Annotated[Moment, doc("When it was raised (RFC 3339).")]
    seen_at: Annotated[Moment, doc("When it last departed from the normal.")]
    ended_at: Annotated[Moment | None, doc("When it ended; null until then.")]
    ended_by: Annotated[str | None, doc("Who ended it; null if it went back to normal by itself.")]
    acknowledged_at: Annotated[Moment | None, doc("When somebody said that they look after it.")]
    acknowledged_by: Annotated[str | None, doc("Who.")]
    note: Annotated[str | None, doc("What they said.")]
    said: Annotated[str, doc("What it means, in a sentence.")]
    window_minutes: Annotated[int, doc("Of how many minutes the figures are.", 60)]
    requests: Annotated[int, doc("How many requests it is about.", 40)]
    measures: Annotated[list[MeasureDeparting], doc("The counts that depart from the normal.")]
    values: Annotated[
        list[StandingOut], doc("The values that stand out, most frequent of each kind first.")
    ]
    at_stake: Annotated[list[AtStake], doc("What these requests come to, in each currency.")]
    rule: Annotated[ProposedRule | None, doc("A rule that most of them fit, to begin with.")]
    examples: Annotated[
        list[str], doc(f"The newest {MOST_EXAMPLES} of the requests, newest first.")
    ]


class AlertSearch(CamelStruct):
    """Which alerts to list."""

    limit: PageSize = MOST_SHOWN
    ended: Annotated[bool, doc("Whether to list those that have ended, too.")] = False


class AlertPage(CamelStruct):
    """Alerts of an account."""

    alerts: Annotated[list[AlertShown], doc("What goes on first, newest first.")]


class AlertAnswer(CamelStruct):
    """What a person says about an alert."""

    note: Annotated[
        Annotated[str, Meta(max_length=LONGEST_NOTE)] | None,
        doc("What is done about it.", "their network is blocked"),
    ] = None
    end: Annotated[
        bool, doc("`true` ends it now. The like of it is not raised again for six hours.")
    ] = False


class AlertBlocking(CamelStruct):
    """What of an alert is blocked, and for how long."""

    kinds: Annotated[
        list[ValueKind],
        doc(
            "Which values: `address`, `network`, `device`, `domain`, `bin`. Only those"
            f" are blocked that are at least {_LIFT_TO_BLOCK:.0f} times as frequent as usual.",
            ["address", "device"],
            max_length=len(BLOCKABLE),
        ),
    ] = msgspec.field(default_factory=lambda: list(BLOCKED_UNASKED))
    reason: Annotated[
        Annotated[str, Meta(max_length=LONGEST_NOTE)] | None,
        doc("Why, for the entries.", "card testing"),
    ] = None
    hours: Annotated[
        int, doc("After how many hours the entries expire.", 24, ge=1, le=24 * 365)
    ] = 24
    prefix: Annotated[
        str,
        doc(
            "What the lists' names begin with: `blocked` puts addresses on"
            " `blocked-networks`, devices on `blocked-devices`, and so on. A list that does not"
            " exist is created.",
            "blocked",
            pattern=r"^[a-z0-9][a-z0-9_-]{0,49}\Z",
        ),
    ] = "blocked"


class ValuesListed(CamelStruct):
    """What became of the values that one list holds."""

    list: Annotated[str, doc("The list.", "blocked-networks")]
    added: Annotated[int, doc("How many are new on it.", 4)]
    changed: Annotated[int, doc("Got another expiry or reason.", 0)]
    unchanged: Annotated[int, doc("Were there alike.", 0)]


class AlertBlocked(CamelStruct):
    """An alert whose values are on lists."""

    id: _Id
    lists: Annotated[list[ValuesListed], doc("By list.")]
    dry_run: DryRunFlag


def found_of(finding: AlertFinding, usual: UsualTraffic, now_ms: int) -> AlertFound:
    """What is kept of a finding."""
    seen = finding.seen
    is_attack = finding.kind is AlertKind.ATTACK
    values = [] if finding.kind is AlertKind.FEAST else standing_out(seen, usual)
    return AlertFound(
        finding.window_ms // 60_000,
        len(seen),
        [_told(each) for each in finding.departures],
        values,
        at_stake(seen),
        proposed_rule(iso_time(now_ms)[:10], seen, values) if is_attack else None,
        newest_ids(seen, MOST_EXAMPLES),
    )


def blockable(values: list[StandingOut], kinds: list[ValueKind]) -> list[StandingOut]:
    """The values that can be put on lists, and are far more frequent than usual."""
    wanted = [kind for kind in BLOCKABLE if kind in kinds]
    return [each for each in values if each.kind in wanted and each.lift >= _LIFT_TO_BLOCK]


def _told(each: Departed) -> MeasureDeparting:
    return MeasureDeparting(each.measure, each.found, round(each.usual, 1), each.requests)
