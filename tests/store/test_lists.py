"""An account's lists: what is on them, since when, and what was; on both databases."""

from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.rules.list_entries import ListEntry, ListKind
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.configured import list_plans, list_reading, lists
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.configurations import stamp_of
from gatehouse.store.configured.list_plans import (
    Added,
    ListChangePlan,
    ListKey,
    PlannedEntry,
    plan_adding,
)
from gatehouse.store.configured.list_reading import EntryPage
from gatehouse.store.configured.open_list import OpenList
from gatehouse.store.tables import LISTS

NOW = 1_800_000_000_000
DAY = 86_400_000


class Merchant:
    """An account in a session whose clock the test holds."""

    def __init__(self, session: AdminSession) -> None:
        self.session = session
        session.clock = lambda: self.now
        self.now = NOW
        with session.change() as change:
            self.account = accounts.create(change, "Shop", "USD").account_id
            # What every new account gets is not of interest here.
            change.connection.execute(LISTS.delete().where(LISTS.c.account_id == self.account))
            sign_account(change, self.account)

    def add(self, name: str, *values: str, kind: ListKind | None = None, **more: object) -> Added:
        listings = [PlannedEntry(value, value, **more) for value in values]  # type: ignore[arg-type]  # as given
        with self.session.change() as change:
            return lists.add(change, self.account, name, kind, listings)

    def remove(self, name: str, *values: str) -> int:
        with self.session.change() as change:
            return lists.remove(
                change, self.account, name, [ListEntry(v, f"<{v}>") for v in values]
            )

    def listed(self, name: str, *, gone: bool = False) -> list[tuple[str, str]]:
        with self.session.reading() as connection:
            found = list_reading.entries(
                connection,
                self.account,
                name,
                EntryPage(self.now, include_gone=gone),
                self.session.signer,
            )
        return [(one.value, one.status(self.now)) for one in found]

    def has(self, name: str, value: str) -> bool:
        with self.session.reading() as connection:
            held = list_reading.load(connection, self.account, self.session.signer)
        return held.has(name, value, self.now)

    def history(self, name: str, value: str, times: Sequence[int]) -> list[bool]:
        with self.session.reading() as connection:
            past = list_reading.history_of(
                connection, self.account, [name, "other"], self.session.signer
            )
        return [past.has(name, value, at_ms) for at_ms in times]

    def stamp(self) -> str:
        with self.session.reading() as connection:
            return stamp_of(connection, self.account)

    def changes(self, name: str) -> int:
        with self.session.reading() as connection:
            found = list_reading.overview(connection, self.account, self.now)
        return next(one.changes for one in found if one.name == name)


@pytest.fixture
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session)


def test_entries_come_and_go_and_come_again(merchant: Merchant) -> None:
    assert merchant.add("bad", "a", "b", kind=ListKind.WORDS) == Added(2, 0, 0)
    assert merchant.has("bad", "a")
    merchant.now += 1000
    assert merchant.remove("bad", "a") == 1
    assert not merchant.has("bad", "a")
    assert merchant.listed("bad") == [("b", "listed")]
    merchant.now += 1000
    assert merchant.add("bad", "a") == Added(1, 0, 0)
    assert merchant.has("bad", "a")
    assert merchant.listed("bad", gone=True) == [("a", "removed"), ("a", "listed"), ("b", "listed")]
    times = [NOW - 1, NOW, NOW + 999, NOW + 1000, NOW + 1999, NOW + 2000, NOW + DAY]
    assert merchant.history("bad", "a", times) == [False, True, True, False, False, True, True]


