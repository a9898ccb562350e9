"""Searches find exactly what looking at every decision would find, page by page."""

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from gatehouse.access.actors import Actor
from gatehouse.admin.search.queries import pages
from gatehouse.admin.search.use_cases.decisions import search_decisions, search_reviews
from gatehouse.admin.search.use_cases.filters import (
    DEFAULT_PAGE,
    AmountRange,
    DecisionSearchRequest,
    ReviewSearchRequest,
    TimeRange,
)
from gatehouse.core.cards.numbers import CardNumber, KeptCard
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.decisions.record import DecisionRecord, RecordedStage, encode
from gatehouse.decisions.recorded_event import KIND_NUMBERS, RecordedEvent
from gatehouse.decisions.search_terms import pack_terms
from gatehouse.sentry.request import EventTime
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import DECISIONS, REVIEWS, SEARCH_ENTRIES
from tests.databases import Postgres
from tests.harness import Home, make_account

START_MS: Final = 1_790_000_000_000
HOUR_MS: Final = 3_600_000
NUMBER: Final = 120
USERS: Final = ("u-1", "u-2", "u-3", "u-4")
CARDS: Final = ("4242424242424242", "5555555555554444", "4000000000000127")
RULES: Final = ("velocity", "country", "amount")
AMOUNTS: Final = (0.0, 0.5, 1.0, 12.34, 63.99, 64.0, 500.0)
CURRENCIES: Final = ("USD", "EUR")


class Known:
    """A decision as somebody sees it who looks at every one of them."""

    def __init__(self, chance: random.Random, number: int) -> None:
        self.at_ms = START_MS + number * HOUR_MS
        self.request_id = new_id("req", self.at_ms, chance.randbytes)
        self.operation = chance.choice(["precheck", "sentry", "pipeline"])
        self.card = None if self.operation == "sentry" else chance.choice(CARDS)
        described = self.operation != "precheck"
        self.user = chance.choice(USERS) if described else None
        self.amount = chance.choice(AMOUNTS) if described else None
        self.currency = chance.choice(CURRENCIES) if described else None
        decided = self.operation == "pipeline"
        self.decision = chance.choice(list(Outcome)) if decided else None
        self.rules = chance.sample(RULES, chance.randrange(3)) if decided else []
        self.shadow = chance.sample(RULES, chance.randrange(2)) if decided else []
        self.labels = chance.sample(list(Label), chance.randrange(3))
        self.label = self.labels[-1] if self.labels else None
        if self.labels == [Label.WITHDRAWN]:
            self.label = None  # Nothing was withdrawn, so nothing was kept.
        reviewed = self.decision is Outcome.REVIEW
        self.status = chance.choice(list(ReviewState)) if reviewed else None

    def record(self, session: AdminSession, account: str) -> DecisionRecord:
        """What the service keeps of it."""
        kept = event = signals = None
        result: dict[str, Any] = {}
        if self.card is not None:
            inner = session.fingerprints.inner(CardNumber.parse(self.card))
            shown = session.fingerprints.of_account(account, inner)
            kept = KeptCard("Visa", self.card[:8], self.card[-4:], None, None, None, None, shown)
        if self.user is not None:
            kinds, at = [KIND_NUMBERS["user"]], self.at_ms / 1000
            paid = (self.amount, self.currency)
            event = RecordedEvent(at, True, *paid, None, False, kinds, [self.user])
        if self.operation == "sentry":
            result, event = {"event": event}, None
        elif self.operation == "pipeline":
            tags = [f"tag-{rule}" for rule in self.rules]
            result = {"matched": self.rules, "shadow": self.shadow, "tags": tags}
            signals = {"order.amount": self.amount, "order.currency": self.currency}
        return DecisionRecord(
            request_id=self.request_id,
            operation=self.operation,
            at=iso_time(self.at_ms),
            client_reference_id=None,
            card=kept,
            stages=[RecordedStage("Any", "ANY", 0, True, 1, result)],
            authorized_micros=0,
            closed_micros=0,
            decision=self.decision,
            signals=signals,
            event=event,
        )


