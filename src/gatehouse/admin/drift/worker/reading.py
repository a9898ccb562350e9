"""Counts what decision records of some hours say, without keeping any value."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gatehouse.admin.drift.types.profile import PART_MS, Counts, TrafficProfile, place_of
from gatehouse.conditions.nodes import Type
from gatehouse.decisions.signal_columns import ColumnReader
from gatehouse.decisions.signal_layout import Layout, everything
from gatehouse.decisions.signal_rows import ABOUT
from gatehouse.figures.record_facts import RecordFacts, facts_of
from gatehouse.store.database import Database
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import KeptRecord, RecordSpan

_SLICE_MS: Final = 900_000
AT_MOST: Final = 500
"""Requests of a quarter of an hour: the first ones. More would cost time, and say no more."""
_MOST_CUSTOM: Final = 50
_PERSONAL: Final = frozenset(
    (
        *("card.fingerprint", "card.accountFingerprint", "email.fingerprint", "phone.fingerprint"),
        *("user.id", "device.id", "ip.address", "ip.network"),
    )
)
"""They name one customer, and what one customer does is for velocity and rules."""
_TIMES: Final = frozenset(("request.hour", "request.weekday"))
_PARTIES: Final = ("gateway.", "rules.")
"""What the gateway answers is watched as a connector; rules are counted one by one."""
_NAMES: Final = frozenset(("ip.asn",))
"""Numbers that are names."""
_SENTRY: Final = "sentry."


def _watched() -> Layout:
    """The signals that are compared; counts of velocity grow with the number of orders."""
    known = everything()
    kept = {
        name: kind
        for name, kind in {**known.own, **known.given}.items()
        if kind is not Type.WORDS
        and name not in _PERSONAL | _TIMES
        and not name.startswith(_PARTIES)
        and not name.endswith(".completed")
    }
    return Layout(kept)


class ProfileReader:
    """Makes profiles of the records of accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        layout = _watched()
        self._reader = ColumnReader(layout, in_the_end=True)
        self._names = self._reader.columns[len(ABOUT) :]
        self.scores: Final = frozenset(
            name
            for name, kind in layout.given.items()
            if name.startswith(_SENTRY) and kind is Type.NUMBER
        )

    def read(self, account_id: str, start_ms: int) -> TrafficProfile:
        """The profile of one part."""
        made = TrafficProfile(0, {}, {}, {})
        for since_ms in range(start_ms, start_ms + PART_MS, _SLICE_MS):
            span = RecordSpan(account_id, since_ms, since_ms + _SLICE_MS)
            # No card is looked at, so fingerprints stay as they are kept.
            first = next(records.stream(self._database, span, None, batch=AT_MOST), [])
            self._add(first, made)
        return made

    def _add(self, kept: Sequence[KeptRecord], made: TrafficProfile) -> None:
        texts = [each.text for each in kept]
        facts = [facts_of(each) for each in texts]
        seen = self._reader.read(texts)
        usable = [place for place, which in enumerate(seen.which) if _is_usable(facts[which])]
        made.requests += len(usable)
        for name, column in zip(self._names, seen.columns[len(ABOUT) :], strict=True):
            self._count(name, (column[place] for place in usable), made)
        for place in usable:
            told = facts[seen.which[place]]
            _count_rules(told, made)
            for name, value in told.custom.items():
                if name in made.signals or len(made.signals) < len(self._names) + _MOST_CUSTOM:
                    self._count(name, iter((value,)), made)

    def _count(self, name: str, values: Iterator[Any], made: TrafficProfile) -> None:
        counts: Counts | None = made.signals.get(name)
        known = [each for each in values if isinstance(each, str | int | float)]
        for value, count in Counter(known).items():
            if name in self.scores and isinstance(value, int | float):
                # Most scores are close to one, where their distance from it tells them apart.
                place = place_of(round(1.0 - value, 4))
            else:
                place = place_of(str(value) if name in _NAMES else value)
            assert place is not None, "a text, a number or a flag has a place"
            if counts is None:
                counts = made.signals[name] = {}
            counts[place] = counts.get(place, 0) + count


def _is_usable(facts: RecordFacts) -> bool:
    """Whether every stage completed: what an outage does is told as that of a connector."""
    return not facts.erased and all(facts.completed.values())


def _count_rules(facts: RecordFacts, made: TrafficProfile) -> None:
    for version in set(facts.rule_sets):
        made.judged[version] = made.judged.get(version, 0) + 1
    for each in {*facts.matched, *facts.shadow}:
        rule_set, _, rule = each.split("/", 2)
        name = f"{rule_set}/{rule}"
        made.rules[name] = made.rules.get(name, 0) + 1
