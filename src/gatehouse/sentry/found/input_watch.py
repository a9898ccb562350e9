"""Watches the custom inputs of accounts, in little room, to find those worth remembering.

Of each key a sample of its values is kept: those whose number ends in enough zeros, so that each
value is in it or not, however often it comes (distinct sampling). A value is kept as a number that
stands for it. What is found is told once, and again only if it changes.

Says what a custom input looks like, from what was counted of its values.

An identifier has many values, some of which come back: with another person, or another day. An
order's number never does, and a session's only within the hour. A category has values that many
people share. Measures, moments and flags are neither, whatever they do, and free text hardly ever
comes back.
"""

from collections import OrderedDict
from collections.abc import Mapping
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple
from zlib import crc32

from gatehouse.core.limits.short_cache import cache_short
from gatehouse.sentry.found.found_inputs import InputFinding, InputKind, is_name
from gatehouse.sentry.found.shapes import NameHint, Shape, hint_of, is_personal, shape_of, texts_in
from gatehouse.sentry.placeholders import drop_placeholder

FEWEST_EVENTS: Final = 64
FEW_VALUES: Final = 64
"""So many values can be a category of few; more must come back to say something."""
_EVENTS_PER_VALUE: Final = 8.0
"""A category of few values has been seen with all of them by then. Where nobody is known, more
values that are as frequent are a category, too.
"""
_CONSTANT: Final = 0.995
"""A value with this share of the requests is all there is."""
_FIT_SHARE: Final = 0.8
"""So many of the values must look like names; the rest may be mistakes."""
_LEAST_RETURNED: Final = 3
_RETURNED_SHARE: Final = 0.01
"""Most devices of a shop are seen once; order numbers hardly ever come back at all."""
_TEXTS_RETURNED: Final = 0.15
"""What people write is now and then the same; names of goods come back."""
_MANY_TEXTS: Final = 0.2
_PEOPLE_SHARING: Final = 4.0
"""With so many people per value, it is no value of a person's own."""
_RETURNED_OFTEN: Final = 0.15
_BY_OTHERS: Final = 1.7
"""Nor is it where many values come back, and mostly with somebody else."""
_FEW_PEOPLE: Final = 2.0
_FEW_NUMBERS: Final = 12
"""So few whole numbers may be codes; more that lie close together are ages and quantities."""
_DENSE: Final = 4
_ONE_LENGTH: Final = 0.9
_LONG_NUMBERS: Final = 5


class InputVerdict(StrEnum):
    """What a custom input is taken for."""

    UNDECIDED = "UNDECIDED"
    IDENTIFIER = "IDENTIFIER"
    CATEGORY = "CATEGORY"
    UNFIT = "UNFIT"
    """Values of this shape are never worth remembering."""

    @property
    def kind(self) -> InputKind | None:
        """What it is remembered as."""
        return _KINDS.get(self)


_KINDS: Final = {
    InputVerdict.IDENTIFIER: InputKind.IDENTIFIER,
    InputVerdict.CATEGORY: InputKind.CATEGORY,
}


class NumberSpread(NamedTuple):
    """How whole numbers lie among the values of an input."""

    low: int
    high: int
    length: int
    """The most frequent number of digits."""
    of_that_length: float
    """The share of the numbers that have it."""


class Evidence(NamedTuple):
    """What was counted of the values of one input."""

    events: int
    distinct: int
    """Different values, estimated from those in the sample."""
    sampled: int
    returned: int
    """Values of the sample that came back."""
    people: float | None
    """Different people per value of the sample; None where nobody is known."""
    people_of_returned: float
    """The same of values that came back; 0 without any."""
    top_share: float
    """Of the most frequent value."""
    words: float
    """The share of values that look like names."""
    numbers: float
    """The share of values that are whole numbers."""
    texts: float
    """The share of values with many words."""
    spread: NumberSpread
    hint: NameHint
    personal: bool
    """Whether the name of the key says that each value should be one person's."""


def judge(found: Evidence) -> InputVerdict:
    """What the input looks like."""
    if found.events < FEWEST_EVENTS:
        return InputVerdict.UNDECIDED
    fit = found.words + found.texts + (found.numbers if _are_names(found) else 0.0)
    if fit < _FIT_SHARE:
        return InputVerdict.UNFIT
    if found.distinct < 2 or found.top_share > _CONSTANT:
        return InputVerdict.UNDECIDED
    if found.distinct <= FEW_VALUES:
        return _of_few(found)
    share = _TEXTS_RETURNED if found.texts > _MANY_TEXTS else _RETURNED_SHARE
    if found.returned < max(_LEAST_RETURNED, share * found.sampled):
        return InputVerdict.UNDECIDED
    return InputVerdict.CATEGORY if _is_shared(found) else InputVerdict.IDENTIFIER


def _is_shared(found: Evidence) -> bool:
    """Whether values are of many people, also where each was seen a few times only."""
    if found.people is None:
        return found.events >= _EVENTS_PER_VALUE * found.distinct
    if found.people >= _PEOPLE_SHARING:
        return True
    # Under attack, a few devices with many users can be most of what there is.
    often = not found.personal and found.returned >= _RETURNED_OFTEN * found.sampled
    return often and found.people_of_returned >= _BY_OTHERS


