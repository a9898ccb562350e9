"""The packet for a provider, in the field names of Stripe's dispute evidence API.

`enhanced_evidence.visa_compelling_evidence_3` of a dispute there. A value that Gatehouse cannot
read is left out, and named in `fillIn`.
"""

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from gatehouse.core.api_values import doc
from gatehouse.core.secrets.hidden import Personal

SHORTEST_DEVICE_ID: Final = 15
"""Characters; Stripe refuses shorter ones."""


class Goods(StrEnum):
    """What was sold, in a word."""

    MERCHANDISE = "merchandise"
    SERVICES = "services"


class PacketAddress(Personal, frozen=True, omit_defaults=True):
    """Where it was delivered."""

    line1: Annotated[str | None, doc("Street and number.")] = None
    line2: Annotated[str | None, doc("What the first line has no room for.")] = None
    city: Annotated[str | None, doc("City.")] = None
    state: Annotated[str | None, doc("State or region.")] = None
    postal_code: Annotated[str | None, doc("Postal code.")] = None
    country: Annotated[str | None, doc("ISO 3166-1 alpha-2 code.")] = None


class PacketTransaction(Personal, frozen=True, omit_defaults=True, kw_only=True):
    """One transaction as the issuer sees it."""

    customer_account_id: Annotated[str | None, doc("The customer's login.")] = None
    customer_device_fingerprint: Annotated[
        str | None, doc("The device, by at least two of its attributes.")
    ] = None
    customer_device_id: Annotated[str | None, doc("The device, by its own identifier.")] = None
    customer_email_address: Annotated[str | None, doc("E-mail address.")] = None
    customer_purchase_ip: Annotated[str | None, doc("IP address.")] = None
    product_description: Annotated[str | None, doc("What was sold.")] = None
    shipping_address: Annotated[PacketAddress | None, doc("Where it was delivered.")] = None


class DisputedTransaction(PacketTransaction, frozen=True, omit_defaults=True, kw_only=True):
    """The disputed transaction."""

    merchandise_or_services: Annotated[Goods | None, doc("`merchandise` or `services`.")] = None


class PriorTransaction(PacketTransaction, frozen=True, omit_defaults=True, kw_only=True):
    """An earlier transaction that nobody disputed."""

    charge: Annotated[str | None, doc("The provider's id of it.")] = None


class VisaPacket(msgspec.Struct, frozen=True):
    """Compelling Evidence 3.0."""

    disputed_transaction: Annotated[DisputedTransaction, doc("The disputed transaction.")]
    prior_undisputed_transactions: Annotated[
        list[PriorTransaction], doc("The two earlier ones, the older one first.")
    ]


class EnhancedEvidence(msgspec.Struct, frozen=True):
    """What a network wants beyond texts and files."""

    visa_compelling_evidence_3: Annotated[VisaPacket, doc("For Visa, reason 10.4.")]


class EvidencePacket(msgspec.Struct, frozen=True):
    """What is sent to the provider as `evidence`."""

    enhanced_evidence: Annotated[EnhancedEvidence, doc("By network.")]
    fill_in: Annotated[
        list[str], doc("Fields that are not known here and that you fill in before you send it.")
    ] = msgspec.field(name="fillIn", default_factory=list)


_NEEDED: Final = ("product_description",)
_OF_ADDRESS: Final = ("line1", "city", "postal_code", "country")


def to_fill_in(packet: VisaPacket) -> list[str]:
    """The paths of fields that the issuer wants and that are not known."""
    one = packet.disputed_transaction
    found = _missing_in("disputed_transaction", one)
    if one.merchandise_or_services is None:
        found.append("disputed_transaction.merchandise_or_services")
    for number, prior in enumerate(packet.prior_undisputed_transactions):
        place = f"prior_undisputed_transactions[{number}]"
        if prior.charge is None:
            found.append(f"{place}.charge")
        found += _missing_in(place, prior)
    return found


def _missing_in(place: str, one: PacketTransaction) -> list[str]:
    found = [f"{place}.{name}" for name in _NEEDED if getattr(one, name) is None]
    address = one.shipping_address
    if address is not None:
        missing = [name for name in _OF_ADDRESS if getattr(address, name) is None]
        found += [f"{place}.shipping_address.{name}" for name in missing]
    return found
