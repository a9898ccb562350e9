"""The kinds of settings: how the text of a variable becomes a value, and what it may be."""

import dataclasses
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gatehouse.core.ip_networks import Network


@dataclass(frozen=True)
class Declared:
    """The documentation of one setting."""

    about: str
    read: Callable[[str], Any]
    takes: str
    secret: bool = False


def setting(default: Any, about: str, read: Callable[[str], Any], takes: str) -> Any:
    """A setting of any kind."""
    declared = Declared(about, read, takes, secret="secret" in takes)
    return dataclasses.field(
        default=default, metadata={"declared": declared}, repr=not declared.secret
    )


def text(default: str, about: str, takes: str = "text") -> Any:
    """A setting that is a text."""
    return setting(default, about, str, takes)


def choice(default: str | None, about: str, *choices: str) -> Any:
    """A setting that is one of a few words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError
        return text

    return setting(default, about, read, " or ".join(f"`{choice}`" for choice in choices))


def number(default: int | None, about: str, unit: str, bounds: tuple[int, int]) -> Any:
    """A setting that is a number with a unit."""
    low, high = bounds

    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return setting(default, about, read, f"{unit}, {low} to {high}")


def waits(default: int, about: str, bounds: tuple[int, int] = (10, 60_000)) -> Any:
    """A setting that is a time limit."""
    return number(default, about, "milliseconds", bounds)


def client_timeout(about: str) -> Any:
    """A time limit on clients."""
    return waits(10_000, about, (100, 600_000))


def days_kept(about: str, default: int | None = None) -> Any:
    """A setting that says how long something is kept."""
    return number(default, about, "days", (1, 36_500))


def read_networks(text: str) -> tuple[Network, ...]:
    """Networks between commas."""
    return tuple(ipaddress.ip_network(part) for part in read_list(text))


def read_list(text: str) -> list[str]:
    """The parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def read_hosts(text: str) -> tuple[str, ...]:
    """Names of hosts between commas."""
    return tuple(part.lower().removesuffix(".") for part in read_list(text))


def read_ports(text: str) -> tuple[int, ...]:
    """Ports between commas."""
    ports = tuple(int(part) for part in read_list(text))
    if not all(1 <= port <= 65535 for port in ports):
        raise ValueError
    return ports


def read_waits(text: str) -> tuple[int, ...]:
    """Seconds between commas, at most a hundred times and a week each."""
    waits = tuple(int(part) for part in read_list(text))
    if len(waits) > 100 or not all(0 <= wait <= 604_800 for wait in waits):
        raise ValueError
    return waits


def read_proxy(text: str) -> tuple[str, int]:
    """Host and port of a proxy."""
    split = urlsplit(text)
    if split.scheme != "http" or not split.hostname or not split.port or "@" in split.netloc:
        raise ValueError
    return split.hostname, split.port


def read_memory_url(text: str) -> str:
    """The URL of a shared memory."""
    scheme, separator, rest = text.partition("://")
    if not separator or not rest or scheme not in ("redis", "rediss", "valkey", "valkeys", "unix"):
        raise ValueError
    return text
