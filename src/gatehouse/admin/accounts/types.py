"""What an account is, and its policies, as every face takes and shows them."""

from collections.abc import Mapping
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import Money
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES

_NOT_A_POLICY: Final = Phrase("refused.not_a_policy", "not a policy: {why}")


class AccountShown(msgspec.Struct, frozen=True, rename="camel"):
    """An account."""

    account_id: Annotated[
        str, Meta(description="Its id.", examples=["acct_01kabcdefghjkmnpqrstvwxyz0"])
    ]
    name: Annotated[str, Meta(description="Its name.", examples=["Shop"])]
    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]
    fees: Annotated[dict[str, Money], Meta(description="What each service costs, by fee type.")]


class PreCheckPolicyBody(msgspec.Struct, frozen=True, rename="camel"):
    """What an approval becomes when address or security code do not match."""

    avs: Annotated[
        dict[AvsResult, Advice],
        Meta(
            description="By result of the address; others keep theirs.",
            examples=[{"NO_MATCH": "DECLINE"}],
        ),
    ] = {}
    cvv2: Annotated[
        dict[Cvv2Result, Advice],
        Meta(
            description="By result of the security code; others keep theirs.",
            examples=[{"NO_MATCH": "DECLINE"}],
        ),
    ] = {}

    @classmethod
    def read(cls, avs: Mapping[str, str], cvv2: Mapping[str, str]) -> Self:
        """The policy that people wrote; or `InvalidInput`."""
        try:
            return msgspec.convert({"avs": avs, "cvv2": cvv2}, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput(_NOT_A_POLICY(why=said_by(error))) from None


class SentryPolicyBody(msgspec.Struct, frozen=True, rename="camel"):
    """Which custom inputs Sentry remembers."""

    entities: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)]],
        Meta(
            max_length=MOST_ENTITIES,
            description="Keys of `customInputs`; no others are remembered.",
            examples=[["loyaltyNumber"]],
        ),
    ]


class PoliciesShown(msgspec.Struct, frozen=True, rename="camel"):
    """An account's policies."""

    precheck: Annotated[PreCheckPolicyBody, Meta(description="Of PreCheck.")]
    sentry: Annotated[SentryPolicyBody, Meta(description="Of Sentry.")]