def _of_few(found: Evidence) -> InputVerdict:
    if found.events < _EVENTS_PER_VALUE * found.distinct:
        return InputVerdict.UNDECIDED
    # In a small shop each of few loyalty numbers is one person's own.
    own = found.people is not None and found.people < _FEW_PEOPLE
    return InputVerdict.IDENTIFIER if own else InputVerdict.CATEGORY


def _are_names(found: Evidence) -> bool:
    """Whether whole numbers stand for something, and do not measure it."""
    if found.hint is not NameHint.NOTHING:
        return found.hint is NameHint.IDENTIFIER
    spread = found.spread
    if found.distinct <= _FEW_NUMBERS:
        return True
    if spread.high - spread.low < _DENSE * found.distinct:
        return False
    if found.distinct <= FEW_VALUES:
        return True
    return spread.length >= _LONG_NUMBERS and spread.of_that_length >= _ONE_LENGTH


MOST_WATCHED: Final = 48
"""Keys of one account."""
MOST_ACCOUNTS: Final = 1000
MOST_VALUES: Final = 100_000
"""Sampled values of all accounts, about 25 MB."""
SAMPLED: Final = 512
"""Values of one key: where one in a hundred comes back, fewer would show none of them."""
_SAMPLED_ON: Final = 128
"""The same once it is known what they are."""
_CLEAR_EVERY: Final = 1000
"""Requests of an account with custom inputs, after which rare keys make room for others."""
_RARE: Final = 20
_RETURNS_AFTER_S: Final = 12 * 3600
"""With the same person, an earlier repetition may be the same visit."""
_MOST_PEOPLE: Final = 9
_LENGTHS: Final = 20
_LARGEST: Final = 10 ** (_LENGTHS - 2)
_JUDGED_AGAIN: Final = 1.4
"""Judged again whenever there is so much more to judge by."""
_TWICE: Final = 2
_SURE: Final = 2000
"""After so many events, a finding may change an earlier one."""
_LONGEST: Final = 256
_SCALARS: Final = frozenset((str, int, float, bool))
_is_name: Final = cache_short(4096)(is_name)

News = dict[str, dict[str, InputFinding]]
"""What was found, by account and key."""


class _SampledValue:
    """What is known of one value."""

    __slots__ = ("count", "first_person", "first_s", "last_person", "people", "returned")

    def __init__(self, person: int | None, at_s: float) -> None:
        self.count = 1
        self.first_s = at_s
        self.first_person = self.last_person = person
        self.people = int(person is not None)
        self.returned = False

    def again(self, person: int | None, at_s: float) -> None:
        """It came once more."""
        self.count += 1
        if person is not None and person not in (self.first_person, self.last_person):
            self.last_person = person
            # Some are counted twice when many take turns; for "many" it does not matter.
            self.people = min(self.people + 1, _MOST_PEOPLE)
            self.returned = self.returned or self.people > 1
        if at_s - self.first_s >= _RETURNS_AFTER_S:
            self.returned = True


