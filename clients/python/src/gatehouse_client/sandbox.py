"""Cards, codes and addresses that make things happen in the sandbox; no real card is among them.

>>> client.precheck(card_number=sandbox.DECLINED, card_expiry_date=sandbox.EXPIRY)
"""

from typing import Final

from gatehouse_client.models import CardAddress, PreCheckRequest

EXPIRY: Final = "2035-12"
CVV2: Final = "123"

APPROVED: Final = "4242424242424242"
APPROVED_MASTERCARD: Final = "5555555555554444"
APPROVED_AMEX: Final = "378282246310005"
DECLINED: Final = "4000000000000002"
RETRY: Final = "4000000000000119"
STOLEN: Final = "4000000000009979"
LOST: Final = "4000000000009987"
SUSPECTED_FRAUD: Final = "4100000000000019"
EXPIRED: Final = "4000000000000069"
UNKNOWN_NUMBER: Final = "4242424242424259"
ADDRESS_DOES_NOT_MATCH: Final = "4000000000000010"
POSTCODE_MATCHES: Final = "4000000000000028"
STREET_MATCHES: Final = "4000000000000036"
ADDRESS_UNVERIFIABLE: Final = "4000000000000044"
CVV2_DOES_NOT_MATCH: Final = "4000000000000101"
ISSUER_SILENT: Final = "4000000000000127"
GATEWAY_DECLINES: Final = "4000000000000341"
GATEWAY_LATE: Final = "4000000000000259"

TOR_ADDRESS: Final = "192.0.2.1"
HOSTING_ADDRESS: Final = "198.51.100.1"
HOME_ADDRESS: Final = "203.0.113.1"


def card(number: str = APPROVED) -> PreCheckRequest:
    """A complete `pre_check_request` for one of these cards."""
    return PreCheckRequest(
        card_number=number,
        card_expiry_date=EXPIRY,
        card_cvv2_value="1234" if number == APPROVED_AMEX else CVV2,
        card_address=CardAddress(street="1 Market Street", postal_code="94105"),
    )
