"""Several server processes on one port: what the supervisor starts, and what each of them does."""

import contextlib
import dataclasses
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import typer

from gatehouse.access.actors import Actor
from gatehouse.core.errors import WrongUsage
from gatehouse.core.listening import listen
from gatehouse.settings.settings import PREFIX, Settings


class WorkerPlace(NamedTuple):
    """What a worker is told by its supervisor, as one word of its command line."""

    number: int
    port: int
    folder: str

    @classmethod
    def read(cls, text: str) -> "WorkerPlace":
        """The place that a word tells."""
        number, port, folder = text.split(":", 2)
        return cls(int(number), int(port), folder)

    def __str__(self) -> str:
        return ":".join(map(str, self))


def refuse_unfit_workers(settings: Settings, *, demo_history: bool) -> None:
    """Refuse what several processes cannot share."""
    if settings.effective_database_url.startswith("sqlite"):
        raise WrongUsage(
            f"{settings.workers} workers need PostgreSQL: a SQLite file is served by one process. "
            f"Set {PREFIX}DATABASE_URL=postgresql://user@host/name, or serve with --workers 1"
        )
    if demo_history:
        raise WrongUsage("give the past with --workers 1 first: --demo-history takes one worker")


def supervise(settings: Settings, listener: socket.socket) -> None:
    """Run the workers until a signal comes, on the port that was taken and may now be shared."""
    from gatehouse.api.serving.supervisor import Supervisor, WorkerPlan

    with contextlib.ExitStack() as stack:
        stack.enter_context(_reserve(listener, settings.host))
        if settings.metrics_port:
            metrics = listen(settings.metrics_host, settings.metrics_port)
            stack.enter_context(_reserve(metrics, settings.metrics_host))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gatehouse-workers-"))

        def command(number: int) -> list[str]:
            place = WorkerPlace(number, settings.port, folder)
            start = [sys.executable, "-m", "gatehouse", "serve", "--host", settings.host]
            return [*start, "--place", str(place)]

        environment = {**os.environ, f"{PREFIX}CONSOLE_PORT": str(settings.console_port)}
        if code := Supervisor(WorkerPlan(settings.workers, command, environment)).run():
            raise typer.Exit(code)


def _reserve(taken: socket.socket, host: str) -> socket.socket:
    """Let workers share a port, of which it is certain that nobody else has it.

    The socket gets no connections, because nobody listens on it; it keeps others from the port.
    """
    port = taken.getsockname()[1]
    taken.close()
    return listen(host, port, shared=True)


def work(settings: Settings, place: WorkerPlace) -> None:
    """Serve as one of several workers."""
    from gatehouse.operations import warmup

    networks = warmup.begin()

    from gatehouse import bootstrap
    from gatehouse.api.metrics.worker_metrics import WorkerMetrics
    from gatehouse.api.serving.server import Listeners
    from gatehouse.api.serving.server import serve as run
    from gatehouse.api.serving.supervisor import end_with_parent
    from gatehouse.cli.hints import hinted
    from gatehouse.core.wording.log_lines import configure_logging
    from gatehouse.operations import installation

    configure_logging(settings.log_level, place.number, hinted)
    settings = dataclasses.replace(settings, port=place.port)
    with contextlib.ExitStack() as stack:
        api = stack.enter_context(listen(settings.host, settings.port, shared=True))
        metrics_port = None
        if settings.metrics_port:
            metrics_port = listen(settings.metrics_host, settings.metrics_port, shared=True)
            stack.enter_context(metrics_port)
        session = installation.open_admin_session(settings, Actor.system("server"))
        service = bootstrap.Service(settings, session, networks, alone=False, worker=place.number)
        metrics = WorkerMetrics(service.metrics.registry, Path(place.folder), place.number)
        metrics.start()
        service.metrics.shown = metrics.registry
        end_with_parent()
        run(service, settings, Listeners(api, metrics_port))
