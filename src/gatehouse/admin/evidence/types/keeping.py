"""Whether an account keeps what evidence needs readable."""

from typing import Annotated

import msgspec
from msgspec import Meta


class EvidenceKeeping(msgspec.Struct, frozen=True):
    """Whether what evidence needs stays readable."""

    keep: Annotated[
        bool, Meta(description="Whether it does; no, unless you say so.", examples=[True])
    ]


class EvidenceKept(msgspec.Struct, frozen=True):
    """What an account keeps for evidence."""

    keep: Annotated[bool, Meta(description="Whether it is kept from now on.", examples=[True])]
    days: Annotated[int, Meta(description="For so many days.", examples=[485])]
    orders: Annotated[int, Meta(description="Of so many orders something is kept.", examples=[0])]
