"""The copy follows what becomes of decisions, and is made again when it cannot be right."""

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.privacy.use_cases.retention import (
    RetentionHooks,
    RetentionPolicy,
    run_retention,
)
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.core.wording.labels import Label
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.copies import ColumnCopies
from gatehouse.figures.engine import ColumnConnection, ColumnEngine, FiguresNotReady
from gatehouse.figures.follower import Follower
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.tables import DECISIONS
from tests.figures.shops import DAY_MS, NOW_MS, Shop
from tests.harness import PATIENCE_S, until


def test_a_decision_whose_commit_came_late_is_copied(any_shop: Shop) -> None:
    newer = any_shop.keep(NOW_MS)
    assert any_shop.ids() == [newer]
    late = any_shop.keep(NOW_MS - 50_000)
    very_late = any_shop.keep(NOW_MS - 10 * 60_000)
    days_late = any_shop.keep(NOW_MS - 5 * DAY_MS)
    assert any_shop.ids() == [days_late, very_late, late, newer]


def test_labels_and_reviews_are_followed(any_shop: Shop) -> None:
    shop = any_shop
    first, second = shop.keep(NOW_MS - DAY_MS), shop.keep(NOW_MS)
    shop.review(first)
    assert shop.value(first, "review") == "OPEN"
    shop.label(second)
    assert shop.value(second, "fraud") is True
    shop.label(second, found=Label.WITHDRAWN)
    assert shop.value(second, "fraud") is None
    finding = ReviewFinding(approve=True, reason="known customer")
    resolve_review(shop.session, shop.account_id, first, finding)
    assert shop.value(first, "review") == "APPROVED"
    assert shop.value(first, "fraud") is False


def test_a_copy_is_brought_up_to_date_while_a_thread_follows_it(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, step = shop.keep(NOW_MS), Follower.step
    begun, both, inside = threading.Event(), threading.Event(), threading.Lock()

    def watched(follower: Follower) -> bool:
        if not inside.acquire(blocking=False):
            both.set()
            return False
        begun.set()
        # Time for the other thread to come in between, if it can.
        both.wait(0.2)
        try:
            return step(follower)
        finally:
            inside.release()

    monkeypatch.setattr(Follower, "step", watched)
    shop.copies.of(shop.account_id)
    shop.copies.start()
    assert begun.wait(PATIENCE_S)
    assert shop.ids() == [kept]
    assert not both.is_set()


def test_a_new_process_goes_on_with_the_copy(shop: Shop) -> None:
    first = shop.keep(NOW_MS - DAY_MS)
    shop.columns()
    [file] = files(shop)
    shop.keep(NOW_MS)
    shop.reopen()
    assert len(shop.ids()) == 2
    assert files(shop) == [file]
    assert shop.value(first, "outcome") == "ACCEPT"


def test_nobody_reads_a_copy_before_its_tables_are_there(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = ColumnEngine.asking
    read: list[bool | None] = []

    def asked(engine: ColumnEngine, name: str) -> ColumnConnection:
        if not read:
            read.append(None)
            read.append(readable(shop.copies.of(shop.account_id)))
        return asking(engine, name)

    monkeypatch.setattr(ColumnEngine, "asking", asked)
    kept = shop.keep(NOW_MS)
    assert shop.ids() == [kept]
    assert read == [None, False]


def test_a_damaged_copy_is_made_again(shop: Shop) -> None:
    kept = shop.keep(NOW_MS)
    shop.columns()
    [file] = files(shop)
    shop.copies.close()
    file.write_bytes(b"nonsense" * 1000)
    shop.copies = ColumnCopies(shop.session, shop.folder)
    assert shop.ids() == [kept]
    assert files(shop) != [file]


def test_a_copy_with_a_damaged_part_is_made_again(shop: Shop) -> None:
    ids = shop.fill(300)
    shop.columns().compact()
    [file] = files(shop)
    shop.copies.close()
    content = bytearray(file.read_bytes())
    for place in range(20_000, len(content), 4096):
        content[place] ^= 255
    file.write_bytes(content)
    shop.copies = ColumnCopies(shop.session, shop.folder)
    shop.copies.start()
    columns = shop.copies.of(shop.account_id)
    until(lambda: columns.coverage.done == len(ids) and readable(columns))


def readable(columns: AccountColumns) -> bool:
    try:
        with columns.reading() as asking:
            return bool(asking.ask("SELECT max(COLUMNS(*)) FROM decisions"))
    except FiguresNotReady:
        return False


def test_a_second_process_has_a_copy_of_its_own_for_a_while(shop: Shop) -> None:
    kept = shop.keep(NOW_MS)
    shop.columns()
    second = ColumnCopies(shop.session, shop.folder)
    second.start()
    columns = second.of(shop.account_id)
    until(columns.ready.is_set)
    with columns.reading() as asking:
        assert asking.ask("SELECT request_id FROM decisions") == [(kept,)]
    assert len(list(shop.folder.iterdir())) == 2
    second.close()
    assert [each.name for each in shop.folder.iterdir()] == ["columns"]


def test_a_restored_database_gets_a_new_copy(shop: Shop) -> None:
    shop.list_add("vip", ListKind.USERS, ["u-1"], NOW_MS)
    kept = [shop.keep(NOW_MS - DAY_MS), shop.keep(NOW_MS)]
    shop.columns()
    with shop.session.database.writing() as connection:
        connection.execute(sa.text("UPDATE audit SET hash = 'other'"))
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == kept[0]))
    assert shop.ids() == kept[1:]