class Shop:
    """An account with many decisions, and all that is known about them."""

    def __init__(self, session: AdminSession, seed: int) -> None:
        self.session = session
        self.account = make_account(session)
        chance = random.Random(seed)
        self.known = [Known(chance, number) for number in range(NUMBER)]
        decisions, entries, reviews = [], [], []
        for one in self.known:
            record = one.record(session, self.account)
            found = session.terms.entries(self.account, record)
            row = {"account_id": self.account, "request_id": one.request_id, "at_ms": one.at_ms}
            terms = pack_terms([each.term for each in found])
            decided = {"operation": one.operation, "record": encode(record), "terms": terms}
            decisions.append(row | decided)
            entries += [asdict(each) for each in found]
            if one.status is not None:
                reviews.append(row | {"state": one.status.value})
        with session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), decisions)
            connection.execute(SEARCH_ENTRIES.insert(), entries)
            connection.execute(REVIEWS.insert(), reviews)
            lock_changes(connection)
            for number in range(2):
                said = [
                    LabelReport(
                        *(self.account, [one.request_id], FeedbackStatement(one.labels[number])),
                        *("test", LabelSource.COMMAND),
                    )
                    for one in self.known
                    if number < len(one.labels)
                ]
                feedback.record_all(connection, said, number)

    def decisions(self, search: DecisionSearchRequest) -> list[str]:
        """The ids on all pages."""
        found: list[str] = []
        while True:
            page = search_decisions(self.session, self.account, search)
            assert len(page.records) <= (search.limit or DEFAULT_PAGE)
            found += [record.request_id for record in page.records]
            if page.next_cursor is None:
                return found
            search = replace(search, cursor=page.next_cursor)

    def reviews(self, search: ReviewSearchRequest) -> list[str]:
        """The ids of the reviews on all pages."""
        found: list[str] = []
        while True:
            page = search_reviews(self.session, self.account, search)
            found += [one.review.request_id for one in page.reviews]
            if page.next_cursor is None:
                return found
            search = replace(search, cursor=page.next_cursor)

    def expected(self, search: DecisionSearchRequest) -> list[str]:
        """The ids that looking at every decision gives, newest first."""
        return [one.request_id for one in reversed(self.known) if applies(search, one)]


def applies(search: DecisionSearchRequest, one: Known) -> bool:
    """Whether every filter applies, judged value by value."""
    checks: list[tuple[Any, list[Any]]] = [
        (search.user_id, [one.user]),
        (search.card_number and search.card_number.reveal(), [one.card]),
        (search.operation, [one.operation]),
        (search.decision, [one.decision]),
        (search.rule, one.rules),
        (search.shadow_rule, one.shadow),
        (search.tag, [f"tag-{rule}" for rule in one.rules]),
        (search.label, [one.label]),
    ]
    for wanted, has in checks:
        values = wanted if isinstance(wanted, list) else [wanted]
        if wanted is not None and not any(value in has for value in values):
            return False
    amount, at = search.amount, search.at
    if amount is not None:
        if one.amount is None or one.currency != amount.currency.upper():
            return False
        if amount.least is not None and one.amount < amount.least:
            return False
        if amount.most is not None and one.amount > amount.most:
            return False
    if at is not None and at.since is not None and one.at_ms < at.since.seconds * 1000:
        return False
    return not (at is not None and at.until is not None and one.at_ms >= at.until.seconds * 1000)


def one_or_several(values: Any) -> Any:
    """One of some values, a list of them, or none at all."""
    each = st.sampled_from(list(values))
    return st.none() | each | st.lists(each, min_size=1, max_size=3)


MOMENTS: Final = st.none() | st.integers(0, NUMBER).map(
    lambda hour: EventTime((START_MS + hour * HOUR_MS) / 1000)
)


@st.composite
def time_ranges(draw: st.DrawFn) -> TimeRange:
    """A span that has a length."""
    since, until = draw(MOMENTS), draw(MOMENTS)
    if since is not None and until is not None and since.seconds >= until.seconds:
        until = None
    return TimeRange(since, until)


@st.composite
def amount_ranges(draw: st.DrawFn) -> AmountRange:
    """A range in order."""
    ends = sorted(draw(st.lists(st.sampled_from([*AMOUNTS, 64.01, 1e9]), min_size=2, max_size=2)))
    least = draw(st.sampled_from([None, ends[0]]))
    return AmountRange(draw(st.sampled_from(["USD", "eur"])), least, ends[1])


