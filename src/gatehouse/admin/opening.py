"""Opens the settings and the data for the person at the keyboard."""

import logging
import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from gatehouse.access.actors import Actor
from gatehouse.cli.output import warn
from gatehouse.settings.preflight import unknown_variables
from gatehouse.settings.settings import Settings, load_settings

if TYPE_CHECKING:
    from gatehouse.store.admin.admin_session import AdminSession

Opened: TypeAlias = "tuple[AdminSession, str]"
"""The data, and the account that a command is about."""

_LOGIN_UID: Final = Path("/proc/self/loginuid")
_NO_LOGIN: Final = 2**32 - 1


def read_settings() -> Settings:
    """The settings; variables that look misspelt are pointed out."""
    settings = load_settings(os.environ)
    warn(unknown_variables(os.environ))
    return settings


def operator(settings: Settings) -> Actor:
    """The person at the keyboard, whose changes are told on standard error in production.

    The name is the operating system's, never the environment's, which anybody can set. A change
    of user since the login (`sudo`, `su`) is named where the system keeps the login.
    """
    if settings.is_production:
        _log_audit_heads(settings.log_level)
    uid, login = os.getuid(), _login_uid()
    name = _user_name(uid)
    return Actor.operator(name if login in (None, uid) else f"{name} (login {_user_name(login)})")


def open_session() -> "AdminSession":
    """The data, opened for the person at the keyboard."""
    from gatehouse.operations.installation import open_admin_session

    settings = read_settings()
    return open_admin_session(settings, operator(settings))


def open_account(account: str | None) -> Opened:
    """The data, and the account that a command is about: the named one or the default.

    An empty sandbox gets its demo account first.
    """
    from gatehouse.admin.accounts.use_cases.default_account import resolve_account

    session = open_session()
    return session, resolve_account(session, load_settings(os.environ), account)


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid-{uid}"


def _login_uid() -> int | None:
    """The user of the login session as Linux keeps it, which only the system can set."""
    try:
        uid = int(_LOGIN_UID.read_text())
    except (OSError, ValueError):
        return None
    return None if uid == _NO_LOGIN else uid


def _log_audit_heads(level: str) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("gatehouse: %(message)s"))
    log = logging.getLogger("gatehouse.audit")
    log.handlers[:] = [handler]
    log.setLevel(level.upper())
