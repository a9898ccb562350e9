"""Points of the go-live list about applied connectors: routes, transport, secrets and time."""

from collections.abc import Callable, Iterator
from typing import Final

from gatehouse.admin.connectors.use_cases.connectors import ConnectorsVersion
from gatehouse.connectors.definition import RECORDS, Configuration, Function
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.roster import make_connector
from gatehouse.connectors.secret_sources import ConnectorFiles, read_secret
from gatehouse.core.errors import GatehouseError, SettingsError
from gatehouse.core.wording.sentences import row, said_by
from gatehouse.operations.connectors import applied_functions
from gatehouse.settings.preflight import UNREAD, Point
from gatehouse.settings.settings import Settings

_POINTS: Final = {
    "issuer": "issuer connector",
    "identities": "identity source",
    "gateway": "payment gateway",
}
"""What each setting is called in the list."""
_LIMITS: Final = {
    Function.PRECHECK: "precheck_timeout_ms",
    Function.IDVERIFY: "idverify_timeout_ms",
    Function.GATEWAY: "gateway_timeout_ms",
}
_APPLY: Final = "gatehouse connectors apply FILE; see docs/connectors.md"


def connector_points(
    settings: Settings, read: Callable[[], ConnectorsVersion | None]
) -> list[Point]:
    """Whether every function that applied connectors are to serve is served as production needs."""
    functions = applied_functions(settings)
    if not functions:
        return []
    try:
        version = read()
    except GatehouseError as error:
        return [Point(_POINTS[name], False, said_by(error), UNREAD) for name in functions]
    configuration = Configuration() if version is None else version.configuration
    unreleased = {} if version is None else version.unreleased
    served = [_served(configuration, setting, function) for setting, function in functions.items()]
    used = {
        name: definition
        for name, definition in configuration.connectors.items()
        if set(configuration.used_by(name)) & set(functions.values())
    }
    return [
        *served,
        *(
            _usable(settings, name, definition, unreleased.get(name))
            for name, definition in used.items()
        ),
        *_hasty(settings, configuration, list(functions.values())),
    ]


def _served(configuration: Configuration, setting: str, function: Function) -> Point:
    names = dict.fromkeys(
        name for route in configuration.routes.get(function, ()) for name in route.use
    )
    if names:
        shown = ["the imported records" if name == RECORDS else name for name in names]
        found = f"{function.value} is served by {', '.join(shown)}"
    elif configuration.connectors:
        found = f"the applied connectors have no route of {function.value}"
    else:
        found = f"GATEHOUSE_{setting.upper()} is connectors, and none were applied"
    remedy = f"add routes.{function.value} to the file, then run: {_APPLY}"
    return Point(_POINTS[setting], bool(names), found, remedy)


def _usable(settings: Settings, name: str, definition: Definition, unreleased: str | None) -> Point:
    label = f"connector {name}"
    unfit = [*definition.unfit_for_production(), *([unreleased] if unreleased else [])]
    unfit += ConnectorFiles.of(settings).problems(definition)
    if unfit:
        return Point(label, False, row(unfit, ";"), f"correct the file, then run: {_APPLY}")
    missing = list(_missing(definition))
    if missing:
        return Point(label, False, "; ".join(missing), "give servers and this command the secret")
    try:
        make_connector(name, definition)
    except SettingsError as error:
        return Point(label, False, str(error), "correct what it names")
    return Point(label, True, "fit for production, and its secrets can be read", "")


def _missing(definition: Definition) -> Iterator[str]:
    """The secrets that cannot be read here; each is named and none is shown."""
    for source in definition.secret_sources():
        try:
            read_secret(source)
        except SettingsError as error:
            yield str(error)


def _hasty(
    settings: Settings, configuration: Configuration, functions: list[Function]
) -> Iterator[Point]:
    """Hints about connectors that wait so long that no time is left for the next one."""
    for function in functions:
        limit_ms: int = getattr(settings, _LIMITS[function])
        slow = dict.fromkeys(
            name
            for route in configuration.routes.get(function, ())
            for name in route.use[:-1]
            if name != RECORDS and configuration.connectors[name].timeout_ms >= limit_ms
        )
        if slow:
            yield Point(
                f"fallback of {function.value}",
                False,
                f"{', '.join(slow)} may take all of the {limit_ms} ms that {function.value} has",
                f"set timeout_ms well below GATEHOUSE_{_LIMITS[function].upper()}, so that the "
                "next connector of a route can be asked",
                needed=False,
            )
