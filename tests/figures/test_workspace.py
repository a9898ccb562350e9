"""What a backtest puts on disk is private, and is gone however it ends."""

import errno
import os
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gatehouse.core.errors import GatehouseError, InvalidInput
from gatehouse.figures.workspace import open_workspace, plain_errors


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_nobody_else_can_read_it(folder: Path) -> None:
    with open_workspace() as workspace:
        workspace.ask("CREATE TABLE a AS SELECT 1 AS b")
        assert workspace.folder.parent == folder
        assert stat.S_IMODE(workspace.folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def _interrupt() -> None:
    raise KeyboardInterrupt


def _end() -> None:
    # Anywhere but here the signal would end the tests.
    assert threading.current_thread() is threading.main_thread()
    os.kill(os.getpid(), signal.SIGTERM)


def _end_soon() -> None:
    assert threading.current_thread() is threading.main_thread()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()


@pytest.mark.parametrize(
    ("how", "what"),
    [(_interrupt, KeyboardInterrupt), (_end, SystemExit), (_end_soon, SystemExit)],
)
def test_an_end_from_outside_leaves_nothing(
    folder: Path, how: Callable[[], None], what: type[BaseException]
) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def work() -> None:
        with open_workspace() as workspace, workspace.lines(b"{}\n"):
            how()
            workspace.ask("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a > b")

    with pytest.raises(what):
        work()
    assert list(folder.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_a_killed_process_left_is_removed_and_nothing_else(folder: Path) -> None:
    left = folder / "gatehouse-work-left"
    left.mkdir()
    (left / "in-use").touch()
    (left / "part.json").write_text("{}")
    other = folder / "gatehouse-work-of-somebody"
    other.mkdir()
    with open_workspace() as first, open_workspace() as second:
        assert not left.exists()
        assert first.folder.exists()
        assert second.folder.exists()
    assert list(folder.iterdir()) == [other]


def test_a_full_disk_is_told_in_words(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="no space is left"), plain_errors(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_anything_else_that_duckdb_refuses_is_told_in_one_line_without_the_statement() -> None:
    with open_workspace() as workspace:
        with pytest.raises(GatehouseError) as refused:
            workspace.ask("SELECT nothing_at_all + 1 AS secret")
    told = str(refused.value)
    assert told.startswith("DuckDB could not do this: Binder Error: ")
    assert "secret" not in told
    assert told.isprintable()


def test_work_beyond_the_memory_goes_on_in_files_or_is_refused(folder: Path) -> None:
    with open_workspace() as workspace:
        workspace.ask("SET memory_limit = '30MB'")
        workspace.ask("SET max_temp_directory_size = '1MB'")
        with pytest.raises(InvalidInput, match="take a shorter span"):
            workspace.ask("SELECT list(hash(range)::VARCHAR) FROM range(3000000)")
    assert list(folder.iterdir()) == []