class WatchedInput:
    """What was counted of one key of an account."""

    __slots__ = (
        *("_ends", "_high", "_hint", "_in_a_row", "_last", "_lengths", "_level", "_low", "_most"),
        *("_personal", "_shapes", "_told", "_values", "events", "judged_at", "recent", "settled"),
    )

    def __init__(self, key: str) -> None:
        self.events = 0
        self.judged_at = FEWEST_EVENTS
        """The number of events at which there is enough more to judge by."""
        self.recent = 0
        """Requests since rare keys were last dropped."""
        self.settled = False
        """Whether there is nothing more to find out."""
        self._hint = hint_of(key)
        self._personal = is_personal(key)
        self._level = 0
        self._ends = 0
        """The bits that are 0 in the numbers of sampled values."""
        self._most = SAMPLED
        self._values: dict[int, _SampledValue] = {}
        self._shapes = [0] * len(Shape)
        self._lengths = [0] * _LENGTHS
        self._low, self._high = _LARGEST, -_LARGEST
        self._last = InputVerdict.UNDECIDED
        self._in_a_row = 0
        self._told: InputFinding | None = None

    def __len__(self) -> int:
        """How many values are sampled."""
        return len(self._values)

    def note(self, value: str | float, person: int | None, at_s: float) -> None:
        """Count one value."""
        self.events += 1
        text = value[:_LONGEST] if type(value) is str else repr(value)
        number = crc32(text.encode("utf-8", "replace"))
        if number & self._ends:
            return
        known = self._values.get(number)
        if known is not None:
            known.again(person, at_s)
        # Only new values are looked at, because most are not.
        elif drop_placeholder(text) is None:
            self.events -= 1
        else:
            self._values[number] = _SampledValue(person, at_s)
            self._note_shape(value)
            if len(self._values) > self._most:
                self._thin_out()

    def _thin_out(self) -> None:
        """Keep the values whose number ends in one zero more, about half of them."""
        while len(self._values) > self._most:
            self._level += 1
            self._ends = ends = (1 << self._level) - 1
            self._values = {each: kept for each, kept in self._values.items() if not each & ends}

    def _note_shape(self, value: str | float) -> None:
        shape = shape_of(value)
        if shape is None:
            return
        self._shapes[shape] += 1
        if shape is Shape.NUMBER:
            number = int(value)
            self._low, self._high = min(self._low, number), max(self._high, number)
            self._lengths[min(len(str(abs(number))), _LENGTHS - 1)] += 1

    def judged(self) -> InputFinding | None:
        """What there is to tell, if that is new.

        A verdict must stand twice in a row, so that it does not change with every judgement.
        """
        self.judged_at = int(self.events * _JUDGED_AGAIN)
        found = self.evidence()
        verdict = judge(found)
        self._in_a_row = self._in_a_row + 1 if verdict is self._last else 1
        self._last = verdict
        if self._in_a_row < _TWICE or verdict is InputVerdict.UNDECIDED:
            return None
        finding = InputFinding(verdict.kind, self.events >= _SURE)
        if finding.sure:
            # Many values are watched on; these others have shown what they are.
            self.settled = finding.kind is None or found.distinct <= FEW_VALUES
            self._most = _SAMPLED_ON
            self._thin_out()
            if self.settled:
                self._values.clear()
        if finding == self._told or (finding.kind is None and not finding.sure):
            return None
        self._told = finding
        return finding

    def evidence(self) -> Evidence:
        """What was counted, as the judge wants it."""
        people = known = returned = others = events = top = 0
        for each in self._values.values():
            events += each.count
            top = max(top, each.count)
            if each.people:
                known += 1
                people += each.people
            if each.returned:
                returned += 1
                others += each.people
        sampled = len(self._values)
        shapes = max(sum(self._shapes), 1)
        numbers = self._shapes[Shape.NUMBER]
        length = max(range(_LENGTHS), key=self._lengths.__getitem__)
        return Evidence(
            events=self.events,
            distinct=sampled << self._level,
            sampled=sampled,
            returned=returned,
            people=people / known if known else None,
            people_of_returned=others / max(returned, 1),
            top_share=top / max(events, 1),
            words=self._shapes[Shape.WORD] / shapes,
            numbers=numbers / shapes,
            texts=self._shapes[Shape.TEXT] / shapes,
            spread=NumberSpread(
                self._low, self._high, length, self._lengths[length] / max(numbers, 1)
            ),
            hint=self._hint,
            personal=self._personal,
        )


class _AccountInputs:
    """The keys of one account."""

    __slots__ = ("events", "inputs")

    def __init__(self) -> None:
        self.events = 0
        self.inputs: dict[str, WatchedInput] = {}

    def __len__(self) -> int:
        return sum(map(len, self.inputs.values()))

    def admit(self, key: str) -> WatchedInput | None:
        """Watch one more key, if there is room."""
        if len(self.inputs) >= MOST_WATCHED or not _is_name(key):
            return None
        watched = self.inputs[key] = WatchedInput(key)
        return watched

    def drop_rare(self) -> None:
        """Make room for other keys: a flood of names must not keep them out for long."""
        if len(self.inputs) >= MOST_WATCHED:
            kept = self.inputs.items()
            self.inputs = {key: each for key, each in kept if each.recent >= _RARE}
        for each in self.inputs.values():
            each.recent = 0


class InputWatch:
    """Watches the custom inputs of all accounts of one process."""

    def __init__(self) -> None:
        self._accounts: OrderedDict[str, _AccountInputs] = OrderedDict()
        self._news: News = {}

    def note(
        self, account_id: str, inputs: Mapping[str, Any], person: int | None, at_s: float
    ) -> None:
        """Count the inputs of a request; `person` stands for the user, or the card."""
        account = self._accounts.get(account_id)
        if account is None:
            account = self._accounts[account_id] = _AccountInputs()
            self._make_room()
        account.events += 1
        known = account.inputs
        for key, value in islice(inputs.items(), MOST_WATCHED):
            watched = known.get(key)
            if watched is None and (watched := account.admit(key)) is None:
                continue
            watched.recent += 1
            if watched.settled:
                continue
            if type(value) in _SCALARS:
                watched.note(value, person, at_s)
            elif type(value) is list:
                for each in texts_in(value):
                    watched.note(each, person, at_s)
            if watched.events >= watched.judged_at:
                finding = watched.judged()
                if finding is not None:
                    self._news.setdefault(account_id, {})[key] = finding
        if account.events % _CLEAR_EVERY == 0:
            account.drop_rare()
            self._accounts.move_to_end(account_id)
            self._make_room()

    def take_news(self) -> News:
        """What was found since this was last asked."""
        news, self._news = self._news, {}
        return news

    def _make_room(self) -> None:
        """Forget the accounts that were quiet for the longest."""
        accounts = self._accounts
        values = sum(map(len, accounts.values()))
        while len(accounts) > MOST_ACCOUNTS or (values > MOST_VALUES and len(accounts) > 1):
            values -= len(accounts.popitem(last=False)[1])