def test_an_entry_in_force_gets_a_new_expiry_and_reason_and_the_old_row_its_end(
    merchant: Merchant,
) -> None:
    merchant.add("bad", "a", kind=ListKind.WORDS, reason="first", expires_at_ms=NOW + 10)
    merchant.now += 5
    assert merchant.add("bad", "a", expires_at_ms=NOW + 100) == Added(0, 1, 0)
    assert merchant.add("bad", "a", expires_at_ms=NOW + 100) == Added(0, 0, 1)
    assert merchant.add("bad", "a", expires_at_ms=NOW + 100, reason="second") == Added(0, 1, 0)
    with merchant.session.reading() as connection:
        rows = list_reading.entries(
            connection,
            merchant.account,
            "bad",
            EntryPage(merchant.now, include_gone=True),
            merchant.session.signer,
        )
    assert [(row.reason, row.added_at_ms, row.removed_at_ms) for row in rows] == [
        ("first", NOW, NOW + 5),
        ("first", NOW + 5, NOW + 6),
        ("second", NOW + 6, None),
    ]
    assert {row.actor for row in rows} == {"test"}
    assert merchant.history("bad", "a", [NOW + 9, NOW + 10, NOW + 99, NOW + 100]) == [
        *(True, True, True, False),
    ]


def test_changes_within_one_millisecond_do_not_collide(merchant: Merchant) -> None:
    merchant.add("bad", "a", kind=ListKind.WORDS)
    for reason in ("one", "two", "three"):
        merchant.add("bad", "a", reason=reason)
        merchant.remove("bad", "a")
        merchant.add("bad", "a")
    assert merchant.has("bad", "a")
    # Nor when the clock was set back.
    merchant.now -= 5000
    merchant.add("bad", "a", reason="earlier")
    assert merchant.remove("bad", "a") == 1
    assert merchant.add("bad", "a") == Added(1, 0, 0)
    assert merchant.listed("bad") == [("a", "listed")]


def test_an_expired_entry_is_gone_for_everybody(merchant: Merchant) -> None:
    merchant.add("bad", "a", kind=ListKind.WORDS, expires_at_ms=NOW + 10)
    merchant.add("bad", "b")
    merchant.now += 10
    assert not merchant.has("bad", "a")
    assert merchant.listed("bad") == [("b", "listed")]
    assert merchant.listed("bad", gone=True) == [("a", "expired"), ("b", "listed")]
    with pytest.raises(NotFound):
        merchant.remove("bad", "a")
    assert merchant.add("bad", "a") == Added(1, 0, 0)
    assert merchant.listed("bad", gone=True) == [("a", "expired"), ("a", "listed"), ("b", "listed")]
    assert merchant.history("bad", "a", [NOW + 9, NOW + 10]) == [True, True]
    merchant.now += 5
    merchant.remove("bad", "a")
    merchant.add("bad", "c", expires_at_ms=merchant.now + 1)
    merchant.now += DAY
    merchant.add("bad", "d")
    assert merchant.listed("bad") == [("b", "listed"), ("d", "listed")]
    assert merchant.history("bad", "c", [NOW + 15, NOW + 16]) == [True, False]


def test_removing_what_is_not_there_says_so_and_removes_nothing(merchant: Merchant) -> None:
    merchant.add("bad", "a", "b", kind=ListKind.WORDS)
    before = merchant.stamp()
    with pytest.raises(NotFound, match=r"not on list bad: <c>; nothing was removed"):
        merchant.remove("bad", "a", "c", "b")
    assert merchant.listed("bad") == [("a", "listed"), ("b", "listed")]
    assert merchant.stamp() == before
    many = [f"x{number}" for number in range(30)]
    with pytest.raises(NotFound, match="and 20 others"):
        merchant.remove("bad", *many)
    with pytest.raises(NotFound, match="there is no list good"):
        merchant.remove("good", "a")
    with pytest.raises(InvalidInput, match="at most 5000"):
        merchant.remove("bad", *map(str, range(5001)))


def test_servers_learn_of_every_change_and_of_nothing_else(merchant: Merchant) -> None:
    seen = {merchant.stamp()}

    def moved() -> bool:
        now = merchant.stamp()
        known = now in seen
        seen.add(now)
        return not known

    merchant.add("bad", "a", kind=ListKind.WORDS)
    assert moved()
    merchant.add("bad", "a")
    assert not moved()
    merchant.add("bad", "a", reason="why")
    assert moved()
    merchant.remove("bad", "a")
    assert moved()
    # A list that takes the place of another must not look like it.
    for _ in range(3):
        with merchant.session.change() as change:
            lists.drop(change, merchant.account, "bad")
        assert moved()
        with merchant.session.change() as change:
            lists.create(change, merchant.account, "bad", ListKind.WORDS)
        assert moved()


