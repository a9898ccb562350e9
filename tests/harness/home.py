"""A GATEHOUSE_HOME with settings of its own: run commands in it, serve it, open its data."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from gatehouse.access.actors import Actor
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.admin.admin_session import AdminSession
from tests.databases import migrated_sqlite
from tests.harness.commands import Done, fork_command, run_apart, run_here
from tests.harness.server import Server, free_port


@dataclass
class Home:
    """A GATEHOUSE_HOME with its own environment of settings."""

    path: Path
    database_url: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def migrated(self) -> "Home":
        """The same with the tables of its SQLite file already made, which saves the migration."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.path / "sandbox.db"
        file.write_bytes(migrated_sqlite())
        file.chmod(0o600)
        return self

    @contextlib.contextmanager
    def current(self) -> Iterator["Home"]:
        """Makes it the home of every command that is run in this process."""
        with mock.patch.dict(os.environ, self.environ(), clear=True):
            yield self

    @contextlib.contextmanager
    def session(self, actor: Actor | None = None) -> Iterator[AdminSession]:
        """Its data, opened in this process."""
        session = open_admin_session(load_settings(self.environ()), actor or Actor.system("test"))
        try:
            yield session
        finally:
            session.database.dispose()

    def environ(self, **more: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if "GATEHOUSE_" not in name}
        # A console that gives way would hardly be served on a machine that is busy with tests.
        given = {"GATEHOUSE_HOME": str(self.path), "GATEHOUSE_CONSOLE_NICE": "0"}
        # A second process to start would double the time of most tests of servers. Those of the
        # process itself, of deliveries and of kills ask for it.
        given["GATEHOUSE_BACKGROUND"] = "inside"
        given |= self.settings | more
        if self.database_url:
            given["GATEHOUSE_DATABASE_URL"] = self.database_url
        return clean | given

    def run(self, *arguments: str, **settings: str) -> Done:
        """Run the command, in this process where that makes no difference: it saves the start."""
        if arguments[:1] == ("serve",):
            # The usual port may be taken, by `make run` for one.
            return self.run_apart(*arguments, **{"GATEHOUSE_PORT": "0", **settings})
        if "PYTHONPATH" in self.settings:
            return self.run_apart(*arguments, **settings)
        return run_here(arguments, self.environ(**settings))

    def run_apart(self, *arguments: str, **settings: str) -> Done:
        """Run the command in a process of its own, as a person would."""
        return run_apart(arguments, self.environ(**settings))

    def ok(self, *arguments: str, **settings: str) -> Done:
        done = self.run(*arguments, **settings)
        assert done.code == 0, done.err
        return done

    def account(self, balance: str = "100", **settings: str) -> str:
        made = self.ok("accounts", "create", "Shop", "--balance", balance, "--json", **settings)
        account_id: str = made.json["accountId"]
        return account_id

    def key(self, account_id: str, *options: str) -> str:
        key: str = self.ok("keys", "issue", "--account", account_id, *options, "--json").json["key"]
        return key

    def balance(self, account_id: str) -> Any:
        shown = self.ok("balance", "show", "--account", account_id, "--json").json
        return shown["balance"]["amount"]

    @contextlib.contextmanager
    def server(self, **settings: str) -> Iterator[Server]:
        """The real server on a free port; stopped gracefully at the end."""
        server = self.start(settings)
        try:
            yield server
        finally:
            server.stop()

    def start(self, settings: dict[str, str] | None = None, port: int | None = None) -> Server:
        port = port or free_port()
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.path / "server.log").open("ab") as log:
            environ = self.environ(**(settings or {}))
            process = fork_command(("serve", "--port", str(port)), environ, log, log)
        server = Server(port, process, self)
        server.wait()
        return server


def make_account(
    session: AdminSession, name: str = "Shop", currency: str = "USD", micros: int = 0
) -> str:
    """A new account with that balance."""
    with session.change() as change:
        account_id = accounts.create(change, name, currency).account_id
        if micros:
            ledger.top_up(change, account_id, micros, "")
    return account_id


def sandbox_key(home: Home) -> str:
    """The demo account's key, as `make run` prints it."""
    return (home.path / "demo-key").read_text().strip()
