"""What an account is, and its policies, as every face takes and shows them."""

from collections.abc import Mapping
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, Money, doc
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result
from gatehouse.sentry.costs import CostPreset
from gatehouse.sentry.found.found_inputs import InputKind
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES

_NOT_A_POLICY: Final = Phrase("refused.not_a_policy", "not a policy: {why}")


class AccountShown(CamelStruct):
    """An account."""

    account_id: Annotated[str, doc("Its id.", "acct_01kabcdefghjkmnpqrstvwxyz0")]
    name: Annotated[str, doc("Its name.", "Shop")]
    currency: Annotated[str, doc("ISO 4217 code.", "USD")]
    created_at: Annotated[Moment, doc("When it was made (RFC 3339).")]
    fees: Annotated[dict[str, Money], doc("What each service costs, by fee type.")]


class PreCheckPolicyBody(CamelStruct):
    """What an approval becomes when address or security code do not match."""

    avs: Annotated[
        dict[AvsResult, Advice],
        doc("By result of the address; others keep theirs.", {"NO_MATCH": "DECLINE"}),
    ] = {}
    cvv2: Annotated[
        dict[Cvv2Result, Advice],
        doc("By result of the security code; others keep theirs.", {"NO_MATCH": "DECLINE"}),
    ] = {}

    @classmethod
    def read(cls, avs: Mapping[str, str], cvv2: Mapping[str, str]) -> Self:
        """The policy that people wrote; or `InvalidInput`."""
        try:
            return msgspec.convert({"avs": avs, "cvv2": cvv2}, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput(_NOT_A_POLICY(why=said_by(error))) from None


class SentryPolicyBody(CamelStruct):
    """Which custom inputs Sentry remembers."""

    entities: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)]],
        doc(
            "Keys of `customInputs`. Others are remembered only if Sentry finds that "
            "they look like identifiers or categories.",
            ["loyaltyNumber"],
            max_length=MOST_ENTITIES,
        ),
    ]


CostShare = Annotated[float, Meta(ge=0, le=1)]
CostAmount = Annotated[float, Meta(ge=0, le=10_000_000)]


class CostsBody(CamelStruct):
    """What orders earn and cost."""

    currency: Annotated[
        str,
        doc(
            "Of the amounts; orders in another currency get no advice.",
            "USD",
            pattern=r"^[A-Z]{3}\Z",
        ),
    ]
    margin: Annotated[CostShare, doc("What an order earns, of its amount.", 0.25)]
    preset: Annotated[
        CostPreset, doc("`protect` counts losses by fraud twice, `revenue` half of them.")
    ] = CostPreset.BALANCE
    chargeback_fee: Annotated[CostAmount, doc("What a fraud costs besides its amount.", 20)] = 0.0
    fee_share: Annotated[CostShare, doc("The same as a share of the amount.", 0.03)] = 0.0
    review_cost: Annotated[CostAmount, doc("What a review costs.", 3.5)] = 0.0
    review_finds: Annotated[CostShare, doc("The share of reviews that find the truth.", 0.8)] = 1.0

    @classmethod
    def read(cls, given: Mapping[str, object]) -> Self:
        """The costs that people wrote; or `InvalidInput`."""
        try:
            return msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput(_NOT_A_POLICY(why=said_by(error))) from None


class PoliciesShown(CamelStruct):
    """An account's policies."""

    precheck: Annotated[PreCheckPolicyBody, doc("Of PreCheck.")]
    sentry: Annotated[SentryPolicyBody, doc("Of Sentry.")]
    costs: Annotated[
        CostsBody | None, doc("What orders earn and cost; null where Sentry gives no advice by it.")
    ] = None


class FoundInputShown(CamelStruct):
    """A custom input that nobody declared."""

    key: Annotated[str, doc("Key of `customInputs`.", "merchant")]
    kind: Annotated[
        InputKind | None,
        doc(
            "What it looks like: an identifier, whose values few people share, or a "
            "category. Missing where the account refused it before it was found."
        ),
    ]
    since: Annotated[Moment, doc("When it was found, or refused (RFC 3339).")]
    remembered: Annotated[
        bool, doc("Whether its values are remembered; false if the account said no.")
    ]


class FoundInputsShown(CamelStruct):
    """What Sentry found in an account's custom inputs."""

    inputs: Annotated[list[FoundInputShown], doc("The earliest first.")]


class FoundInputChoice(CamelStruct):
    """Whether the values of a custom input are remembered that nobody declared."""

    key: Annotated[
        str, doc("Key of `customInputs`.", "merchant", min_length=1, max_length=LONGEST_KEY)
    ]
    remembered: Annotated[bool, doc("False is no, and stays no until it is true again.", False)]