def test_a_dropped_list_is_gone_and_its_past_is_known_when_it_comes_again(
    merchant: Merchant,
) -> None:
    merchant.add("bad", "GB", kind=ListKind.WORDS)
    merchant.now += 10
    with merchant.session.change() as change:
        assert lists.drop(change, merchant.account, "bad") == 1
    assert not merchant.has("bad", "GB")
    assert merchant.history("bad", "GB", [NOW]) == [False]
    with merchant.session.reading() as connection:
        assert list_reading.kinds(connection, merchant.account) == {}
        assert list_reading.overview(connection, merchant.account, NOW) == []
        with pytest.raises(NotFound):
            list_reading.entries(
                connection, merchant.account, "bad", EntryPage(NOW), merchant.session.signer
            )
    with merchant.session.change() as change:
        lists.create(change, merchant.account, "bad", ListKind.WORDS, "again")
    assert not merchant.has("bad", "GB")
    assert merchant.history("bad", "GB", [NOW, NOW + 10]) == [True, False]
    with merchant.session.change() as change:
        lists.drop(change, merchant.account, "bad")
        lists.create(change, merchant.account, "bad", ListKind.COUNTRIES)
    # The same letters are something else now.
    assert merchant.history("bad", "GB", [NOW]) == [False]


def test_a_list_holds_what_it_was_made_for(merchant: Merchant) -> None:
    with merchant.session.change() as change:
        lists.create(
            change, merchant.account, "nets", ListKind.NETWORKS, " office 4242424242424242 "
        )
    with merchant.session.reading() as connection:
        [info] = list_reading.overview(connection, merchant.account, NOW)
        assert list_reading.kinds(connection, merchant.account) == {"nets": ListKind.NETWORKS}
    assert (info.kind, info.description, info.entries) == ("networks", "office [card]", 0)
    with pytest.raises(Conflict, match="holds networks, not words"):
        merchant.add("nets", "a", kind=ListKind.WORDS)
    with pytest.raises(Conflict, match="exists already"), merchant.session.change() as change:
        lists.create(change, merchant.account, "nets", ListKind.NETWORKS)
    with pytest.raises(NotFound, match="there is no list other"):
        merchant.add("other", "a")
    for name in ("", "a b", "A.b", "x" * 65, "a\ud800", "a\x00", "x4242424242424242"):
        with pytest.raises(InvalidInput, match="a list's name"):
            merchant.add(name, "a", kind=ListKind.WORDS)
        with merchant.session.reading() as connection, pytest.raises(NotFound):
            list_reading.kind_of(connection, merchant.account, name)


def test_lists_belong_to_their_account(merchant: Merchant) -> None:
    merchant.add("bad", "a", kind=ListKind.WORDS)
    other = Merchant(merchant.session)
    assert not other.has("bad", "a")
    assert other.history("bad", "a", [NOW]) == [False]
    with pytest.raises(NotFound):
        other.listed("bad")
    with pytest.raises(NotFound):
        other.remove("bad", "a")
    other.add("bad", "b", kind=ListKind.USERS)
    assert merchant.listed("bad") == [("a", "listed")]
    with pytest.raises(NotFound, match="no account"), merchant.session.change() as change:
        lists.create(change, "acct_none", "bad", ListKind.WORDS)


def test_the_limits_hold(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_plans, "MOST_ENTRIES", 3)
    monkeypatch.setattr(lists, "MOST_LISTS", 2)
    merchant.add("bad", "a", "b", kind=ListKind.WORDS, expires_at_ms=NOW + 10)
    with pytest.raises(Conflict, match="would have 4 entries"):
        merchant.add("bad", "c", "d")
    assert len(merchant.listed("bad")) == 2
    assert merchant.add("bad", "a", "b", "c", expires_at_ms=NOW + 20) == Added(1, 2, 0)
    merchant.now += 20
    # What has expired leaves room.
    assert merchant.add("bad", "d", "e", "f") == Added(3, 0, 0)
    merchant.add("more", "a", kind=ListKind.WORDS)
    with pytest.raises(Conflict, match="at most 2 lists"):
        merchant.add("most", "a", kind=ListKind.WORDS)
    with merchant.session.change() as change:
        lists.drop(change, merchant.account, "more")
    merchant.add("most", "a", kind=ListKind.WORDS)
    with pytest.raises(InvalidInput, match="at most 200 characters"):
        merchant.add("bad", "d", reason="x" * 201)


