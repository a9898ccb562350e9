"""Card numbers that somebody names beside requests: counted, audited, and only for some people."""

import contextlib
import dataclasses
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.entities.use_cases.finding import find_entity
from gatehouse.admin.identities.types import IdentitySearch
from gatehouse.admin.identities.use_cases.import_records import IdentityImport, import_identities
from gatehouse.admin.identities.use_cases.rows import identity_file
from gatehouse.admin.identities.use_cases.selection import select_records
from gatehouse.admin.lists.types import EntrySearch, NewList
from gatehouse.admin.lists.use_cases import entries, list_lookup, lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, ImportOptions, ListFile
from gatehouse.admin.pipelines.use_cases.pipeline_rehearsal import try_request
from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.search.use_cases.decisions import search_decisions, search_reviews
from gatehouse.admin.search.use_cases.exporting import export_found, next_part
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest, ReviewSearchRequest
from gatehouse.core.cards.brands import passes_luhn
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import CardsAlike, CardsUnseen, InvalidInput, NotFound
from gatehouse.rules.list_entries import ListKind
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.shop import Shop
from tests.harness import BODY, CARD, PURCHASE
from tests.web.test_card_guessing import ALIKE

MOST = 5
NUMBER = CardNumber.parse(CARD)
Face = Callable[[AdminSession, str, str], object]
"""Called with a session, an account and a card number."""


class _Silent:
    def reached(self, done: int, note: str) -> None: ...

    def say(self, text: str) -> None: ...


def _file(*numbers: str) -> ListFile:
    content = "\n".join(numbers).encode()
    return ListFile("cards.csv", lambda: contextlib.nullcontext(io.BytesIO(content)))


def _dry_run(session: AdminSession, account: str, *numbers: str) -> lists.ImportedEntries:
    return lists.import_file(session, account, "bad", _file(*numbers), ImportOptions(dry_run=True))


def _erase(session: AdminSession, account: str, number: str) -> object:
    person = PersonNamed(card=CardNumber.parse(number))
    return erase_person(session, account, person, ErasureOptions(dry_run=True))


def _import(session: AdminSession, account: str, number: str) -> object:
    content = f"cardNumber,lastName\n{number},Archer\n".encode()
    with contextlib.closing(identity_file(io.BytesIO(content), "csv")) as file:
        return import_identities(session, IdentityImport(account, file, None, True), _Silent())


def _rehearse(session: AdminSession, account: str, number: str) -> object:
    draft = b"pipeline: 7\nname: Mine\nstages:\n  - stage: PreCheck\n"
    purchase = PURCHASE | {"pipelineId": 7, "preCheckRequest": BODY | {"cardNumber": number}}
    body = json.dumps({**purchase, "rulesRequest": {"cardNumber": number}}).encode()
    return try_request(session, account, load_settings({}), draft, body)


def _identities(session: AdminSession, account: str, number: str) -> object:
    with contextlib.suppress(NotFound):
        return select_records(session, account, IdentitySearch(CardNumber.parse(number)))
    return None


def _remove(session: AdminSession, account: str, number: str) -> object:
    with contextlib.suppress(InvalidInput, NotFound):
        return lists.remove(session, account, "bad", GivenEntries((), _file(number)))
    return None


FACES: dict[str, Face] = {
    "decisions": lambda s, a, n: search_decisions(
        s, a, DecisionSearchRequest(card_number=CardNumber.parse(n))
    ),
    "reviews": lambda s, a, n: search_reviews(
        s, a, ReviewSearchRequest(card_number=CardNumber.parse(n))
    ),
    "entities": lambda s, a, n: find_entity(s, a, EntityType.CARD, n),
    "lists": list_lookup.holding,
    "list entries": lambda s, a, n: entries.search_entries(s, a, "bad", EntrySearch(n)),
    "a list's dry run": _dry_run,
    "what is taken off a list": _remove,
    "identity records": _identities,
    "a file of identity records": _import,
    "the erasure of a person": _erase,
    "the rehearsal of a pipeline": _rehearse,
}


