"""Features of the address that a request came from."""

from typing import Final

from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.request_view import RequestView


def _measures(view: RequestView, found: dict[str, float]) -> None:
    text, address, facts = view.device.ip_address, view.address, view.facts
    if text is None:
        return
    if address is None:
        found["IP_INVALID"] = 1.0
    if "," in text:
        found["IP_LIST"] = 1.0
    if address is None:
        return
    if not (view.has_public_address or view.is_renewal or facts.allowed):
        found["IP_BOGON"] = 1.0
    hides = facts.tor or facts.vpn or facts.hosting or facts.proxy or facts.relay
    is_blocked = facts.blocked or facts.country_blocked
    if facts.country is not None and not (hides or is_blocked):
        found["IP_CONSUMER"] = 1.0
    if hides or is_blocked or facts.allowed:
        _measure_marks(facts, found, is_renewal=view.is_renewal)


def _measure_marks(facts: AddressFacts, found: dict[str, float], *, is_renewal: bool) -> None:
    """What feeds say of the address beyond its country."""
    # The operator knows an allowed address better than any feed does.
    is_allowed, is_relay = facts.allowed, facts.relay
    if facts.tor and not is_allowed:
        found["IP_TOR_EXIT"] = facts.tor
    # Lists hold relays too, whose users chose a phone, not a disguise.
    if not is_allowed and not is_relay:
        if facts.vpn:
            found["IP_VPN"] = facts.vpn
        if facts.hosting and not is_renewal:
            found["IP_HOSTING"] = facts.hosting
        if facts.proxy:
            found["IP_PUBLIC_PROXY"] = facts.proxy
    if is_relay:
        found["IP_PRIVACY_RELAY"] = is_relay
    if facts.blocked:
        found["IP_BLOCKED"] = 1.0
    if facts.country_blocked and not is_allowed:
        found["IP_COUNTRY_BLOCKED"] = 1.0
    if is_allowed:
        found["IP_ALLOWED"] = 1.0


ADDRESS: Final = Collection(Group.ADDRESS, _measures)
_describe = ADDRESS.describe

_describe(
    "IP_INVALID",
    meaning="What was sent as the address is none.",
    computation="1 when no address can be read from the text.",
    says="The address cannot be read.",
)
_describe(
    "IP_LIST",
    meaning="Several addresses were sent where one belongs, so the one that counts may be made up:"
    " anybody can write the beginning of a forwarding header.",
    computation="1 when the text holds a comma. The first public address counts.",
    says="Several addresses were sent instead of one.",
)
_describe(
    "IP_BOGON",
    meaning="Nobody on the public internet has this address.",
    computation="1 for a private, reserved or otherwise unroutable address, after IPv4 inside IPv6"
    " has been unwrapped. Not for recurring purchases, which the merchant's own server sends.",
    says="The address is not one of the public internet.",
)
_describe(
    "IP_TOR_EXIT",
    meaning="The address is an exit of the Tor network.",
    computation="How far the list of exits can be believed, 0 to 1; less when it is old.",
    says="The address is a Tor exit.",
)
_describe(
    "IP_VPN",
    meaning="The address belongs to a VPN.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay.",
    says="The address belongs to a VPN.",
)
_describe(
    "IP_HOSTING",
    meaning="The address belongs to a data centre: servers live there, buyers rarely do.",
    computation="How far that can be believed, 0 to 1. 0 for a privacy relay. Not for recurring"
    " purchases, which the merchant's own server sends.",
    says="The address belongs to a data centre.",
)
_describe(
    "IP_PUBLIC_PROXY",
    meaning="The address is that of a proxy that strangers can use or rent.",
    computation="How far the list of proxies can be believed, 0 to 1; less when it is old.",
    says="The address is a public proxy.",
)
_describe(
    "IP_PRIVACY_RELAY",
    meaning="The address belongs to a relay that phones and browsers use by themselves, such as"
    " iCloud Private Relay.",
    computation="How far that can be believed, 0 to 1.",
    says="The address belongs to a privacy relay.",
)
_describe(
    "IP_BLOCKED",
    meaning="The operator of this service has put the address on the list of those to block.",
    computation="1 when it is listed.",
    says="The address is on the operator's block list.",
)
_describe(
    "IP_COUNTRY_BLOCKED",
    meaning="The operator of this service has put the address's country on the list of those to"
    " block.",
    computation="1 when it is listed.",
    says="The address is in a country on the operator's block list.",
)
_describe(
    "IP_ALLOWED",
    meaning="The operator of this service has put the address on the list of those to trust.",
    computation="1 when it is listed. Tor, VPN, data centre, proxy and country then count 0, and"
    " the address is taken for one that many share.",
    says="The address is on the operator's allow list.",
)
_describe(
    "IP_CONSUMER",
    meaning="An ordinary address of somebody's home, office or phone.",
    computation="1 for a public address whose country is known and that is no Tor exit, VPN, data"
    " centre, proxy or relay, and on no block list.",
    says="The address is an ordinary one.",
)
