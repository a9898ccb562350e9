"""gatehouse connectors: check, apply, list, show, history, rollback, status and the rest."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.configurations.command import Base, To, Version, read_document, version_lines
from gatehouse.admin.connectors.command.connector_files import read_beside, read_configured
from gatehouse.admin.connectors.command.connector_trial import dialects, mappings, try_connector
from gatehouse.admin.opening import open_session, operator, read_settings
from gatehouse.cli.arguments import AsJson, Note, argument, option
from gatehouse.cli.output import show, table, warn
from gatehouse.core.clock import iso_time

if TYPE_CHECKING:
    from gatehouse.admin.connectors.use_cases.connector_status import ServerConnectors
    from gatehouse.connectors.definition import Configuration

_LOOK_AGAIN_S: Final = 0.2

app = typer.Typer(no_args_is_help=True)

ConnectorsFile = Annotated[str, argument("FILE", "Connectors and routes as YAML; - for stdin.")]


@app.command()
def check(file: ConnectorsFile, as_json: AsJson = False) -> None:
    """Say everything that is wrong in a file; change nothing, and connect to nobody."""
    read = read_configured(file, read_settings())
    data = {"valid": True, **_data(read.configuration), "warnings": read.warnings}
    warn(() if as_json else read.warnings)
    names = ", ".join(read.configuration.connectors)
    show(data, f"well-formed: {names}", as_json)


@app.command()
def apply(
    file: ConnectorsFile, note: Note = None, base: Base = None, as_json: AsJson = False
) -> None:
    """Make a file the next version of the configuration; servers use it within a second.

    Connectors that did not change go on as they are; others end what they have in flight.
    """
    from gatehouse.admin.configurations.use_cases.configurations import NewVersion
    from gatehouse.admin.connectors.use_cases import connectors
    from gatehouse.operations.installation import open_admin_session

    new = NewVersion(read_document(file), base, note)
    settings = read_settings()
    session = open_admin_session(settings, operator(settings))
    applied = connectors.apply(session, settings, new, lambda name: read_beside(file, name))
    state = "are now at" if applied.changed else "are unchanged, at"
    text = f"the connectors {state} version {applied.version}"
    warn(() if as_json else applied.warnings or ())
    data = {each: getattr(applied, each) for each in _APPLIED}
    show(data, "\n".join([text, *applied.differences]), as_json)


_APPLIED: Final = ("version", "changed", "differences", "warnings")


@app.command("list")
def list_connectors(as_json: AsJson = False) -> None:
    """List the connectors and the routes in force."""
    from gatehouse.admin.connectors.use_cases import connectors

    found = connectors.get(open_session())
    configuration = found.configuration
    rows = [
        (name, kind, ", ".join(configuration.used_by(name)) or "-", definition.in_flight)
        for name, (kind, definition) in _by_name(configuration).items()
    ]
    lines = [table(("CONNECTOR", "KIND", "USED BY", "IN FLIGHT"), rows, {"IN FLIGHT"})]
    for function, routes in configuration.routes.items():
        lines += ["", f"routes of {function.value}"]
        lines += [f"  {number}. {route}" for number, route in enumerate(routes, start=1)]
    data = {"version": found.version, **_data(configuration)}
    show(data, "\n".join(lines), as_json)


@app.command("show")
def show_connector(
    name: Annotated[str | None, argument("[NAME]", "One connector. Default: the file.")] = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Print the file as it was applied, to change it; with a name, everything about a connector.

    Secrets are never printed: a configuration only says where they are.
    """
    from gatehouse.admin.connectors.use_cases import connectors
    from gatehouse.connectors.definition import as_data

    session = open_session()
    if name is None:
        found = connectors.get(session, version)
        data = {
            "version": found.version,
            "active": found.in_force,
            **_data(found.configuration),
            "document": found.document,
        }
        show(data, found.document.rstrip("\n"), as_json)
        return
    about = as_data(connectors.connector(session, name, version))
    shown = [f"{key}: {_option(value)}" for key, value in about.items()]
    show({"name": name, **about}, "\n".join([f"name: {name}", *shown]), as_json)


@app.command()
def history(as_json: AsJson = False) -> None:
    """List all versions of the configuration, newest first."""
    from gatehouse.admin.connectors.use_cases import connectors

    data, text = version_lines(connectors.history(open_session()))
    show(data, text, as_json)


@app.command()
def rollback(to: To = None, base: Base = None, as_json: AsJson = False) -> None:
    """Put an earlier version in force again; servers use it within a second."""
    from gatehouse.admin.connectors.use_cases import connectors

    done = connectors.rollback(open_session(), to, base)
    text = f"the connectors are back at version {done.version}"
    show(done, "\n".join([text, *done.differences]), as_json)


@app.command()
def status(
    wait: Annotated[
        float, option("Wait at most so many seconds until all are up.", min=0, max=3600)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show how the connectors of every running server are; exit code 1 if one of them is down.

    Servers report every five seconds. One that has not reported for twenty is not listed, and
    with --wait its absence counts as down.
    """
    from gatehouse.admin.connectors.use_cases.connector_status import connector_status

    session = open_session()
    until = time.monotonic() + wait
    found = connector_status(session)
    while not (found and _all_up(found)) and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN_S)
        found = connector_status(session)
    lines = [] if found else ["no running server uses connectors"]
    for server in found:
        at = iso_time(server.at_ms)
        version = "no configuration" if server.version is None else f"version {server.version}"
        lines.append(f"{server.host}, process {server.pid}: {version}, at {at}")
        rows = [
            (
                name,
                "up" if state.up else "down",
                f"{state.in_flight} of {state.limit}",
                f"{state.connections} of {state.wanted}" if state.wanted else state.connections,
                "open" if state.breaker_open else "closed",
                state.problem or "",
            )
            for name, state in server.connectors.items()
        ]
        headings = ("CONNECTOR", "STATE", "IN FLIGHT", "CONNECTIONS", "BREAKER", "PROBLEM")
        lines.append(table(headings, rows))
    show(found, "\n".join(lines), as_json)
    if not _all_up(found) or (wait and not found):
        raise typer.Exit(1)


def _all_up(found: "list[ServerConnectors]") -> bool:
    return all(state.up for server in found for state in server.connectors.values())


def _by_name(configuration: "Configuration") -> dict[str, tuple[str, Any]]:
    from gatehouse.connectors.definition import kind_of

    return {name: (kind_of(each), each) for name, each in configuration.connectors.items()}


def _data(configuration: "Configuration") -> dict[str, Any]:
    """A configuration for scripts, without the content of dialects and mappings."""
    return {
        "connectors": [
            {
                "name": name,
                "kind": kind,
                "usedBy": configuration.used_by(name),
                "inFlight": definition.in_flight,
                "timeoutMs": definition.timeout_ms,
            }
            for name, (kind, definition) in _by_name(configuration).items()
        ],
        "routes": configuration.routes,
    }


def _option(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


app.command("try")(try_connector)
app.command()(mappings)
app.command()(dialects)
