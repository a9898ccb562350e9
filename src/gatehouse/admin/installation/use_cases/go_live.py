"""The go-live list: what a production installation needs, checked against settings and data."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.connectors.use_cases.connectors import ConnectorsVersion
from gatehouse.admin.connectors.use_cases.connectors import find as find_connectors
from gatehouse.admin.connectors.worker import connector_points
from gatehouse.admin.installation.use_cases.hardening import hardening_points
from gatehouse.admin.memory.worker.memory_points import memory_points
from gatehouse.admin.secrets.use_cases.secrets import refused_configurations
from gatehouse.admin.webhooks.use_cases.makers import beyond_their_makers
from gatehouse.core.errors import GatehouseError
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.intel.feeds.files import is_ignored, recognise
from gatehouse.operations.certificates import check_tls
from gatehouse.operations.connectors import (
    applied_functions,
    load_gateway,
    load_identity_connector,
    load_issuer,
)
from gatehouse.operations.installation import (
    open_admin_session,
    open_database,
    system_clock,
)
from gatehouse.pipeline.definition import decode_program
from gatehouse.settings.preflight import (
    Point,
    UnknownVariable,
    advisory_points,
    settings_points,
    variable_points,
)
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.fingerprint_conversion import records_are_due
from gatehouse.store.configured.configurations import PIPELINE, active
from gatehouse.store.database import Database
from gatehouse.store.decisions.partitions import FEWEST_AHEAD, months_ahead, refused_from
from gatehouse.store.identities.erasure import is_due
from gatehouse.store.migrate import is_current
from gatehouse.store.requests import intents

_UNREAD: Final = "not known before the database is reachable and up to date"
_REFUSED: Final = Phrase("refused.some_refused", "{problem}{more}")


class GoLiveReport(msgspec.Struct, frozen=True):
    """The points of the list, and whether production can start with them."""

    ready: bool
    points: list[Point]


def inspect(
    settings: Settings, unknown: Sequence[UnknownVariable], env_file: Path | None = None
) -> GoLiveReport:
    """Go through the list; `unknown` are variables that no setting reads.

    `env_file` is where settings were read from besides the environment.
    """
    data = _DataChecks(settings)
    of_data = data.point
    points = [
        *advisory_points(settings),
        *settings_points(settings),
        *hardening_points(settings, env_file),
        _point("TLS files", lambda: _tls_files(settings), "correct or renew the files"),
        data.schema,
        of_data(
            "key ring",
            data.key_ring,
            "set GATEHOUSE_SECRET_KEY to the secret this database was made with",
        ),
        of_data(
            "configuration",
            data.configuration,
            "look at what is configured; to trust it: gatehouse secrets sign-configuration",
        ),
        *_connector_points(settings),
        *connector_points(settings, data.connectors),
        *memory_points(settings, data.session),
        of_data("payments", data.payments, "see: gatehouse gateway list --state FAILED"),
        of_data("erased identities", data.compaction, "run: gatehouse identities compact"),
        of_data(
            "card fingerprints",
            data.fingerprints,
            "run: gatehouse secrets convert-fingerprints",
        ),
        of_data(
            "partitions",
            data.partitions,
            'look for "could not make partitions ahead" in the log of the servers: every request '
            "of a month without a partition fails",
        ),
        of_data(
            "webhooks",
            data.webhooks,
            "have each changed by who may read what it sends, or deleted: gatehouse webhooks",
            needed=False,
        ),
        _tor_point(settings),
        of_data(
            "fees of pipelines",
            data.fees,
            "offer the fee by a name and let the pipeline name it: gatehouse prices set "
            "RULES/NAME=FEE; see docs/pipelines.md",
            needed=False,
        ),
        *variable_points(unknown),
    ]
    return GoLiveReport(all(point.ok or not point.needed for point in points), points)


class _DataChecks:
    """Checks of the database; what fails raises the reason."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database: Database = open_database(settings)
        remedy = "check GATEHOUSE_DATABASE_URL and run: gatehouse migrate"
        self.schema = _point("database", self._schema, remedy)

    def point(
        self, name: str, check: Callable[[], str], remedy: str, *, needed: bool = True
    ) -> Point:
        """A point about the data, which says nothing of its own while the database is open."""
        if self.schema.ok:
            return _point(name, check, remedy, needed=needed)
        return Point(name, False, _UNREAD, self.schema.remedy, needed=False)

    def _schema(self) -> str:
        file = self._database.file
        if file is not None and not file.exists():
            raise GatehouseError(f"{file} does not exist yet")
        if not is_current(self._database):
            raise GatehouseError("the database is not up to date")
        return "reachable and up to date"

    def key_ring(self) -> str:
        return f"{len(self.session().ring.versions())} keys unwrap"

    def session(self) -> AdminSession:
        if not self.schema.ok:
            raise GatehouseError(_UNREAD)
        return open_admin_session(self._settings, Actor.system("doctor"))

    def connectors(self) -> ConnectorsVersion | None:
        return find_connectors(self.session())

    def configuration(self) -> str:
        problems = refused_configurations(self.session())
        if problems:
            more = "" if len(problems) == 1 else f" (and {len(problems) - 1} other accounts)"
            raise GatehouseError(_REFUSED(problem=next(iter(problems.values())), more=more))
        return "everything configured carries its signature"

    def payments(self) -> str:
        with self._database.reading() as connection:
            failed = intents.listing(connection, intents.IntentState.FAILED, None, 1)
        if failed:
            raise GatehouseError("payments that must not stand could not be reversed")
        return "none was left standing that must not"

    def compaction(self) -> str:
        with self._database.reading() as connection:
            if is_due(connection):
                raise GatehouseError("sealed copies of erased records may remain in unused space")
        return "nothing remains to be cleared"

    def fingerprints(self) -> str:
        with self._database.reading() as connection:
            if records_are_due(connection):
                raise GatehouseError("records of an earlier version hold those of no account")
        return "records hold those of their accounts"

    def partitions(self) -> str:
        with self._database.reading() as connection:
            ahead = months_ahead(connection, system_clock())
            refused = refused_from(connection)
        if refused is not None:
            raise GatehouseError(
                f"a check refuses every request from {refused.first_day} on, unless gatehouse "
                "retention partition ends before; if it is not running, run it again"
            )
        if ahead is None:
            return "decision records are in one table"
        found = f"months ahead that have one for decision records: {ahead}"
        if ahead < FEWEST_AHEAD:
            raise GatehouseError(found)
        return found

    def fees(self) -> str:
        with self._database.reading() as connection:
            found = [
                f"pipeline {each.name} of {account.account_id}, by {each.actor}"
                for account, _ in accounts.listing(connection)
                for each in active(connection, account.account_id, PIPELINE)
                if "cli:" not in each.actor
                for stage in decode_program(each.program).stages
                if stage.fee_micros is not None
            ]
        if found:
            named = ", ".join(dict.fromkeys(found))
            raise GatehouseError(f"amounts that nobody wrote at a terminal: {named}")
        return "no pipeline has an amount that nobody wrote at a terminal"

    def webhooks(self) -> str:
        beyond = beyond_their_makers(self.session())
        if beyond:
            told = "; ".join(beyond)
            raise GatehouseError(f"these send more than who made them may read: {told}")
        return "none sends more than who made it may read"


