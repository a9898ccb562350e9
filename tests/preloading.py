"""What the fork server does before the first fork, so that no fork has to."""

import functools
import gc
import logging
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock


def trust_no_public_authority() -> None:
    """Leave the certificates of public authorities unread: nobody whom tests call has one.

    To read them takes longer than most tests, and every connector and every client would do it.
    """
    import ssl

    from httpx import _config

    mock.patch.object(ssl.SSLContext, "load_default_certs").start()
    once = functools.cache(_config.create_ssl_context)
    mock.patch("httpx._transports.default.create_ssl_context", once).start()


def build_commands_once() -> None:
    """Keep the tree of commands, which is otherwise built anew for every call."""
    from typer import main, testing

    once = functools.cache(main.get_command)
    for module, name in ((main, "get_command"), (testing, "_get_command")):
        setattr(module, name, once)


def build_routes_once() -> None:
    """Keep what every server builds for its routes, and nothing changes afterwards."""
    from gatehouse.api import body_reader
    from gatehouse.api.routes import Routes
    from gatehouse.core.reading.unread_fields import UnreadFields
    from gatehouse.core.stages.registry import REGISTRY
    from gatehouse.operations import planning
    from gatehouse.operations.pipeline_messages import pipeline_messages

    mock.patch.object(body_reader, "UnreadFields", functools.cache(UnreadFields)).start()
    made: dict[tuple[int, ...], tuple[Any, Any]] = {}

    def messages() -> Any:
        specs = tuple(REGISTRY.in_pipelines)
        known = tuple(map(id, specs))
        if known not in made:
            # Stages that are kept keep their ids.
            made[known] = specs, pipeline_messages()
        return made[known][1]

    mock.patch.object(planning, "pipeline_messages", messages).start()
    # The pages take longer to make than all else at a start; here their first reader waits.
    mock.patch.object(Routes, "prepare").start()


def load() -> None:
    """Import and unpack what commands and servers need."""
    import alembic.command
    import alembic.config
    import duckdb
    import psycopg
    import typer.main
    import uvicorn.lifespan.on
    import uvicorn.loops.uvloop
    import uvloop

    import gatehouse.admin.people.use_cases.demo
    import gatehouse.admin.sandbox.use_cases.beside
    import gatehouse.admin.sandbox.use_cases.fill
    import gatehouse.api.serving.server
    import gatehouse.bootstrap
    import gatehouse.connectors.reference_host.serving
    import gatehouse.console.serving.server
    import gatehouse.workers.background.process
    from gatehouse.cli.app import app
    from gatehouse.cli.late import LateCommand
    from gatehouse.intel import networks
    from gatehouse.intel.bins import load_bins
    from gatehouse.operations import warmup

    _ = (
        alembic.command,
        alembic.config,
        duckdb,
        psycopg,
        uvicorn,
        uvloop,
        gatehouse.api.serving.server,
    )
    build_commands_once()
    build_routes_once()
    trust_no_public_authority()
    command: Any = typer.main.get_command(app)
    command.make_context("gatehouse", ["accounts", "list"])
    for one in command.commands.values():
        if isinstance(one, LateCommand):
            one.load()
    table = networks.load_networks()
    for place in (warmup, networks):
        mock.patch.object(place, "load_networks", return_value=table).start()
    mock.patch.object(gatehouse.bootstrap, "load_bins", return_value=load_bins()).start()
    warmup.warm()
    command.commands["serve"].make_context("serve", ["--port", "0"])
    _rehearse()
    # A collector that looked at what is loaded would copy all of it into the fork.
    gc.collect()
    gc.freeze()


def load_learning() -> None:
    """Import what training needs and nothing else does."""
    import interpret.glassbox
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg
    import matplotlib.figure

    import gatehouse.admin.models.use_cases.replays
    import gatehouse.admin.models.use_cases.training

    _ = (interpret, matplotlib, gatehouse)
    gc.collect()
    gc.freeze()


def _rehearse() -> None:
    """Serve one request of each kind: what that compiles and looks up is kept for the forks."""
    import httpx
    from msgspec import inspect

    from gatehouse.admin.accounts.use_cases.default_account import ensure_demo
    from gatehouse.settings.settings import load_settings
    from tests.databases import share_compiled_statements
    from tests.harness import AMELIA, BODY, PURCHASE, VISIT, Home
    from tests.harness.service import call_service

    share_compiled_statements()
    mock.patch.object(inspect, "type_info", functools.cache(inspect.type_info)).start()

    async def scenario(client: httpx.AsyncClient) -> None:
        calls = {"precheck": BODY, "idverify": AMELIA, "sentry": VISIT, "pipeline": PURCHASE}
        for name, body in calls.items():
            answer = await client.post(f"/api/v1/{name}", json=body)
            assert answer.json()["isSuccess"], answer.text
        while not (await client.get("/readyz")).json()["checks"]["memory"]:
            pass

    with tempfile.TemporaryDirectory(prefix="gatehouse-rehearsal-") as folder:
        # The lines of its requests would stand in the output of every run.
        home = Home(Path(folder) / "home", settings={"GATEHOUSE_LOG_LEVEL": "error"}).migrated()
        with home.session() as session:
            key = ensure_demo(session, load_settings(home.environ()))
        logging.disable()
        call_service(home, key, scenario)
        logging.disable(logging.NOTSET)
