"""Brings a database to the newest revision; safe when several processes try at once."""

from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.errors import SettingsError
from gatehouse.store.database import Database
from gatehouse.store.migrations import HEAD

# Any fixed number: the process that holds this lock on a PostgreSQL database migrates it.
_LOCK: Final = 6_447_210_817


def current_revision(database: Database) -> str | None:
    """The revision the database is at, or None when it is empty."""
    with database.reading() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return revision


def is_current(database: Database) -> bool:
    """Whether the database is at the newest revision."""
    return current_revision(database) == HEAD


def migrate(database: Database) -> tuple[str | None, str]:
    """Run the missing migrations; returns the revision before and after."""
    before = current_revision(database)
    if before == HEAD:
        return before, HEAD
    from alembic import command
    from alembic.util.exc import CommandError

    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        try:
            command.upgrade(alembic_config(connection), "head")
        except CommandError as error:
            raise SettingsError(
                f"the database is at revision {before}, which this version does not know; "
                f"it was made by a newer one ({error})"
            ) from None
    return before, HEAD


def alembic_config(connection: sa.Connection) -> Any:
    """Alembic's configuration for a connection; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
