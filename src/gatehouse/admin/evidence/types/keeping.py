"""Whether an account keeps what evidence needs readable."""

from typing import Annotated

import msgspec

from gatehouse.core.api_values import doc


class EvidenceKeeping(msgspec.Struct, frozen=True):
    """Whether what evidence needs stays readable."""

    keep: Annotated[bool, doc("Whether it does; no, unless you say so.", True)]


class EvidenceKept(msgspec.Struct, frozen=True):
    """What an account keeps for evidence."""

    keep: Annotated[bool, doc("Whether it is kept from now on.", True)]
    days: Annotated[int, doc("For so many days.", 485)]
    orders: Annotated[int, doc("Of so many orders something is kept.", 0)]