def test_every_change_leaves_a_line_with_counts_and_no_values(merchant: Merchant) -> None:
    merchant.add("bad", "#secret", kind=ListKind.EMAILS, reason="4242424242424242 was stolen")
    merchant.remove("bad", "#secret")
    with merchant.session.change() as change:
        lists.drop(change, merchant.account, "bad")
    with merchant.session.reading() as connection:
        lines = audit.read(connection, merchant.account, 3)
        gone = list_reading.kinds(connection, merchant.account)
        row = connection.execute(sa.select(LISTS)).one()
    assert gone == {}
    assert row.changes == 4
    assert sorted(line.action for line in lines) == ["list.add", "list.drop", "list.remove"]
    assert all(line.details["list"] == "bad" for line in lines)
    assert "secret" not in str(lines)
    assert "4242424242424242" not in str(lines)


def test_many_entries_are_added_in_turns_and_taken_over_together(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "_TURN", 10)
    wanted = [PlannedEntry(f"v{number:03d}", "-", "why") for number in range(35)]
    seen = []
    write = lists._write

    def watched(change: Change, opened: OpenList, plan: ListChangePlan) -> None:
        write(change, opened, plan)
        seen.append(change.connection.scalar(sa.select(LISTS.c.changes)))

    monkeypatch.setattr(lists, "_write", watched)
    made = lists.add_many(merchant.session, merchant.account, "bad", ListKind.WORDS, wanted)
    assert made == Added(35, 0, 0)
    assert seen == [1, 1, 1, 1]
    assert merchant.changes("bad") == 2
    again = lists.add_many(merchant.session, merchant.account, "bad", None, wanted)
    assert again == Added(0, 0, 35)
    # After an interruption, servers must load the list even if nothing was left to write.
    assert merchant.changes("bad") == 3
    some = [PlannedEntry(one.value, "-", "other") for one in wanted[:12]]
    assert lists.add_many(merchant.session, merchant.account, "bad", None, some) == Added(0, 12, 0)
    assert len(merchant.listed("bad")) == 35
    with merchant.session.reading() as connection:
        preview = plan_adding(
            connection, ListKey(merchant.account, "bad"), wanted, merchant.now
        ).tally
    assert preview == Added(0, 12, 23)
    with pytest.raises(NotFound):
        lists.add_many(merchant.session, merchant.account, "none", None, wanted)


def test_entries_are_read_page_by_page(merchant: Merchant) -> None:
    merchant.add("bad", "a", "b", "c", kind=ListKind.WORDS)
    merchant.add("bad", "b", reason="why")
    seen: list[tuple[str, str | None]] = []
    after = None
    with merchant.session.reading() as connection:
        while page := list_reading.entries(
            connection,
            merchant.account,
            "bad",
            EntryPage(NOW, 2, after, include_gone=True),
            merchant.session.signer,
        ):
            seen += [(one.value, one.reason) for one in page]
            after = (page[-1].value, page[-1].added_at_ms)
    assert seen == [("a", None), ("b", None), ("b", "why"), ("c", None)]


def test_the_past_of_networks_and_domains_is_found_by_what_covers_a_value(
    merchant: Merchant,
) -> None:
    merchant.add("nets", "203.0.113.0/24", kind=ListKind.NETWORKS, expires_at_ms=NOW + 10)
    merchant.add("nets", "203.0.113.7/32")
    merchant.now += 20
    merchant.remove("nets", "203.0.113.7/32")
    times = [NOW - 1, NOW, NOW + 10, NOW + 19, NOW + 20]
    assert merchant.history("nets", "203.0.113.8", times) == [False, True, False, False, False]
    assert merchant.history("nets", "203.0.113.7", times) == [False, True, True, True, False]
