"""The points of the go-live list about an attacker: who could guess, read, pretend or listen.

Production starts without them, because an installation that runs must not stop for a mode of a
file; `gatehouse doctor` says that it is not ready.
"""

import ipaddress
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from psycopg import pq
from sqlalchemy.exc import ArgumentError

from gatehouse.core.ip_networks import Network, is_inside
from gatehouse.core.secrets.strength import weakness
from gatehouse.settings.preflight import Point
from gatehouse.settings.settings import Settings

_STRONGER: Final = (
    "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))', and change to "
    "it with: gatehouse secrets rotate-root"
)
_NEAR: Final = [
    ipaddress.ip_network(text)
    for text in (
        *("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.168.0.0/16", "::1/128", "fc00::/7", "fe80::/10"),
    )
]
"""Networks that nobody reaches from elsewhere."""
_MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
# Networks of large content delivery networks are up to these sizes.
_WIDEST: Final = {4: 12, 6: 24}
_VERIFIED: Final = "verify-full"
_VERIFY: Final = (
    "add ?sslmode=verify-full&sslrootcert=FILE to GATEHOUSE_DATABASE_URL, with the certificate of "
    "your database's authority"
)


def hardening_points(settings: Settings, env_file: Path | None) -> list[Point]:
    """Check the root secret, secret files, trusted proxies and the way to the database."""
    return [_secret(settings), _files(settings, env_file), _proxies(settings), _database(settings)]


def _secret(settings: Settings) -> Point:
    name = "strength of the root secret"
    if not settings.secret_key:
        return Point(name, True, "nobody chose one in GATEHOUSE_SECRET_KEY", _STRONGER)
    reason = weakness(settings.secret_key)
    found = f"it could be guessed: {reason}" if reason else "it looks random"
    return Point(name, reason is None, found, _STRONGER)


def _files(settings: Settings, env_file: Path | None) -> Point:
    home = settings.home
    secret = [home / "root-secret", home / "demo-key", *_database_files(settings)]
    secret += [path for path in (env_file, _path(settings.tls_key_file)) if path is not None]
    found = [problem for path in secret if (problem := _readable(path))]
    if home.exists() and home.stat().st_mode & 0o077:
        found.insert(0, f"{home} can be entered by others")
    return Point(
        "file permissions",
        not found,
        "; ".join(found) or "the home folder and files with secrets are private",
        f"chmod 700 {home}; chmod 600 the files, or 640 if root owns them",
    )


def _database_files(settings: Settings) -> list[Path]:
    """The SQLite file with its log, none for a database server."""
    url = _url(settings)
    if url is None or url.get_backend_name() != "sqlite" or not url.database:
        return []
    return [Path(f"{url.database}{ending}") for ending in ("", "-wal", "-shm")]


def _url(settings: Settings) -> sa.URL | None:
    try:
        return sa.make_url(settings.effective_database_url)
    except ArgumentError:
        return None


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _readable(path: Path) -> str | None:
    """Who else can read a secret file; a group may read one of root's, as is usual for TLS keys."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path} cannot be looked at: {error.strerror}"
    mode = stat.S_IMODE(about.st_mode)
    if mode & 0o007:
        return f"{path} can be read or changed by everybody ({mode:04o})"
    if mode & 0o020 or (mode & 0o070 and about.st_uid != 0):
        return f"{path} can be read or changed by its group ({mode:04o})"
    return None


def _proxies(settings: Settings) -> Point:
    wide = _too_wide(settings.trusted_proxies)
    if wide:
        listed = ", ".join(str(network) for network in wide)
        found = f"{listed}: strangers there can claim any address, and that they came over TLS"
    else:
        found = "none is trusted" if not settings.trusted_proxies else "no network is too wide"
    remedy = "name only your proxies' own networks in GATEHOUSE_TRUSTED_PROXIES"
    return Point("trusted proxies", not wide, found, remedy)


def _too_wide(networks: Iterable[Network]) -> list[Network]:
    """Networks, put together where they touch, that hold far more than one's own proxies."""
    unmapped = [_unmapped(network) for network in networks]
    v4 = [network for network in unmapped if isinstance(network, ipaddress.IPv4Network)]
    v6 = [network for network in unmapped if isinstance(network, ipaddress.IPv6Network)]
    whole: list[Network] = [
        *ipaddress.collapse_addresses(v4),
        *ipaddress.collapse_addresses(v6),
    ]
    return [one for one in whole if one.prefixlen < _WIDEST[one.version] and not _is_near(one)]


def _is_near(network: Network) -> bool:
    return is_inside(network, _NEAR)


def _unmapped(network: Network) -> Network:
    """Addresses of IPv4 that are written as IPv6."""
    if isinstance(network, ipaddress.IPv6Network) and network.subnet_of(_MAPPED):
        address = network.network_address.ipv4_mapped
        return ipaddress.IPv4Network(f"{address}/{network.prefixlen - 96}")
    return network


def _database(settings: Settings) -> Point:
    name, remedy = "way to the database", _VERIFY
    url = _url(settings)
    if url is None or not url.get_backend_name().startswith("postgres"):
        return Point(name, True, "a file on this machine", remedy)
    # The driver's library takes from its own variables what the URL does not say.
    chosen = {
        option.keyword.decode(): option.val.decode()
        for option in pq.Conninfo.get_defaults()
        if option.val is not None
    }
    chosen |= {key: value for key, value in url.translate_connect_args().items() if value}
    chosen |= {key: _joined(value) for key, value in url.query.items()}
    hosts = (chosen.get("hostaddr") or chosen.get("host") or "").split(",")
    if all(_is_local(host) for host in hosts):
        return Point(name, True, "PostgreSQL on this machine", remedy)
    mode = chosen.get("sslmode", "prefer")
    if mode == _VERIFIED:
        return Point(name, True, "TLS, and the server's certificate and name are verified", remedy)
    found = f"sslmode is {mode}, so that somebody else can pretend to be the database server"
    return Point(name, False, found, remedy)


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ",".join(value)


def _is_local(host: str) -> bool:
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
