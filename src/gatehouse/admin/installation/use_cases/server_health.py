"""Asks a server or a console of this machine how it is, as a supervisor of containers does.

It needs no database and no secret, so that it is quick and works while the database does not.
"""

import http.client
import ssl
from typing import Final
from urllib.parse import urlsplit

import msgspec

from gatehouse.settings.settings import Settings

_MOST_BYTES: Final = 65_536
_ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # what is listened on


class Health(msgspec.Struct, frozen=True):
    """What a process answered, or why it did not."""

    healthy: bool
    address: str
    said: str


def ask_server(settings: Settings, path: str, timeout_s: float) -> Health:
    """Ask the server that these settings start; `path` is /healthz or /readyz."""
    return _ask(_connection(settings, settings.host, settings.port, timeout_s), path, {})


def ask_console(settings: Settings, timeout_s: float) -> Health:
    """Ask the console that these settings start, by the name that people know it by."""
    connection = _connection(settings, settings.console_host, settings.console_port, timeout_s)
    return _ask(connection, "/healthz", {"Host": urlsplit(settings.effective_console_url).netloc})


def _ask(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> Health:
    host = f"[{connection.host}]" if ":" in connection.host else connection.host
    address = f"{host}:{connection.port}{path}"
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        said = answer.read(_MOST_BYTES).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        return Health(healthy=False, address=address, said=f"no answer: {type(error).__name__}")
    finally:
        connection.close()
    return Health(healthy=answer.status == 200, address=address, said=f"{answer.status} {said}")


def _connection(
    settings: Settings, host: str, port: int, timeout_s: float
) -> http.client.HTTPConnection:
    here = _ANYWHERE.get(host, host)
    if not settings.tls_cert_file:
        return http.client.HTTPConnection(here, port, timeout=timeout_s)
    # The certificate names the public host; what is asked here is this machine itself.
    unnamed = ssl.create_default_context()
    unnamed.check_hostname = False
    unnamed.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(here, port, timeout=timeout_s, context=unnamed)
