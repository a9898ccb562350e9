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
from gatehouse.settings import PREFIX, Settings


class WorkerPlace(NamedTuple):
    """What a worker is told by its supervisor, as one word of its command line."""

    number: int
    api: int
    """The descriptor of the port of the API."""
    metrics: int
    """The one of the port of metrics, or -1 without."""
    folder: str

    @classmethod
    def read(cls, text: str) -> "WorkerPlace":
        """The place that a word tells."""
        number, api, metrics, folder = text.split(":", 3)
        return cls(int(number), int(api), int(metrics), folder)

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
    """Run the workers until a signal comes; the database is theirs alone."""
    from gatehouse.core.listening import listen
    from gatehouse.web.supervisor import Supervisor, WorkerPlan

    sockets, metrics = [listener], -1
    if settings.metrics_port:
        sockets.append(listen(settings.metrics_host, settings.metrics_port))
        metrics = sockets[1].fileno()
    for each in sockets:
        each.set_inheritable(True)
    with tempfile.TemporaryDirectory(prefix="gatehouse-workers-") as folder:

        def command(number: int) -> list[str]:
            place = WorkerPlace(number, listener.fileno(), metrics, folder)
            start = [sys.executable, "-m", "gatehouse", "serve", "--host", settings.host]
            return [*start, "--place", str(place)]

        environment = {**os.environ, f"{PREFIX}CONSOLE_PORT": str(settings.console_port)}
        plan = WorkerPlan(settings.workers, command, environment, sockets)
        if code := Supervisor(plan).run():
            raise typer.Exit(code)


def work(settings: Settings, place: WorkerPlace) -> None:
    """Serve as one of several workers."""
    from gatehouse import warmup

    networks = warmup.begin()

    from gatehouse import bootstrap, installation
    from gatehouse.core.log_lines import configure_logging
    from gatehouse.web.server import Listeners
    from gatehouse.web.server import serve as run
    from gatehouse.web.supervisor import end_with_parent
    from gatehouse.web.worker_metrics import WorkerMetrics

    configure_logging(settings.log_level, place.number)
    with contextlib.ExitStack() as stack:
        opened = [place.api, place.metrics][: 1 if place.metrics < 0 else 2]
        listeners = Listeners(*[stack.enter_context(socket.socket(fileno=fd)) for fd in opened])
        settings = dataclasses.replace(settings, port=listeners.api.getsockname()[1])
        session = installation.open_admin_session(settings, Actor.system("server"))
        service = bootstrap.Service(settings, session, networks, alone=False)
        metrics = WorkerMetrics(service.metrics.registry, Path(place.folder), place.number)
        metrics.start()
        service.metrics.shown = metrics.registry
        end_with_parent()
        run(service, settings, listeners)
