"""The value set of Gateway's answer, in the words of the API."""

from enum import StrEnum
from typing import Annotated, Final

from gatehouse.core.api_values import CamelStruct, doc

NAME: Final = "Gateway"
"""Of the stage, in answers and records."""
FEE_TYPE: Final = "GATEWAY"


class GatewayStatus(StrEnum):
    """What became of the payment."""

    APPROVED = "APPROVED"
    DECLINED = "DECLINED"
    ERROR = "ERROR"


class GatewayResponse(CamelStruct):
    """Gateway's answer."""

    status: Annotated[
        GatewayStatus,
        doc(
            "What became of the payment. With ERROR the gateway failed or was late, "
            "and whatever it did is reversed."
        ),
    ]
    response_code: Annotated[str | None, doc("The gateway's own code, null when it gave none.")]
    approval_code: Annotated[str | None, doc("Code of the approval, null unless APPROVED.")]
    payment_id: Annotated[
        str | None,
        doc(
            "The id of the payment at the party that answered, to capture or refund it "
            "there; null when it gave none."
        ),
    ] = None
    party: Annotated[
        str | None, doc("The party that answered: the name of its connector; null without one.")
    ] = None
    network_transaction_id: Annotated[
        str | None,
        doc(
            "The network's id of the payment, to which later payments with the stored "
            "card refer; null when the party gave none."
        ),
    ] = None
