"""The settings of the console: where it listens, and where people and the console find things."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from gatehouse.settings.kinds import number, setting, text


def _read_url(given: str) -> str:
    """An address without a path, as browsers have it."""
    split = urlsplit(given)
    if split.scheme not in ("http", "https") or not split.hostname or "@" in split.netloc:
        raise ValueError
    if split.path not in ("", "/") or split.query or split.fragment:
        raise ValueError
    return f"{split.scheme}://{split.netloc}".lower()


@dataclass(frozen=True)
class ConsoleSettings:
    """What an operator can choose about the console."""

    console_host: str = text("127.0.0.1", "Address the console listens on.", "address")
    console_port: int = number(8081, "Port the console listens on.", "port", (0, 65535))
    console_nice: int = number(
        10,
        "How far the console gives way to other programs of its machine, such as a server that "
        "answers payments. 0: not at all.",
        "niceness",
        (0, 19),
    )
    console_url: str = setting(
        "",
        "Address at which people open the console, such as `https://console.example.com`; requests "
        "for another host are refused. Production needs one with `https`. Empty: this machine's.",
        _read_url,
        "URL without a path",
    )
    api_url: str = setting(
        "",
        "Where the console finds the API. Empty: where `GATEHOUSE_HOST` and `GATEHOUSE_PORT` say.",
        _read_url,
        "URL without a path",
    )
