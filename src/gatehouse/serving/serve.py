"""gatehouse serve: run the server, or several on one port."""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import gatehouse
from gatehouse.access.actors import Actor
from gatehouse.cli.arguments import option
from gatehouse.serving.background import BACKGROUND_PLACE, work_beside
from gatehouse.serving.workers import WorkerPlace, refuse_unfit_workers, supervise, work
from gatehouse.settings.preflight import UnknownVariable, refuse_unfit_production, unknown_variables
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.accounts.price_list import price_list


def serve(
    host: Annotated[str | None, option("Address; over GATEHOUSE_HOST.")] = None,
    port: Annotated[int | None, option("Port; over GATEHOUSE_PORT.", min=0, max=65535)] = None,
    workers: Annotated[
        int | None,
        option(
            "Server processes on the port, with PostgreSQL; over GATEHOUSE_WORKERS.", min=1, max=256
        ),
    ] = None,
    console: Annotated[
        bool, option("Serve the console beside it, as a process of its own.", "--console")
    ] = False,
    demo_history: Annotated[
        bool,
        option(
            "Give the demo account of a new sandbox a made-up past, in the background.",
            "--demo-history",
        ),
    ] = False,
    place: Annotated[
        str | None, option("What a worker is told by its supervisor.", hidden=True)
    ] = None,
) -> None:
    """Serve the API until stopped.

    A stopping server goes on serving for GATEHOUSE_DRAIN_S while it says that it is not ready, then
    finishes what is in flight. A second signal ends both at once. A worker that dies is started
    again.
    """
    settings, unknown = load_settings(os.environ), unknown_variables(os.environ)
    settings = dataclasses.replace(
        settings,
        host=host or settings.host,
        port=settings.port if port is None else port,
        workers=workers or settings.workers,
    )
    refuse_unfit_production(settings, unknown)
    price_list(settings)
    if settings.programmes_file is not None:
        from gatehouse.admin.programmes.use_cases.tables import table_in_force

        table_in_force(settings)
    if place == BACKGROUND_PLACE:
        work_beside(settings)
        return
    from gatehouse.operations.certificates import check_tls

    check_tls(settings)
    if place is not None:
        work(settings, WorkerPlace.read(place))
        return
    if settings.workers > 1:
        refuse_unfit_workers(settings, demo_history=demo_history)
    _start(settings, unknown, console=console, demo_history=demo_history)


def _start(
    settings: Settings, unknown: Sequence[UnknownVariable], *, console: bool, demo_history: bool
) -> None:
    """Serve in this process, or supervise those that serve."""
    from gatehouse.operations import warmup

    networks = warmup.begin() if settings.workers == 1 else None

    from gatehouse import bootstrap
    from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT, ensure_demo
    from gatehouse.admin.people.use_cases.demo import demo_link
    from gatehouse.admin.sandbox.use_cases.beside import fill_beside
    from gatehouse.admin.sandbox.use_cases.fill import DemoPast, begin_demo, prepare_demo
    from gatehouse.api.logs import log_start
    from gatehouse.api.serving.server import Listeners
    from gatehouse.api.serving.server import serve as run
    from gatehouse.cli.hints import hinted
    from gatehouse.core.listening import listen
    from gatehouse.core.wording.log_lines import configure_logging
    from gatehouse.operations import installation

    configure_logging(settings.log_level, say=hinted)
    log_start(settings, gatehouse.__version__, unknown)
    session = installation.open_admin_session(settings, Actor.system("server"))
    with contextlib.ExitStack() as stack:
        alone = stack.enter_context(installation.only_server(session.database))
        listener = stack.enter_context(listen(settings.host, settings.port))
        settings = dataclasses.replace(settings, port=listener.getsockname()[1])
        if console:
            settings = _serve_console(settings, stack)
        past, service = DemoPast.NONE, None
        if networks is not None:
            service = bootstrap.Service(settings, session, networks, alone=alone)
            if demo_history:
                prepare_demo(session, settings)
                past = begin_demo(session)
            if past is DemoPast.BEGUN:
                service.fill_history = partial(fill_beside, service.owner)
        if not settings.is_production:
            key = ensure_demo(session, settings)
            token = demo_link(session, DEMO_ACCOUNT).token if console else None
            typer.echo(_welcome(settings, key, token, past=past is not DemoPast.NONE))
        if service is None:
            session.database.dispose()
            supervise(settings, listener)
        else:
            run(service, settings, Listeners(listener))


def _serve_console(settings: Settings, stack: contextlib.ExitStack) -> Settings:
    """Start the console beside the server; the settings with the port that it got."""
    from gatehouse.console.serving.child import console_beside
    from gatehouse.core.listening import listen

    listener = stack.enter_context(listen(settings.console_host, settings.console_port))
    listener.listen()
    settings = dataclasses.replace(settings, console_port=listener.getsockname()[1])
    stack.enter_context(console_beside(settings, listener))
    return settings


def _welcome(settings: Settings, key: str, token: str | None, *, past: bool) -> str:
    base = settings.base_url
    about = (
        "The demo account has a made-up past of 30 days, with reviews that wait for you. It is "
        "complete\na few seconds after the first start.\n\n"
        if past
        else ""
    )
    opened = f"  Console: {settings.effective_console_url}/link/{token}\n\n" if token else ""
    body = (
        '{"cardNumber": "4242424242424242", "cardExpiryDate": "2035-12", "cardCvv2Value": "123", '
        '"cardAddress": {"street": "1 Market Street", "postalCode": "94105"}}'
    )
    command = sys.argv[0] if Path(sys.argv[0]).name == "gatehouse" else "gatehouse"
    home = "" if settings.home == Settings().home else f"GATEHOUSE_HOME={settings.home.absolute()} "
    return (
        f"\nThe Gatehouse sandbox is ready on {base}\n\n{opened}"
        f"  Reference and guides   {base}/docs\n"
        f"  A tour                 {base}/docs/guides/tour\n"
        f"  Demo key               {key}\n\n"
        f"{about}"
        "Paste this into another terminal. It checks a card, and the answer says ACCEPT:\n\n"
        f"curl -s {base}/api/v1/precheck \\\n"
        f"  -H 'X-API-KEY: {key}' \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d '{body}'\n\n"
        "Then look at what was decided, and at what else the sandbox can answer:\n\n"
        f"{home}{command} decisions list\n"
        f"{home}{command} sandbox\n\n"
        f"Data is in {settings.home.absolute()}. "
        "Below is the log, a line for each request. Stop with Ctrl+C.\n"
    )
