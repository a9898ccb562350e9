"""What the index keeps about decisions, and how it forgets."""

import pytest
import sqlalchemy as sa

from gatehouse.admin.privacy.use_cases.person import DataSubject
from gatehouse.admin.search.queries.pages import stream_requests
from gatehouse.admin.search.queries.sources import by_terms
from gatehouse.admin.search.use_cases.people import PersonNamed, requests_about
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.decisions.search_terms import (
    DECISION,
    SearchEntry,
    TermMaker,
    amount_bucket,
    amount_buckets,
    is_of_a_person,
    micros_of,
    pack_terms,
    unpack_terms,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.search import indexing
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.search.indexing import EarlierDecisions, is_complete
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES
from tests.decisions.samples import SAMPLES
from tests.harness import CARD, FINGERPRINTS, make_account
from tests.store.deciding import keep_decision
from tests.store.earlier import INNER, PURCHASE, bought, index_all


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
    found = stream_requests(session.database, account, by_terms(account, [term]))
    assert [each for some in found for each in some] == [request]
    assert list(stream_requests(session.database, other, by_terms(other, [term]))) == []


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