def _allowing(session: AdminSession, most: int) -> AdminSession:
    settings = dataclasses.replace(session.settings, card_enumeration_limit=most)
    return dataclasses.replace(session, settings=settings)


def _open(session: AdminSession) -> Shop:
    """A shop with a key that may name five numbers alike."""
    made = Shop(session)
    lists.create(session, made.account_id, NewList("bad", ListKind.CARDS))
    acting = session.acting_as(Actor.key("key_1", made.account_id))
    made.session = _allowing(acting, MOST)
    return made


@pytest.fixture
def shop(session: AdminSession) -> Shop:
    return _open(session)


def _lines(shop: Shop) -> list[audit.AuditLine]:
    with shop.session.reading() as connection:
        found = audit.read(connection, shop.account_id, 100)
    return [line for line in found if line.action == "cards.lookup"]


def test_numbers_count_together_whatever_they_are_named_for(shop: Shop) -> None:
    refused = {}
    for place, (name, ask) in enumerate(FACES.items()):
        try:
            ask(shop.session, shop.account_id, ALIKE[place])
        except CardsAlike:
            refused[name] = place
    assert list(refused.values()) == list(range(MOST, len(FACES)))


def test_every_face_refuses_and_leaves_a_line_without_the_number(
    sqlite_session: AdminSession,
) -> None:
    for name, ask in FACES.items():
        shop = _open(sqlite_session)
        for number in ALIKE[:MOST]:
            ask(shop.session, shop.account_id, number)
        with pytest.raises(CardsAlike, match="wait 24 hours"):
            ask(shop.session, shop.account_id, CARD)
        *before, last = sorted(_lines(shop), key=lambda line: line.seq)
        assert [line.details["refused"] for line in before] == [False] * MOST, name
        assert (last.actor, last.details["refused"]) == ("key:key_1", True)
        assert (last.details["card"], last.details["numbers"]) == (NUMBER.masked(), 1)
        assert all(number not in str(_lines(shop)) for number in (CARD, *ALIKE[:MOST]))
        # What was named before goes on working.
        ask(shop.session, shop.account_id, ALIKE[0])


def test_a_person_who_may_not_reveal_names_no_card(sqlite_session: AdminSession) -> None:
    for name, ask in FACES.items():
        shop = _open(sqlite_session)
        seeing = PERMISSIONS[UserRole.VIEWER]
        viewer = shop.session.acting_as(Actor.user("vic", shop.account_id, may=seeing))
        with pytest.raises(CardsUnseen):
            ask(viewer, shop.account_id, CARD)
        analyst = shop.session.acting_as(
            Actor.user("ann", shop.account_id, may=PERMISSIONS[UserRole.ANALYST])
        )
        ask(analyst, shop.account_id, CARD)
        assert [line.actor for line in _lines(shop)] == ["user:ann"], name


def test_an_operator_at_a_terminal_is_not_counted(shop: Shop) -> None:
    operator = shop.session.acting_as(Actor.operator("root"))
    for number in ALIKE[: MOST + 2]:
        for ask in (FACES["decisions"], FACES["lists"]):
            ask(operator, shop.account_id, number)
    assert _lines(shop) == []


def test_numbers_that_are_named_at_once_do_not_pass_the_limit(shop: Shop) -> None:
    def ask(number: str) -> bool:
        try:
            FACES["decisions"](shop.session, shop.account_id, number)
        except CardsAlike:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(ask, ALIKE[: 4 * MOST])) == MOST


def test_a_number_that_is_known_is_not_found_by_what_is_refused(shop: Shop) -> None:
    """Numbers sent before go on working, so refusals would else tell which ones were sent."""
    FACES["decisions"](shop.session, shop.account_id, CARD)
    answered = 0
    for number in [*ALIKE[: 3 * MOST], CARD]:
        with contextlib.suppress(CardsAlike):
            FACES["lists"](shop.session, shop.account_id, number)
            answered += 1
    assert answered == MOST - 1
    with pytest.raises(CardsAlike):
        FACES["decisions"](shop.session, shop.account_id, CARD)


