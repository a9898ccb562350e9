"""Where webhooks may be sent: public HTTPS addresses, and nothing of the network we stand in.

A URL is checked when it is given and at each send, and so is every address that its name stands
for. The connection then goes to an address that was checked, whatever the name says later.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.ip_networks import Network
from gatehouse.core.wording.sentences import Phrase

_WEBHOOK_HTTPS: Final = Phrase(
    "refused.webhook_https",
    "a webhook needs https://; plain http:// is for 127.0.0.1 in the sandbox",
)
_WEBHOOK_ADDRESS: Final = Phrase(
    "refused.webhook_address", "the host has an address that cannot be used"
)
_WEBHOOK_NO_ADDRESS: Final = Phrase("refused.webhook_no_address", "the host has no address")
_WEBHOOK_PORT: Final = Phrase(
    "refused.webhook_port", "a webhook may not use port {port}; allowed: {allowed}"
)
_WEBHOOK_HOSTS: Final = Phrase(
    "refused.webhook_hosts",
    "this installation sends webhooks only to hosts that its operator has named; see "
    "GATEHOUSE_WEBHOOK_HOSTS",
)
_WEBHOOK_HTTP: Final = Phrase("refused.webhook_http", "plain http:// is only sent to this machine")
_WEBHOOK_PUBLIC: Final = Phrase(
    "refused.webhook_public",
    "a webhook must have a public address; the operator can allow others with "
    "GATEHOUSE_WEBHOOK_NETWORKS",
)
_URL_LENGTH: Final = Phrase("refused.url_length", "a URL has at most {most} characters")
_URL_ASCII: Final = Phrase(
    "refused.url_ascii",
    "a URL has only visible ASCII characters; write others with % and names in Punycode",
)
_URL_NONE: Final = Phrase("refused.url_none", "this is not a URL")
_URL_HTTPS: Final = Phrase("refused.url_https", "a webhook is a URL that begins with https://")
_URL_PASSWORD: Final = Phrase(
    "refused.url_password", "a URL must not hold a user or password; verify signatures"
)
_URL_FRAGMENT: Final = Phrase("refused.url_fragment", "a webhook has no part after #")
_URL_HOST: Final = Phrase("refused.url_host", "the host or port of the URL cannot be used")
_URL_NAME: Final = Phrase(
    "refused.url_name", "the host of the URL is neither a name nor an address"
)
_URL_PUBLIC: Final = Phrase("refused.url_public", "the host of a webhook must have a public name")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST_URL: Final = 2048
_VISIBLE: Final = re.compile(r"[!-~]+")
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)")
_LOCAL_NAMES: Final = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home")

_NOT_PUBLIC: Final = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.88.99.0/24",  # relays to 6to4
        "192.0.0.0/24",  # protocols, among them NAT64 discovery
        "168.63.129.16/32",  # the host of a virtual machine at Azure
        "2001::/23",  # protocols, among them Teredo, which embeds IPv4 addresses
        "2002::/16",  # 6to4, which embeds IPv4 addresses
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
"""Addresses that Python calls global, or once did, and that are not for us to send to."""
_PUBLIC_IPV6: Final = ipaddress.IPv6Network("2000::/3")
"""All that is assigned; NAT64, mapped and translated IPv4 addresses are outside of it."""


class DestinationRefused(InvalidInput):
    """A URL or an address to which nothing is sent."""


class Destination(msgspec.Struct, frozen=True):
    """A URL that was found fit, in parts."""

    host: str
    """In small letters; an IPv6 address without brackets."""
    port: int
    is_secure: bool
    target: bytes
    """Path and query."""
    address: str | None
    """The host, if it is an address."""


class DestinationPolicy(msgspec.Struct, frozen=True):
    """What the operator allows."""

    ports: tuple[int, ...] = (443, 8443)
    networks: tuple[Network, ...] = ()
    """Networks that may be reached although they are not public."""
    hosts: tuple[str, ...] = ()
    """If any is named, no other host; one that begins with a dot stands for all below it."""
    allows_loopback: bool = False
    """Plain HTTP to this machine, for trying things out in the sandbox."""

    def check_url(self, url: str) -> Destination:
        """The parts of a URL; or `DestinationRefused`, which says what to change."""
        split, port = _split(url)
        host = (split.hostname or "").lower().removesuffix(".")
        address = _address_of(host)
        if split.scheme == "http":
            if not (self.allows_loopback and _is_loopback_name(host, address)):
                raise DestinationRefused(_WEBHOOK_HTTPS())
        else:
            self._check_host(host, address, 443 if port is None else port)
        path = (split.path or "/") + (f"?{split.query}" if split.query else "")
        is_secure = split.scheme == "https"
        shown = None if address is None else str(address)
        usual = 443 if is_secure else 80
        return Destination(
            host=shown or host,
            port=usual if port is None else port,
            is_secure=is_secure,
            target=path.encode(),
            address=shown,
        )

    def check_addresses(self, destination: Destination, found: Iterable[str]) -> list[str]:
        """All addresses of a name, if each may be reached; or `DestinationRefused`."""
        checked: list[str] = []
        for text in found:
            try:
                address = ipaddress.ip_address(text)
            except ValueError:
                raise DestinationRefused(_WEBHOOK_ADDRESS()) from None
            self._check_address(address, is_secure=destination.is_secure)
            checked.append(str(address))
        if not checked:
            raise DestinationRefused(_WEBHOOK_NO_ADDRESS())
        return list(dict.fromkeys(checked))

    def _check_host(self, host: str, address: Address | None, port: int) -> None:
        if port not in self.ports:
            allowed = ", ".join(map(str, self.ports))
            raise DestinationRefused(_WEBHOOK_PORT(port=port, allowed=allowed))
        if self.hosts and not any(_matches(host, each) for each in self.hosts):
            raise DestinationRefused(_WEBHOOK_HOSTS())
        if address is not None:
            self._check_address(address, is_secure=True)
        elif not self.hosts and not self.networks:
            _refuse_local_name(host)

    def _check_address(self, address: Address, *, is_secure: bool) -> None:
        if not is_secure:
            if self.allows_loopback and address.is_loopback:
                return
            raise DestinationRefused(_WEBHOOK_HTTP())
        if getattr(address, "scope_id", None) is None and (
            is_public(address) or _inside(address, self.networks)
        ):
            return
        raise DestinationRefused(_WEBHOOK_PUBLIC())


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet and to nothing with a special meaning."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_IPV6:
        return False
    return address.is_global and not address.is_multicast and not _inside(address, _NOT_PUBLIC)


def _inside(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in each for each in networks)


def _split(url: str) -> tuple[SplitResult, int | None]:
    """The parts of a URL that every reader of URLs would split alike."""
    if len(url) > LONGEST_URL:
        raise DestinationRefused(_URL_LENGTH(most=LONGEST_URL))
    if not _VISIBLE.fullmatch(url) or any(each in url for each in '\\"<>^`{|}'):
        raise DestinationRefused(_URL_ASCII())
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        raise DestinationRefused(_URL_NONE()) from None
    if split.scheme not in ("https", "http") or not url.lower().startswith(f"{split.scheme}://"):
        raise DestinationRefused(_URL_HTTPS())
    if "@" in split.netloc:
        raise DestinationRefused(_URL_PASSWORD())
    if "#" in url:
        raise DestinationRefused(_URL_FRAGMENT())
    if "%" in split.netloc or port == 0 or split.netloc.endswith(":"):
        raise DestinationRefused(_URL_HOST())
    return split, port


def _address_of(host: str) -> Address | None:
    """The address that a host is; a name is None. Other spellings of addresses are refused."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]) or not all(_LABEL.fullmatch(each) for each in labels):
        raise DestinationRefused(_URL_NAME())
    return None


def _is_loopback_name(host: str, address: Address | None) -> bool:
    return host == "localhost" if address is None else address.is_loopback


def _refuse_local_name(host: str) -> None:
    labels = host.split(".")
    if len(labels) == 1 or labels[-1] in _LOCAL_NAMES:
        raise DestinationRefused(_URL_PUBLIC())


def _matches(host: str, allowed: str) -> bool:
    return host.endswith(allowed) if allowed.startswith(".") else host == allowed
