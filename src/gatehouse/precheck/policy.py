"""What an account tells PreCheck about approvals that it does not want."""

from typing import Final

import msgspec

from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result


class PreCheckPolicy(msgspec.Struct, frozen=True):
    """What an account wants an approval to become when the address or the code did not match."""

    avs: dict[AvsResult, Advice] = {}
    cvv2: dict[Cvv2Result, Advice] = msgspec.field(
        default_factory=lambda: {Cvv2Result.NO_MATCH: Advice.DECLINE}
    )


DEFAULT_POLICY: Final = PreCheckPolicy()