def test_a_block_list_of_thousands_of_cards_is_imported(shop: Shop) -> None:
    unlike = [_with_check_digit(f"{start}00000000") for start in range(5_100_000, 5_101_500)]
    options = ImportOptions()
    done = lists.import_file(shop.session, shop.account_id, "bad", _file(*unlike), options)
    assert done.added.added == len(unlike)
    assert [line.details["numbers"] for line in _lines(shop)] == [len(unlike)]
    again = _dry_run(shop.session, shop.account_id, *unlike)
    assert again.added.unchanged == len(unlike)


def _with_check_digit(text: str) -> str:
    return next(number for last in range(10) if passes_luhn(number := f"{text}{last}"))


def test_a_bulk_of_numbers_alike_is_refused_whole_and_counts(shop: Shop) -> None:
    options = ImportOptions()
    with pytest.raises(CardsAlike):
        lists.import_file(shop.session, shop.account_id, "bad", _file(*ALIKE), options)
    assert lists.get(shop.session, shop.account_id, "bad").answer.entries == 0
    for number in (ALIKE[0], CARD):
        with pytest.raises(CardsAlike):
            FACES["decisions"](shop.session, shop.account_id, number)


def test_other_accounts_and_other_days_have_counts_of_their_own(shop: Shop) -> None:
    with pytest.raises(CardsAlike):
        _dry_run(shop.session, shop.account_id, *ALIKE)
    other = Shop(shop.session.acting_as(Actor.system("test")))
    key = shop.session.acting_as(Actor.key("key_2", other.account_id))
    FACES["decisions"](key, other.account_id, CARD)
    clock = shop.session.clock
    tomorrow = dataclasses.replace(shop.session, clock=lambda: clock() + 24 * 3_600_000 + 1)
    FACES["decisions"](tomorrow, shop.account_id, CARD)


def test_another_accounts_key_names_nothing(shop: Shop) -> None:
    other = Shop(shop.session.acting_as(Actor.system("test")))
    stranger = shop.session.acting_as(Actor.key("key_2", other.account_id))
    for ask in FACES.values():
        with contextlib.suppress(NotFound):
            assert ask(stranger, shop.account_id, CARD) is None
    assert _lines(shop) == []


def test_a_search_with_many_pages_names_its_card_once(shop: Shop) -> None:
    for day in range(3):
        shop.decide(day, card=CARD)
    search = DecisionSearchRequest(card_number=NUMBER, limit=1)
    part = next_part(shop.session, shop.account_id, search)
    assert part is not None
    assert part.count == 3
    assert len(list(export_found(shop.session, shop.account_id, search))) == 3
    assert [line.details["for"] for line in _lines(shop)] == ["decisions"] * 2


def test_without_a_limit_cards_are_named_and_audited(shop: Shop) -> None:
    unlimited = _allowing(shop.session, 0)
    _dry_run(unlimited, shop.account_id, *ALIKE[:100])
    assert [line.details["numbers"] for line in _lines(shop)] == [100]


def test_rejected_files_leave_nothing_behind(shop: Shop, tmp_path: Path) -> None:
    content = "cardNumber,lastName\n" + "".join(f"{number},Archer\n" for number in ALIKE[:20])
    with contextlib.closing(identity_file(io.BytesIO(content.encode()), "csv")) as file:
        job = IdentityImport(shop.account_id, file, tmp_path / "rejects.csv", dry_run=False)
        with pytest.raises(CardsAlike):
            import_identities(shop.session, job, _Silent())
    operator = shop.session.acting_as(Actor.operator("root"))
    with pytest.raises(NotFound):
        select_records(operator, shop.account_id)
