"""gatehouse health: whether the server or the console of this machine answers."""

from typing import Annotated

import typer

from gatehouse.admin.opening import read_settings
from gatehouse.cli.arguments import AsJson, option
from gatehouse.cli.output import show


def health(
    ready: Annotated[
        bool, option("Ask /readyz: whether requests should come here.", "--ready")
    ] = False,
    console: Annotated[bool, option("Ask the console instead.", "--console")] = False,
    timeout: Annotated[float, option("Seconds to wait for the answer.", min=0.1, max=60)] = 3.0,
    as_json: AsJson = False,
) -> None:
    """Ask the server that the settings start whether it answers; the exit code is 1 if not.

    It is made for containers and supervisors. It reads no data and needs no secret.
    """
    from gatehouse.admin.installation.use_cases.server_health import ask_console, ask_server

    settings = read_settings()
    if console:
        found = ask_console(settings, timeout)
    else:
        found = ask_server(settings, "/readyz" if ready else "/healthz", timeout)
    show(found, f"{found.address}: {found.said}", as_json)
    if not found.healthy:
        raise typer.Exit(1)
