"""Features of the address that a request came from."""

from typing import Final

from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.request_view import RequestView

ADDRESS: Final = Collection(Group.ADDRESS)
_feature = ADDRESS.feature


def _is_marked(view: RequestView) -> bool:
    """Whether any feed says more about the address than its country."""
    facts = view.facts
    return bool(
        facts.hosting
        or facts.vpn
        or facts.tor
        or facts.proxy
        or facts.relay
        or facts.blocked
        or facts.allowed
        or facts.country_blocked
    )


@_feature(
    "IP_INVALID",
    meaning="What was sent as the address is none.",
    computation="1 when no address can be read from the text.",
    says="The address cannot be read.",
)
def _invalid(view: RequestView) -> float | None:
    if view.device.ip_address is None:
        return None
    return 1.0 if view.address is None else 0.0


@_feature(
    "IP_LIST",
    meaning="Several addresses were sent where one belongs, so the one that counts may be made up:"
    " anybody can write the beginning of a forwarding header.",
    computation="1 when the text holds a comma. The first public address counts.",
    says="Several addresses were sent instead of one.",
)
def _list(view: RequestView) -> float | None:
    return None if view.device.ip_address is None else float("," in view.device.ip_address)


@_feature(
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


@_feature(
    "IP_TOR_EXIT",
    meaning="The address is an exit of the Tor network.",
    computation="How far the list of exits can be believed, 0 to 1; less when it is old.",
    says="The address is a Tor exit.",
    needs=_is_marked,
)
def _tor_exit(view: RequestView) -> float | None:
    if view.address is None:
        return None
    # The operator knows the address better than any feed does.
    return 0.0 if view.facts.allowed else view.facts.tor


@_feature(
    "IP_VPN",
    meaning="The address belongs to a VPN.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay.",
    says="The address belongs to a VPN.",
    needs=_is_marked,
)
def _vpn(view: RequestView) -> float | None:
    return None if view.address is None else _unless_relay(view, view.facts.vpn)


@_feature(
    "IP_HOSTING",
    meaning="The address belongs to a data centre: servers live there, buyers rarely do.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay. Not for recurring"
    " purchases, which the merchant's own server sends.",
    says="The address belongs to a data centre.",
    needs=_is_marked,
)
def _hosting(view: RequestView) -> float | None:
    if view.address is None or view.is_renewal:
        return None
    return _unless_relay(view, view.facts.hosting)


@_feature(
    "IP_PUBLIC_PROXY",
    meaning="The address is that of a proxy that strangers can use or rent.",
    computation="How far the list of proxies can be believed, 0 to 1; less when it is old.",
    says="The address is a public proxy.",
    needs=_is_marked,
)
def _public_proxy(view: RequestView) -> float | None:
    return None if view.address is None else _unless_relay(view, view.facts.proxy)


@_feature(
    "IP_PRIVACY_RELAY",
    meaning="The address belongs to a relay that phones and browsers use by themselves, such as"
    " iCloud Private Relay.",
    computation="How far that can be believed, 0 to 1.",
    says="The address belongs to a privacy relay.",
    needs=_is_marked,
)
def _privacy_relay(view: RequestView) -> float | None:
    return None if view.address is None else view.facts.relay


@_feature(
    "IP_BLOCKED",
    meaning="The operator of this service has put the address on the list of those to block.",
    computation="1 when it is listed.",
    says="The address is on the operator's block list.",
    needs=_is_marked,
)
def _blocked(view: RequestView) -> float | None:
    return None if view.address is None else float(view.facts.blocked)


@_feature(
    "IP_COUNTRY_BLOCKED",
    meaning="The operator of this service has put the address's country on the list of those to"
    " block.",
    computation="1 when it is listed.",
    says="The address is in a country on the operator's block list.",
    needs=_is_marked,
)
def _country_blocked(view: RequestView) -> float | None:
    if view.address is None:
        return None
    return float(view.facts.country_blocked and not view.facts.allowed)


@_feature(
    "IP_ALLOWED",
    meaning="The operator of this service has put the address on the list of those to trust.",
    computation="1 when it is listed. Tor, VPN, data centre, proxy and country then count 0, and"
    " the address is taken for one that many share.",
    says="The address is on the operator's allow list.",
    needs=_is_marked,
)
def _allowed(view: RequestView) -> float | None:
    return None if view.address is None else float(view.facts.allowed)


@_feature(
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
    hidden = facts.tor or facts.vpn or facts.hosting or facts.proxy or facts.relay
    return 0.0 if hidden or facts.blocked or facts.country_blocked else 1.0


def _unless_relay(view: RequestView, degree: float) -> float:
    """Lists of VPNs hold relays too, whose users chose a phone, not a disguise."""
    return 0.0 if view.facts.allowed or view.facts.relay else degree
