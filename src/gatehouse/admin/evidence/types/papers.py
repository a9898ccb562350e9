"""Which papers answer a dispute, by its reason.

The networks tell acquirers which papers they take, not merchants; the list is from memory, and an
acquirer's form may ask for more.
"""

import re
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from gatehouse.admin.outcomes.types.outcome import is_fraud_reason
from gatehouse.core.api_values import doc


class DisputePaper(StrEnum):
    """What an answer to a dispute is made of."""

    AUTHENTICATION = "AUTHENTICATION"
    """The payment was authenticated by 3-D Secure, so that the issuer is liable."""
    EARLIER_ORDERS = "EARLIER_ORDERS"
    """Compelling Evidence 3.0."""
    DELIVERY = "DELIVERY"
    """Who delivered it, when, and under which number."""
    DESCRIPTION = "DESCRIPTION"
    """What was sold, as it was described."""
    TERMS = "TERMS"
    """What the customer agreed to about returns and cancelling."""
    REFUND = "REFUND"
    """The money was given back already."""
    AUTHORIZATION = "AUTHORIZATION"
    """The issuer approved the payment."""
    INVOICE = "INVOICE"
    """What the amount is for, and that no two payments are for the same."""


class WantedPaper(msgspec.Struct, frozen=True):
    """A paper that answers a dispute."""

    paper: Annotated[DisputePaper, doc("Which one.")]
    known: Annotated[
        bool,
        doc(
            "Whether it is there: in the record, in what was said of the delivery, in "
            "outcomes, or, of terms and invoices, in an attached file."
        ),
    ]


_P: Final = DisputePaper
_BY_REASON: Final = (
    (r"13\.1|4855|C08|RG", (_P.DELIVERY,)),
    (r"13\.[345]|C3[12]|RM", (_P.DESCRIPTION, _P.DELIVERY, _P.TERMS)),
    (r"13\.[267]|4841|4860|C02|C04|C28|AP|RN2", (_P.TERMS, _P.REFUND)),
    (r"13(\.\d+)?|4853", (_P.DELIVERY, _P.DESCRIPTION, _P.TERMS, _P.REFUND)),
    (r"11(\.\d+)?|4808|A\d\d|AT", (_P.AUTHORIZATION,)),
    (r"12(\.\d+)?|4831|4834|P\d\d|DP|AA", (_P.INVOICE, _P.REFUND)),
)


def papers_for(reason: str | None) -> tuple[DisputePaper, ...]:
    """What answers a dispute with a reason, the strongest first; nothing without one."""
    if is_fraud_reason(reason):
        return _P.AUTHENTICATION, _P.EARLIER_ORDERS, _P.DELIVERY
    found = (papers for form, papers in _BY_REASON if re.fullmatch(form, reason or ""))
    return next(found, ())