def test_an_erased_person_is_gone_from_the_copy_and_from_its_file(
    any_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without encryption, so that the file can be searched.
    monkeypatch.setattr(ColumnEngine, "attach", attach_plainly)
    shop = any_shop
    jane, other = shop.keep_of_user(NOW_MS - DAY_MS, "u-jane"), shop.keep_of_user(NOW_MS, "u-john")
    assert shop.value(jane, "user.id") == "u-jane"
    assert b"u-jane" in content(shop)
    pace = Pace(shop.session.database, sleep=lambda _: None)
    options = ErasureOptions(compact=False)
    erase_person(shop.session, shop.account_id, PersonNamed(user_id="u-jane"), options, pace)
    assert shop.value(jane, "user.id") is None
    assert shop.value(jane, "custom_texts") is None
    assert shop.value(jane, "outcome") == "ACCEPT"
    assert shop.value(other, "user.id") == "u-john"
    assert b"u-jane" not in content(shop)
    assert b"u-john" in content(shop)
    shop.reopen()
    assert shop.ids() == [jane, other]


def test_what_retention_deletes_is_gone_from_the_copy(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ColumnEngine, "attach", attach_plainly)
    old = shop.keep_of_user(NOW_MS - 40 * DAY_MS, "u-old")
    kept = [shop.keep_of_user(NOW_MS - 5 * DAY_MS, "u-1"), shop.keep_of_user(NOW_MS, "u-2")]
    shop.now_ms = NOW_MS - 20 * DAY_MS
    shop.label(kept[0])
    shop.now_ms = NOW_MS
    assert shop.ids() == [old, *kept]
    assert shop.value(kept[0], "fraud") is True
    shop.label(kept[1])
    policy = RetentionPolicy(decisions=30, feedback=10)
    run_retention(shop.session, policy, RetentionHooks(rests=False))
    assert shop.ids() == kept
    assert [shop.value(each, "fraud") for each in kept] == [None, True]
    assert b"u-old" not in content(shop)


def test_the_file_is_encrypted(shop: Shop) -> None:
    shop.keep_of_user(NOW_MS, "u-jane")
    shop.columns()
    assert b"u-jane" not in content(shop)
    assert [oct(file.stat().st_mode)[-2:] for file in files(shop)] == ["00"]


def attach_plainly(engine: ColumnEngine, name: str, file: Path, key: bytes) -> None:
    engine._main.execute(f"ATTACH '{file}' AS \"{name}\"")


def content(shop: Shop) -> bytes:
    return b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())


def files(shop: Shop) -> list[Path]:
    return sorted(shop.folder.glob("columns/*.columns"))
