"""Features of the address that a request came from."""

from functools import partial
from typing import Final

from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.request_view import RequestView

ADDRESS: Final = Collection(Group.ADDRESS, lambda view: view.device.ip_address is not None)
_add = ADDRESS.add


def _is_marked(view: RequestView) -> bool:
    """Whether any feed says more about the address than its country."""
    facts = view.facts
    return bool(_hides(facts) or facts.blocked or facts.allowed or facts.country_blocked)


def _hides(facts: AddressFacts) -> float:
    return facts.tor or facts.vpn or facts.hosting or facts.proxy or facts.relay


def _trusted(view: RequestView, degree: float) -> float | None:
    """What a feed says, unless the operator allowed the address: the operator knows it better."""
    if view.address is None:
        return None
    return 0.0 if view.facts.allowed else degree


def _unless_relay(view: RequestView, degree: float) -> float | None:
    """The same for lists that hold relays too, whose users chose a phone, not a disguise."""
    return _trusted(view, 0.0 if view.facts.relay else degree)


_add(
    "IP_INVALID",
    lambda view: None if view.device.ip_address is None else float(view.address is None),
    meaning="What was sent as the address is none.",
    computation="1 when no address can be read from the text.",
    says="The address cannot be read.",
)
_add(
    "IP_LIST",
    lambda view: None if view.device.ip_address is None else float("," in view.device.ip_address),
    meaning="Several addresses were sent where one belongs, so the one that counts may be made up:"
    " anybody can write the beginning of a forwarding header.",
    computation="1 when the text holds a comma. The first public address counts.",
    says="Several addresses were sent instead of one.",
)


@ADDRESS.feature(
    "IP_BOGON",
    meaning="Nobody on the public internet has this address.",
    computation="1 for a private, reserved or otherwise unroutable address, after IPv4 inside IPv6"
    " has been unwrapped. Not for recurring purchases, which the merchant's own server sends.",
    says="The address is not one of the public internet.",
)
def _bogon(view: RequestView) -> float | None:
    if view.address is None or view.is_renewal:
        return None
    return 0.0 if view.has_public_address or view.facts.allowed else 1.0


_add_mark = partial(ADDRESS.add, needs=_is_marked)
_add_mark(
    "IP_TOR_EXIT",
    lambda view: _trusted(view, view.facts.tor),
    meaning="The address is an exit of the Tor network.",
    computation="How far the list of exits can be believed, 0 to 1; less when it is old.",
    says="The address is a Tor exit.",
)
_add_mark(
    "IP_VPN",
    lambda view: _unless_relay(view, view.facts.vpn),
    meaning="The address belongs to a VPN.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay.",
    says="The address belongs to a VPN.",
)
_add_mark(
    "IP_HOSTING",
    lambda view: None if view.is_renewal else _unless_relay(view, view.facts.hosting),
    meaning="The address belongs to a data centre: servers live there, buyers rarely do.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay. Not for recurring"
    " purchases, which the merchant's own server sends.",
    says="The address belongs to a data centre.",
)
_add_mark(
    "IP_PUBLIC_PROXY",
    lambda view: _unless_relay(view, view.facts.proxy),
    meaning="The address is that of a proxy that strangers can use or rent.",
    computation="How far the list of proxies can be believed, 0 to 1; less when it is old.",
    says="The address is a public proxy.",
)
_add_mark(
    "IP_PRIVACY_RELAY",
    lambda view: None if view.address is None else view.facts.relay,
    meaning="The address belongs to a relay that phones and browsers use by themselves, such as"
    " iCloud Private Relay.",
    computation="How far that can be believed, 0 to 1.",
    says="The address belongs to a privacy relay.",
)
_add_mark(
    "IP_BLOCKED",
    lambda view: None if view.address is None else float(view.facts.blocked),
    meaning="The operator of this service has put the address on the list of those to block.",
    computation="1 when it is listed.",
    says="The address is on the operator's block list.",
)
_add_mark(
    "IP_COUNTRY_BLOCKED",
    lambda view: _trusted(view, float(view.facts.country_blocked)),
    meaning="The operator of this service has put the address's country on the list of those to"
    " block.",
    computation="1 when it is listed.",
    says="The address is in a country on the operator's block list.",
)
_add_mark(
    "IP_ALLOWED",
    lambda view: None if view.address is None else float(view.facts.allowed),
    meaning="The operator of this service has put the address on the list of those to trust.",
    computation="1 when it is listed. Tor, VPN, data centre, proxy and country then count 0, and"
    " the address is taken for one that many share.",
    says="The address is on the operator's allow list.",
)


@ADDRESS.feature(
    "IP_CONSUMER",
    meaning="An ordinary address of somebody's home, office or phone.",
    computation="1 for a public address whose country is known and that is no Tor exit, VPN, data"
    " centre, proxy or relay, and on no block list.",
    says="The address is an ordinary one.",
)
def _consumer(view: RequestView) -> float | None:
    facts = view.facts
    if view.address is None or facts.country is None:
        return None
    return float(not (_hides(facts) or facts.blocked or facts.country_blocked))
