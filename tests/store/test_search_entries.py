"""What the index keeps about decisions, and how it forgets."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict

from gatehouse.admin.privacy.use_cases.person import DataSubject
from gatehouse.admin.search.queries.pages import stream_requests
from gatehouse.admin.search.queries.sources import by_terms
from gatehouse.admin.search.use_cases.decisions import search_decisions
from gatehouse.admin.search.use_cases.filters import AmountRange, DecisionSearchRequest
from gatehouse.admin.search.use_cases.people import PersonNamed, requests_about
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.decisions.search_terms import (
    AMOUNT,
    DECISION,
    USER,
    SearchEntry,
    TermMaker,
    WaitingTerms,
    amount_bucket,
    amount_buckets,
    is_of_a_person,
    micros_of,
    pack_terms,
    unpack_terms,
)
from gatehouse.pipeline.settlement import Release
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import writer
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer
from gatehouse.store.search import indexing
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.search.indexing import EarlierDecisions, is_complete
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES, SEARCH_WAITING
from tests.decisions.samples import SAMPLES
from tests.harness import CARD, FINGERPRINTS, PATIENCE_S, make_account
from tests.store.deciding import keep_decision
from tests.store.earlier import INNER, OLD_ID, PURCHASE, bought, index_all


def by_card(session: AdminSession, account: str) -> list[str]:
    person = DataSubject(session, account, PersonNamed(card=CardNumber.parse(CARD)))
    found = requests_about(session, account, person.terms, batch=2)
    return [each for some in found for each in some]


def entries(session: AdminSession) -> list[SearchEntry]:
    with session.reading() as connection:
        return [SearchEntry(*row) for row in connection.execute(sa.select(SEARCH_ENTRIES))]


def test_decisions_of_earlier_versions_are_indexed_in_steps_that_can_be_interrupted(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "ROWS_AT_ONCE", 2)
    other = make_account(session)
    mine = [bought(session, account) for _ in range(5)]
    theirs = bought(session, other)
    assert by_card(session, account) == []
    assert EarlierDecisions(session).index_some()
    assert index_all(session) == 3
    assert by_card(session, account) == mine
    assert by_card(session, other) == [theirs]
    with session.reading() as connection:
        assert is_complete(connection)


def test_a_record_that_cannot_be_read_does_not_stop_the_rest(
    session: AdminSession, account: str
) -> None:
    keep_decision(session, account, record="{}")
    request = bought(session, account)
    index_all(session)
    assert by_card(session, account) == [request]


def test_what_is_indexed_shows_nothing_and_differs_between_accounts(
    session: AdminSession, account: str
) -> None:
    bought(session, account)
    index_all(session)
    mine = {each.term for each in entries(session)}
    other = make_account(session)
    bought(session, other)
    index_all(session)
    assert len({each.term for each in entries(session)}) == 2 * len(mine)
    assert any(is_of_a_person(term) for term in mine)
    decision = decode(account, PURCHASE, session.fingerprints).decision
    assert session.terms.term(account, DECISION, str(decision)) in mine


def test_a_decision_is_forgotten_whoever_indexed_it(session: AdminSession, account: str) -> None:
    early, late = bought(session, account), bought(session, account)
    index_all(session)
    index = SearchIndex(session.terms, session.fingerprints)
    with session.database.writing() as connection:
        this = DECISIONS.c.request_id == late
        terms = [each.term for each in entries(session) if each.request_id == late]
        update = DECISIONS.update().where(this).values(terms=pack_terms(terms))
        connection.execute(update)
    with session.database.writing() as connection:
        index.forget(connection, account, [early, late, "req_unknown"])
    assert entries(session) == []


def test_a_person_is_forgotten_and_the_decision_is_still_found_by_the_rest(
    session: AdminSession, account: str
) -> None:
    request, other = bought(session, account), bought(session, account)
    index_all(session)
    index = SearchIndex(session.terms, session.fingerprints)
    with session.database.writing() as connection:
        index.forget_person(connection, account, [request])
    assert by_card(session, account) == [other]
    left = [each.term for each in entries(session) if each.request_id == request]
    assert left
    assert not any(is_of_a_person(term) for term in left)
    with session.reading() as connection:
        query = sa.select(DECISIONS.c.terms).where(DECISIONS.c.request_id == request)
        assert sorted(unpack_terms(connection.scalar(query) or "")) == sorted(left)
    # Once more, now by the terms that the decision names.
    with session.database.writing() as connection:
        index.forget(connection, account, [request])
    assert request not in [each.request_id for each in entries(session)]


def test_a_term_that_another_account_has_by_chance_finds_nothing_of_it(
    session: AdminSession, account: str
) -> None:
    request = bought(session, account)
    index_all(session)
    other = make_account(session)
    term = entries(session)[0].term
    found = stream_requests(session.database, account, by_terms([term]))
    assert [each for some in found for each in some] == [request]
    assert list(stream_requests(session.database, other, by_terms([term]))) == []


def test_the_terms_of_an_old_record_are_those_of_the_new_one(session: AdminSession) -> None:
    account = make_account(session)
    inner = session.fingerprints.inner(CardNumber.parse(CARD))
    shown = session.fingerprints.of_account(account, inner)
    old = decode(account, PURCHASE.replace(INNER, inner), session.fingerprints)
    new = decode(account, PURCHASE.replace(INNER, shown), session.fingerprints)
    assert session.terms.entries(account, old) == session.terms.entries(account, new)


def test_every_record_that_was_ever_written_has_terms() -> None:
    terms = TermMaker(b"key")
    for text in SAMPLES.values():
        found = terms.entries("acct_1", decode("acct_1", text, FINGERPRINTS))
        assert len({each.term for each in found}) == len(found) > 0


def test_an_amount_is_in_one_bucket_of_every_range_around_it() -> None:
    for amount in (-5.0, 0.0, 0.01, 0.99, 1.0, 1.5, 2.0, 59.9, 4_095.99, 4_096.0, 1e12, 1e18):
        micros = micros_of(amount)
        bucket = amount_bucket("USD", micros)
        assert bucket in amount_buckets("USD", micros, micros)
        assert bucket in amount_buckets("USD", None, None)
        assert bucket in amount_buckets("USD", micros, None)
        assert bucket in amount_buckets("USD", None, micros)
        assert bucket not in amount_buckets("EUR", None, None)
    assert len(amount_buckets("USD", None, None)) < 64


def waits(session: AdminSession, account: str, amount: float) -> str:
    """A purchase as a server leaves it: found, and not indexed yet."""
    maker = session.terms
    words = [(USER, "u-1"), (DECISION, "ACCEPT"), (AMOUNT, amount_bucket("USD", micros_of(amount)))]
    terms = [maker.term(account, field, value) for field, value in words]
    request = keep_decision(session, account, terms=pack_terms(terms))
    text = PURCHASE.replace(OLD_ID, request)
    row = WaitingTerms(request, f",{','.join(map(str, terms))},", micros_of(amount))
    with session.database.writing() as connection:
        this = DECISIONS.c.request_id == request
        connection.execute(DECISIONS.update().where(this).values(record=text))
        connection.execute(SEARCH_WAITING.insert(), asdict(row))
    return request


def found(session: AdminSession, account: str, **filters: Any) -> list[str]:
    page = search_decisions(session, account, DecisionSearchRequest(**filters))
    return [each.request_id for each in page.records]


def index_waiting(session: AdminSession, at_most: int = 100) -> int:
    batch_session = open_batch_session(session.database)
    try:
        return batch_session.index(at_most)
    finally:
        batch_session.close()


def test_a_decision_is_found_before_and_after_it_is_indexed(
    session: AdminSession, account: str
) -> None:
    early, late = waits(session, account, 5.0), waits(session, account, 500.0)
    other = make_account(session)
    for indexed in (1, 1, 0):
        assert found(session, account, user_id="u-1") == [late, early]
        assert found(session, account, user_id="u-1", decision=Outcome.ACCEPT) == [late, early]
        assert found(session, account, amount=AmountRange("USD", 400.0, 600.0)) == [late]
        assert found(session, account, amount=AmountRange("USD", None, 4.0)) == []
        assert found(session, account, user_id="u-2") == found(session, other, user_id="u-1") == []
        assert index_waiting(session, 1) == indexed
    assert {each.amount for each in entries(session)} == {None, 5_000_000, 500_000_000}


def test_what_waits_to_be_indexed_is_forgotten_like_the_rest(
    session: AdminSession, account: str
) -> None:
    gone, erased, kept = (waits(session, account, 5.0) for _ in range(3))
    index = SearchIndex(session.terms, session.fingerprints)
    with session.database.writing() as connection:
        index.forget(connection, account, [gone])
        index.forget_person(connection, account, [erased])
    for _ in range(2):
        assert found(session, account, user_id="u-1") == [kept]
        assert found(session, account, amount=AmountRange("USD", 5.0, 5.0)) == [kept, erased]
        index_waiting(session)
    assert {each.request_id for each in entries(session)} == {erased, kept}


@pytest.mark.parametrize(("quiet_s", "most"), [(0.01, 1000), (3600.0, 0)], ids=["quiet", "many"])
def test_the_writer_indexes_when_it_is_quiet_or_when_many_decisions_wait(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch, quiet_s: float, most: int
) -> None:
    monkeypatch.setattr(writer, "_QUIET_S", quiet_s)
    monkeypatch.setattr(writer, "MOST_WAITING", most)
    request = waits(session, account, 5.0)

    async def scenario() -> None:
        running = Writer(lambda: open_batch_session(session.database))
        running.start()
        await running.release(Release(account, "req_unknown", 0))
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(entries, session):  # noqa: ASYNC110  # a table
                await asyncio.sleep(0.01)
        await running.stop()

    asyncio.run(scenario())
    assert {each.request_id for each in entries(session)} == {request}