def _tls_files(settings: Settings) -> str:
    shown = check_tls(settings)
    if shown is None:
        return "none are needed"
    begins, ends = shown.not_valid_before_utc, shown.not_valid_after_utc
    valid = f"the certificate is valid from {begins:%Y-%m-%d} to {ends:%Y-%m-%d}"
    if not begins.timestamp() * 1000 <= system_clock() < ends.timestamp() * 1000:
        raise GatehouseError(f"{valid}, and not now")
    return f"they fit together; {valid}"


def _connector_points(settings: Settings) -> list[Point]:
    def loads(load: Callable[[Settings], object]) -> str:
        return f"{type(load(settings)).__name__} loads"

    def identities() -> str:
        if settings.identities in ("sandbox", "records"):
            return "the embedded records"
        return loads(load_identity_connector)

    points = {
        "issuer": ("issuer connector", lambda: loads(load_issuer)),
        "identities": ("identity source", identities),
        "gateway": ("payment gateway", lambda: loads(load_gateway)),
    }
    applied = applied_functions(settings)
    return [
        _point(name, check, f"correct GATEHOUSE_{setting.upper()}")
        for setting, (name, check) in points.items()
        if setting not in applied
    ]


def _tor_point(settings: Settings) -> Point:
    """The shipped data holds no Tor exits, because they change too often."""
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


def _point(name: str, check: Callable[[], str], remedy: str, *, needed: bool = True) -> Point:
    try:
        return Point(name, True, check(), remedy, needed)
    except GatehouseError as error:
        return Point(name, False, said_by(error), remedy, needed)
