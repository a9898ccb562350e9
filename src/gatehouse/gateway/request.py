"""What a Gateway request holds. This one definition decodes, validates and documents it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.core.cards.three_d_secure import ThreeDSecureField
from gatehouse.gateway.stored_credential import StoredCredentialField


class GatewayRequest(msgspec.Struct, frozen=True, rename="camel"):
    """What is to be paid; what is left out is taken from the order."""

    amount: Annotated[
        float | None, Meta(description="Amount to pay, in units of the currency.", examples=[59.9])
    ] = None
    currency: Annotated[str | None, Meta(description="ISO 4217 code.", examples=["USD"])] = None
    three_d_secure: ThreeDSecureField = None
    stored_credential: StoredCredentialField = None
