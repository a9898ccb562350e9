"""An archive follows the database day by day, and never has more than it."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.archive.use_cases.archive import (
    ArchiveState,
    archive_decisions,
    archives_of,
    refresh_archives,
)
from gatehouse.admin.archive.use_cases.archive_backtest import ArchiveSource, backtest_archive
from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.privacy.use_cases.retention import (
    RetentionHooks,
    RetentionPolicy,
    run_retention,
)
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions
from gatehouse.archive import keeping, manifest
from gatehouse.archive.places import open_place
from gatehouse.archive.spark_engine import is_local
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, StoreUnavailable
from gatehouse.core.wording.labels import Label
from gatehouse.figures.layout import ColumnLayout
from gatehouse.rules.authoring import read_rule_set
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.identities import erasure
from tests.archive.test_backtests import FIRST_MS
from tests.figures.shops import DAY_MS, HOUR_MS, NOW_MS, Shop
from tests.harness import Home

RULE = b"""
rule_set: shop
description: One rule.
rules:
  - {name: dear, outcome: DECLINE, condition: order.amount > 1}
"""
FIRST, SECOND, THIRD = "2026-10-25", "2026-10-26", "2026-10-27"


def keep_days(shop: Shop, days: int = 3) -> list[str]:
    """Two decisions on each of some days."""
    return [
        shop.keep_of_user(FIRST_MS + day * DAY_MS + hour * HOUR_MS, f"user-{day}-{hour}")
        for day in range(days)
        for hour in (1, 2)
    ]


def archived(shop: Shop, to: Path, until_ms: int = FIRST_MS + 3 * DAY_MS) -> ArchiveState:
    span = RecordSpan(shop.account_id, 0, until_ms)
    return archive_decisions(shop.session, span, str(to), lambda *_: None)


def rows(to: Path, what: str, columns: str) -> list[tuple[object, ...]]:
    """What another program reads in the files of an archive."""
    files = sorted(str(each) for each in (to / what).rglob("*.parquet"))
    if not files:
        return []
    query = f"SELECT {columns} FROM read_parquet({files}) ORDER BY ALL"
    return duckdb.execute(query).fetchall()


def test_only_days_that_are_new_or_changed_are_written(any_shop: Shop, tmp_path: Path) -> None:
    shop, to = any_shop, tmp_path / "archive"
    ids = keep_days(shop)
    first = archived(shop, to, FIRST_MS + 2 * DAY_MS)
    assert (first.written, first.decisions, first.days) == ([FIRST, SECOND], 4, 2)
    assert rows(to, "decisions", "request_id, account, day::VARCHAR") == [
        (each, shop.account_id, day)
        for each, day in zip(ids[:4], (FIRST, FIRST, SECOND, SECOND), strict=True)
    ]
    assert archived(shop, to).written == [THIRD]
    shop.label(ids[0])
    relabelled = archived(shop, to)
    assert (relabelled.written, relabelled.labelled, relabelled.labels) == ([], [FIRST], 1)
    shop.label(ids[0], found=Label.WITHDRAWN)
    late = shop.keep_of_user(FIRST_MS + DAY_MS + 5, "late")
    changed = archived(shop, to)
    assert (changed.written, changed.labelled) == ([SECOND], [FIRST])
    assert rows(to, "labels", "request_id, fraud, label, recorded_ms") == [
        (ids[0], None, "WITHDRAWN", NOW_MS)
    ]
    assert (late,) in rows(to, "decisions", "request_id")
    again = archived(shop, to)
    assert (again.written, again.labelled, again.removed) == ([], [], [])


def test_a_day_is_archived_when_it_is_over(shop: Shop, tmp_path: Path) -> None:
    keep_days(shop, 1)
    shop.now_ms = FIRST_MS + DAY_MS + keeping.LATE_MS - 1
    assert archived(shop, tmp_path).days == 0
    shop.now_ms += 1
    assert archived(shop, tmp_path).written == [FIRST]
    shop.now_ms = NOW_MS


def test_what_is_erased_is_gone_from_the_files(any_shop: Shop, tmp_path: Path) -> None:
    shop, to = any_shop, tmp_path / "archive"
    gone, broken = tmp_path / "gone", tmp_path / "broken"
    keep_days(shop, 2)
    for each in (to, gone, broken):
        archived(shop, each)
    shutil.rmtree(gone)
    (broken / "manifests" / f"{shop.account_id}.json").write_text("not a manifest")
    assert b"user-1-2" in _all_bytes(to)
    options = ErasureOptions(compact=False)
    done = erase_person(shop.session, shop.account_id, PersonNamed(user_id="user-1-2"), options)
    assert done.archives == [str(to), str(gone), str(broken)]
    left = refresh_archives(shop.session, shop.account_id, lambda *_: None)
    assert (left.failed, left.missing) == ([str(broken)], [str(gone)])
    assert b"user-1-2" not in _all_bytes(to)
    assert b"user-1-1" in _all_bytes(to)
    assert [row[0] for row in rows(to, "decisions", "erased")].count(True) == 1
    assert not gone.exists()
    assert archived(shop, to).written == []


def test_an_erasure_tells_of_an_archive_that_this_machine_does_not_see(
    sqlite_home: Home, tmp_path: Path
) -> None:
    account = ("--account", sqlite_home.account())
    away, here = str(tmp_path / "away"), str(tmp_path / "here")
    for each in (away, here):
        sqlite_home.ok("decisions", "archive", "--to", each, *account)
    shutil.move(away, tmp_path / "another machine")
    done = sqlite_home.ok("privacy", "erase", "--user", "u-jane", "--yes", "--json", *account)
    assert (done.json["archives"], done.json["archivesMissing"]) == ([], [away])
    assert f"decisions archive --to for it there: {away}\n" in done.err


def test_an_erasure_goes_on_to_archives_when_unused_space_cannot_be_cleared(
    sqlite_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = ("--account", sqlite_home.account())
    broken = tmp_path / "archive"
    sqlite_home.ok("decisions", "archive", "--to", str(broken), *account)
    [noted] = (broken / "manifests").iterdir()
    noted.write_text("not a manifest")

    def fail(*_: object) -> bool:
        raise StoreUnavailable("the log of the database is in use")

    monkeypatch.setattr(erasure, "tidy", fail)
    done = sqlite_home.ok("privacy", "erase", "--user", "u-jane", "--yes", "--json", *account)
    assert done.json["erasureId"].startswith("ers_")
    assert (done.json["compacted"], done.json["archives"]) == (False, [str(broken)])
    assert "gatehouse identities compact" in done.err


def test_what_retention_deletes_is_removed(shop: Shop, tmp_path: Path) -> None:
    ids = keep_days(shop)
    shop.label(ids[0])
    archived(shop, tmp_path)
    shop.now_ms = FIRST_MS + 2 * DAY_MS + 90 * 60_000 + 30 * DAY_MS
    run_retention(shop.session, RetentionPolicy(decisions=30), RetentionHooks(rests=False))
    after = archived(shop, tmp_path)
    assert (after.removed, after.written) == ([FIRST, SECOND], [THIRD])
    assert (after.since, after.until, after.decisions, after.labels) == (THIRD, THIRD, 1, 0)
    assert not (tmp_path / "decisions" / f"account={shop.account_id}" / f"day={FIRST}").exists()
    assert rows(tmp_path, "labels", "*") == []
    shop.now_ms = NOW_MS


def test_what_a_killed_run_left_goes_with_the_next(shop: Shop, tmp_path: Path) -> None:
    keep_days(shop)
    archived(shop, tmp_path)
    account = f"account={shop.account_id}"
    left = [
        tmp_path / kind / account / f"day={day}" / ".unfinished-x"
        for kind in ("decisions", "labels")
        for day in (FIRST, THIRD)
    ]
    others = tmp_path / "manifests" / ".unfinished-of-another-account"
    for each in (*left, others):
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_bytes(b"decisions")
    shop.now_ms = FIRST_MS + 2 * DAY_MS + 90 * 60_000 + 30 * DAY_MS
    run_retention(shop.session, RetentionPolicy(decisions=30), RetentionHooks(rests=False))
    after = archived(shop, tmp_path)
    assert (after.removed, after.written) == ([FIRST, SECOND], [THIRD])
    assert list(tmp_path.rglob(".unfinished-*")) == [others]
    assert not (tmp_path / "decisions" / account / f"day={FIRST}").exists()
    shop.now_ms = NOW_MS


def test_an_interrupted_run_is_gone_on_with(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_days(shop)
    written: list[object] = []
    whole = manifest.write_manifest

    def fail_after_the_second(*given: object) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(given)
        whole(*given)  # type: ignore[arg-type]  # whatever it takes

    monkeypatch.setattr(keeping, "write_manifest", fail_after_the_second)
    with pytest.raises(KeyboardInterrupt):
        archived(shop, tmp_path)
    monkeypatch.undo()
    assert archived(shop, tmp_path).written == [THIRD]
    assert len(rows(tmp_path, "decisions", "request_id")) == 6


def test_two_processes_do_not_write_an_archive_at_once(any_shop: Shop, tmp_path: Path) -> None:
    keep_days(any_shop)
    span = RecordSpan(any_shop.account_id, 0, FIRST_MS + 3 * DAY_MS)
    refused = []

    def begin_another(done: int, total: int) -> None:
        with pytest.raises(Conflict, match="another process writes an archive"):
            archived(any_shop, tmp_path)
        refused.append(done)

    archive_decisions(any_shop.session, span, str(tmp_path), begin_another)
    assert refused
    assert archived(any_shop, tmp_path).written == []


def test_an_archive_of_another_database_is_written_anew(shop: Shop, tmp_path: Path) -> None:
    keep_days(shop)
    archived(shop, tmp_path)
    shop.now_ms += 2 * HOUR_MS
    archived(shop, tmp_path)
    file = tmp_path / "manifests" / f"{shop.account_id}.json"
    noted = json.loads(file.read_bytes())
    assert noted["auditSeq"] > 0
    file.write_text(json.dumps(noted | {"auditHash": "of another trail"}))
    assert archived(shop, tmp_path).written == [FIRST, SECOND, THIRD]


def test_a_reader_takes_nothing_that_is_damaged_missing_or_of_another_version(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_days(shop)
    span = RecordSpan(shop.account_id, FIRST_MS, FIRST_MS + 5 * DAY_MS)

    def tried() -> tuple[str, ...]:
        source = ArchiveSource(str(tmp_path))
        rules = read_rule_set(RULE)
        return backtest_archive(shop.session, rules, span, BacktestOptions(), source).warnings

    with pytest.raises(NotFound, match="gatehouse decisions archive --account"):
        tried()
    archived(shop, tmp_path)
    assert f"the archive has whole days up to {THIRD}; later requests are left out" in tried()
    file = tmp_path / "manifests" / f"{shop.account_id}.json"
    noted = json.loads(file.read_bytes())
    # A day that names a place elsewhere, which would be written to and removed.
    days = noted["days"] | {f"{FIRST}/../../../elsewhere": noted["days"][FIRST]}
    file.write_text(json.dumps(noted | {"days": days}))
    with pytest.raises(InvalidInput, match="is not a manifest"):
        tried()
    file.write_text(json.dumps(noted))
    [damaged, *_] = sorted((tmp_path / "decisions").rglob("*.parquet"))
    content = damaged.read_bytes()
    damaged.write_bytes(content + b"x")
    with pytest.raises(Conflict, match="is not as the manifest says"):
        tried()
    damaged.write_bytes(content)
    monkeypatch.setattr(ColumnLayout, "archive_version", "newer")
    with pytest.raises(Conflict, match=f"{FIRST} was written by another version"):
        tried()
    assert archived(shop, tmp_path).written == [FIRST, SECOND, THIRD]
    tried()


def test_files_are_for_their_owner_alone(shop: Shop, tmp_path: Path) -> None:
    keep_days(shop, 1)
    archived(shop, tmp_path / "new" / "archive")
    found = list((tmp_path / "new").rglob("*"))
    assert len(found) > 5
    assert {each.stat().st_mode & 0o077 for each in found} == {0}


def test_places_are_named_plainly(shop: Shop) -> None:
    for wrong in ("", "https://example.com/x", "s3://UPPER/x", "s3://key:secret@bucket", "s3://b"):
        with pytest.raises(InvalidInput, match="s3://bucket/prefix"):
            archive_decisions(
                shop.session, RecordSpan(shop.account_id, 0, NOW_MS), wrong, lambda *_: None
            )


def test_an_engine_on_other_machines_is_told_the_names_as_they_are(tmp_path: Path) -> None:
    name = manifest.decisions_file("acct_1", FIRST)
    address = open_place(str(tmp_path / "an archive")).address(name)
    assert address == f"file://{tmp_path}/an archive/{name}"
    assert "%" not in address


@pytest.mark.parametrize(
    ("master", "local"),
    [
        *((master, True) for master in ("local", "local[*]", "local[4]", "local[*,2]")),
        *((master, False) for master in ("local-cluster[2,1,1024]", "spark://local:7077", "yarn")),
    ],
)
def test_only_spark_within_one_process_is_brought_its_files(master: str, local: bool) -> None:
    assert is_local(master) is local


def test_another_account_cannot_be_archived(shop: Shop, tmp_path: Path) -> None:
    stranger = shop.session.acting_as(Actor.user("x", "acct_other"))
    with pytest.raises(NotFound):
        archives_of(stranger, shop.account_id)


def _all_bytes(folder: Path) -> bytes:
    """Everything that the files hold, without compression."""
    files = [str(each) for each in folder.rglob("*.parquet")]
    return "".join(str(duckdb.execute(f"FROM '{each}'").fetchall()) for each in files).encode()
