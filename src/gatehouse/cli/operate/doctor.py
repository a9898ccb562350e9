"""gatehouse doctor: the go-live list."""

import os
from collections.abc import Callable

import typer

from gatehouse.cli.common import AsJson, read_settings, show
from gatehouse.core.errors import GatehouseError
from gatehouse.preflight import Point, advisory_points, settings_points
from gatehouse.settings import Settings, unknown_variables


def doctor(as_json: AsJson = False) -> None:
    """Go through the go-live list; each point that is open says what to do."""
    settings = read_settings()
    points = [*advisory_points(settings), *settings_points(settings), *_data_points(settings)]
    points.append(_tor_point(settings))
    points += [
        Point("settings", False, warning, "remove or correct the variable")
        for warning in unknown_variables(os.environ)
    ]
    lines = []
    for point in points:
        mark = "ok  " if point.ok else "OPEN" if point.needed else "hint"
        lines.append(f"{mark}  {point.name}: {point.found}")
        if not point.ok:
            lines.append(f"      to do: {point.remedy}")
    ready = all(point.ok or not point.needed for point in points)
    lines.append("ready for production" if ready else "not ready for production")
    show({"ready": ready, "points": points}, "\n".join(lines), as_json=as_json)
    if not ready:
        raise typer.Exit(1)


def _data_points(settings: Settings) -> list[Point]:
    from gatehouse.installation import root_secret
    from gatehouse.operations.connectors import load_gateway, load_identity_connector, load_issuer
    from gatehouse.store.database import Database
    from gatehouse.store.migrate import is_current

    database = Database(settings.effective_database_url, timeout_ms=settings.store_timeout_ms)

    def schema() -> str:
        if database.file is not None and not database.file.exists():
            raise GatehouseError(f"{database.file} does not exist yet")
        if not is_current(database):
            raise GatehouseError("the database is not up to date")
        return "reachable and up to date"

    def keys() -> str:
        from gatehouse.installation import open_admin_session

        if settings.is_production or settings.secret_key:
            root_secret(settings)
        if database.file is not None and not database.file.exists():
            raise GatehouseError("there is no database yet")
        return f"{len(open_admin_session(settings, 'doctor').ring.versions())} keys unwrap"

    def loads(load: Callable[[Settings], object]) -> str:
        return f"{type(load(settings)).__name__} loads"

    def identities() -> str:
        if settings.identities in ("sandbox", "records"):
            return "the embedded records"
        return loads(load_identity_connector)

    def payments() -> str:
        from gatehouse.store.requests import intents

        if (database.file is not None and not database.file.exists()) or not is_current(database):
            return "none is in doubt"
        with database.reading() as connection:
            failed = intents.listing(connection, intents.IntentState.FAILED, None, 1)
        if failed:
            raise GatehouseError("payments that must not stand could not be reversed")
        return "none was left standing that must not"

    def compaction() -> str:
        from gatehouse.store.identities.erasure import is_due

        if (database.file is not None and not database.file.exists()) or not is_current(database):
            return "nothing was erased"
        with database.reading() as connection:
            if is_due(connection):
                raise GatehouseError("sealed copies of erased records may remain in unused space")
        return "nothing remains to be cleared"

    def private() -> str:
        if settings.home.exists() and settings.home.stat().st_mode & 0o077:
            raise GatehouseError(f"{settings.home} can be read by others")
        return "GATEHOUSE_HOME is private"

    return [
        _point("database", schema, "check GATEHOUSE_DATABASE_URL and run: gatehouse migrate"),
        _point(
            "key ring", keys, "set GATEHOUSE_SECRET_KEY to the secret this database was made with"
        ),
        _point("issuer connector", lambda: loads(load_issuer), "correct GATEHOUSE_ISSUER"),
        _point("identity source", identities, "correct GATEHOUSE_IDENTITIES"),
        _point("payment gateway", lambda: loads(load_gateway), "correct GATEHOUSE_GATEWAY"),
        _point("payments", payments, "see: gatehouse gateway list --state FAILED"),
        _point("erased identities", compaction, "run: gatehouse identities compact"),
        _point("file permissions", private, f"chmod 700 {settings.home}"),
    ]


def _tor_point(settings: Settings) -> Point:
    """What ships with the package knows no Tor exits: they change too often."""
    from gatehouse.intel.feed_files import is_ignored, recognise

    names = []
    if settings.intel_dir is None:
        found = "GATEHOUSE_INTEL_DIR is not set, so Tor exits are not recognised"
    else:
        found = "no list of Tor exits in GATEHOUSE_INTEL_DIR, so they are not recognised"
        try:
            names = [name for name in os.listdir(settings.intel_dir) if not is_ignored(name)]
        except OSError as error:
            found = f"GATEHOUSE_INTEL_DIR cannot be read: {error.strerror}"
    forms = [recognise(name) for name in names]
    known = any(form is not None and form.kind == "tor" for form in forms)
    return Point(
        "feeds",
        known,
        "a list of Tor exits is there; see: gatehouse intel status" if known else found,
        "set GATEHOUSE_INTEL_DIR and fetch a list of Tor exits there daily; see docs/feeds.md",
        needed=False,
    )


def _point(name: str, check: Callable[[], str], remedy: str) -> Point:
    try:
        return Point(name, True, check(), remedy)
    except GatehouseError as error:
        return Point(name, False, str(error), remedy)