FILTERS: Final[dict[str, Any]] = {
    "user_id": st.none() | st.sampled_from(USERS),
    "card_number": st.none() | st.sampled_from(CARDS).map(CardNumber.parse),
    "operation": one_or_several(["precheck", "sentry", "pipeline"]),
    "decision": one_or_several(Outcome),
    "rule": one_or_several(RULES),
    "shadow_rule": one_or_several(RULES),
    "tag": one_or_several([f"tag-{rule}" for rule in RULES]),
    "label": one_or_several(Label),
    "amount": st.none() | amount_ranges(),
    "at": st.none() | time_ranges(),
    "limit": st.integers(1, 100),
}


def searches(kind: Any, **more: Any) -> Any:
    """Searches by up to three filters."""
    names = st.lists(st.sampled_from([*FILTERS, *more]), max_size=3, unique=True)
    return names.flatmap(
        lambda chosen: st.builds(kind, **{name: (FILTERS | more)[name] for name in chosen})
    )


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """A shop on each database, beside another with decisions that look the same."""
    folder = tmp_path_factory.mktemp("search") / "home"
    postgres: Postgres | None = None
    home = Home(folder)
    if request.param == "sqlite":
        home.migrated()
    else:
        postgres = request.getfixturevalue("postgres")
        home = Home(folder, postgres.new())
    with home.session() as session:
        Shop(session, 1)
        yield Shop(session, 2)
    if postgres is not None:
        assert home.database_url is not None
        postgres.give_back(home.database_url)


@settings(max_examples=40)
@given(search=searches(DecisionSearchRequest))
def test_a_search_finds_what_looking_at_every_decision_finds(
    shop: Shop, search: DecisionSearchRequest
) -> None:
    assert shop.decisions(search) == shop.expected(search)


@settings(max_examples=20)
@given(search=searches(ReviewSearchRequest, status=one_or_several(ReviewState)))
def test_reviews_are_found_by_their_decisions_and_their_status_oldest_first(
    shop: Shop, search: ReviewSearchRequest
) -> None:
    states = {one.request_id: one.status for one in shop.known}
    wanted = search.status if isinstance(search.status, list) else [search.status]
    expected = [
        each
        for each in reversed(shop.expected(search))
        if states[each] is not None and (search.status is None or states[each] in wanted)
    ]
    assert shop.reviews(search) == expected


@settings(max_examples=15)
@given(search=searches(DecisionSearchRequest))
def test_a_page_that_may_read_few_rows_says_how_far_it_came(
    shop: Shop, search: DecisionSearchRequest
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pages, "MOST_EXAMINED", 7)
        assert shop.decisions(search) == shop.expected(search)


def test_a_page_of_a_search_without_matches_is_bounded(shop: Shop) -> None:
    search = DecisionSearchRequest(user_id="u-1", amount=AmountRange("USD", 60.0, 63.0))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pages, "MOST_EXAMINED", 3)
        page = search_decisions(shop.session, shop.account, search)
    assert page.records == []
    assert page.next_cursor is not None


def test_decisions_that_were_deleted_are_not_found(shop: Shop) -> None:
    search = DecisionSearchRequest(user_id="u-2", limit=100)
    first, *rest = shop.decisions(search)
    with shop.session.database.writing() as connection:
        this = DECISIONS.c.request_id == first
        connection.execute(DECISIONS.delete().where(this))
    assert shop.decisions(search) == rest
    shop.known = [one for one in shop.known if one.request_id != first]


def test_an_actor_of_another_account_finds_nothing_at_all(shop: Shop) -> None:
    stranger = shop.session.acting_as(Actor.key("key_1", "acct_other"))
    with pytest.raises(NotFound):
        search_decisions(stranger, shop.account, DecisionSearchRequest())
    with pytest.raises(NotFound):
        search_reviews(stranger, shop.account, ReviewSearchRequest())


def test_a_search_does_not_show_what_it_is_for() -> None:
    search = DecisionSearchRequest(email="amelia@example.com", user_id="u-1")
    assert repr(search) == "DecisionSearchRequest(…)"
