"""The command counts what the copy counts, and leaves none behind."""

from gatehouse.figures.copies import ColumnCopies
from tests.figures.shops import Shop
from tests.harness import Home


def test_figures_are_printed_and_no_copy_stays_that_nobody_follows(sqlite_home: Home) -> None:
    with sqlite_home.session() as session:
        now_ms = session.clock()
        shop = Shop(session, sqlite_home.path)
        shop.keep(now_ms - 1000, decision="DECLINE")
        shop.copies.close()
        (sqlite_home.path / "columns" / "in-use").unlink()
        (sqlite_home.path / "columns").rmdir()
        asked = ("figures", "--account", shop.account_id, "--since", "1h")
        found = sqlite_home.ok(*asked, "--json").json
        assert found["counts"]["declined"] == 1
        assert found["coverage"]["complete"]
        assert not list(sqlite_home.path.glob("columns*"))
        copies = ColumnCopies(session, sqlite_home.path)
        copies.catch_up(shop.account_id)
        copies.close()
        [kept] = sqlite_home.path.glob("columns/*.columns")
        assert "DECLINED" in sqlite_home.ok(*asked).out
        assert kept.exists()


def test_wrong_options_are_refused(sqlite_home: Home) -> None:
    assert "hour, day, week, month" in sqlite_home.run("figures", "--by", "year").err
    assert "time zone is not known" in sqlite_home.run("figures", "--zone", "Nowhere").err
