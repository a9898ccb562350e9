"""Runs the client programs of PostgreSQL on the database of the settings."""

import os
import shutil
import subprocess
from typing import Final

from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.store.database import Database

ASIDE: Final = "gatehouse_replaced_"
"""What the schema begins with that holds what was there before a restore."""


class PostgresTools:
    """The programs `pg_dump` and `pg_restore` for one database."""

    def __init__(self, database: Database) -> None:
        url = database.engine.url.set(drivername="postgresql")
        # The password travels in the environment: a command line can be read by every user.
        self._environment = os.environ | ({"PGPASSWORD": str(url.password)} if url.password else {})
        shown = url.set(password=None).render_as_string(hide_password=False)
        self.address = f"--dbname={shown}"

    def run(self, name: str, *arguments: str) -> None:
        """Run a program; `Conflict` with what it says when it fails."""
        program = shutil.which(name)
        if program is None:
            raise InvalidInput(f"{name} is needed for PostgreSQL; install its client programs")
        done = subprocess.run(  # noqa: S603  # a fixed program with arguments of our own making
            [program, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise Conflict(f"{name} failed: {done.stderr.strip()}")
