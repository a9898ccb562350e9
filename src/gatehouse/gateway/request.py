"""What a Gateway request holds. This one definition decodes, validates and documents it."""

from typing import Annotated

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.cards.three_d_secure import ThreeDSecureField
from gatehouse.gateway.stored_credential import StoredCredentialField


class GatewayRequest(CamelStruct):
    """What is to be paid; what is left out is taken from the order."""

    amount: Annotated[float | None, doc("Amount to pay, in units of the currency.", 59.9)] = None
    currency: Annotated[str | None, doc("ISO 4217 code.", "USD")] = None
    three_d_secure: ThreeDSecureField = None
    stored_credential: StoredCredentialField = None
