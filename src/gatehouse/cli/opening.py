"""Opens the settings and the data for the person at the keyboard."""

import getpass
import os

from gatehouse.access.actors import Actor
from gatehouse.cli.output import warn
from gatehouse.settings import Settings, load_settings, unknown_variables
from gatehouse.store.admin.admin_session import AdminSession


def read_settings() -> Settings:
    """The settings; variables that look misspelt are pointed out."""
    settings = load_settings(os.environ)
    warn(unknown_variables(os.environ))
    return settings


def operator() -> Actor:
    """The person at the keyboard."""
    try:
        return Actor.operator(getpass.getuser())
    except (KeyError, OSError):
        return Actor.operator(f"uid-{os.getuid()}")


def open_session() -> AdminSession:
    """The data, opened for the person at the keyboard."""
    from gatehouse.installation import open_admin_session

    return open_admin_session(read_settings(), operator())


def open_account(account: str | None) -> tuple[AdminSession, str]:
    """The data, and the account that a command is about: the named one or the default.

    An empty sandbox gets its demo account first.
    """
    from gatehouse.admin.default_account import resolve_account

    session = open_session()
    return session, resolve_account(session, load_settings(os.environ), account)
