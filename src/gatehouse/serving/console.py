"""gatehouse console: serve the pages for people."""

import dataclasses
import os
import socket
from typing import Annotated

import typer

import gatehouse
from gatehouse.access.actors import Actor
from gatehouse.cli.arguments import option
from gatehouse.settings.preflight import refuse_unfit_production, unknown_variables
from gatehouse.settings.settings import load_settings


def console(
    host: Annotated[str | None, option("Address; over GATEHOUSE_CONSOLE_HOST.")] = None,
    port: Annotated[
        int | None, option("Port; over GATEHOUSE_CONSOLE_PORT.", min=0, max=65535)
    ] = None,
    listener: Annotated[
        int | None, option("A socket of the server that started this.", hidden=True)
    ] = None,
) -> None:
    """Serve the console until stopped: pages in which people see and do everything.

    It needs the database and the settings of the installation, and no running server. Invite the
    first person with: gatehouse users invite.
    """
    settings, unknown = load_settings(os.environ), unknown_variables(os.environ)
    # Threads have the priority of the one that starts them, so this comes before any other.
    os.nice(settings.console_nice)

    from gatehouse.cli.hints import hinted
    from gatehouse.console.serving.server import make_desk, serve
    from gatehouse.core.listening import listen
    from gatehouse.core.wording.log_lines import configure_logging
    from gatehouse.operations import installation
    from gatehouse.operations.certificates import check_tls

    settings = dataclasses.replace(
        settings,
        console_host=host or settings.console_host,
        console_port=settings.console_port if port is None else port,
    )
    refuse_unfit_production(settings, unknown)
    check_tls(settings)
    if settings.programmes_file is not None:
        from gatehouse.admin.programmes.use_cases.tables import table_in_force

        table_in_force(settings)
    configure_logging(settings.log_level, say=hinted)
    session = installation.open_admin_session(settings, Actor.system("console"))
    try:
        with (
            socket.socket(fileno=listener)
            if listener is not None
            else listen(settings.console_host, settings.console_port)
        ) as taken:
            settings = dataclasses.replace(settings, console_port=taken.getsockname()[1])
            desk = make_desk(session, settings)
            if listener is None:
                typer.echo(
                    f"The console of Gatehouse {gatehouse.__version__} is on "
                    f"{settings.effective_console_url}"
                )
            serve(desk, taken, with_parent=listener is not None)
    finally:
        session.database.dispose()
