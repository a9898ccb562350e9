"""What a Rules request holds. This one definition decodes, validates and documents it.

Only the wrong JSON type, a malformed card number and a null custom input are refused. An
implausible value becomes a signal.
"""

from collections.abc import Iterator
from typing import Annotated

from gatehouse.core.api_values import doc
from gatehouse.core.cards.numbers import CardNumber, CardOfRequest
from gatehouse.core.cards.three_d_secure import ThreeDSecureField
from gatehouse.core.reading.custom_inputs import CustomInputs, custom_problems
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.credentials import AccountReferenceField, CredentialTypeField
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceField

CallerName = str | int
"""An identifier of the caller's: some number their users, others name them."""


class RulesRequest(Checked, Personal, frozen=True, rename="camel"):
    """What rules can use beyond the other inputs; every field can be left out."""

    customer_ip: Annotated[str | None, doc("The customer's address.", "203.0.113.1")] = None
    card_number: Annotated[
        CardNumber | None,
        doc("Payment card number: 12 to 19 digits, no spaces or dashes.", "4242424242424242"),
    ] = None
    amount: Annotated[float | None, doc("Total, in units of the currency.", 59.9)] = None
    currency: Annotated[str | None, doc("ISO 4217 code.", "USD")] = None
    email: Annotated[str | None, doc("The customer's e-mail address.", "amelia@example.com")] = None
    phone: Annotated[
        str | None, doc("The customer's phone number, international.", "+14155550132")
    ] = None
    user_id: Annotated[CallerName | None, doc("Your name for the user.", "u-4711")] = None
    billing_country: Annotated[str | None, doc("ISO 3166-1 alpha-2 code.", "US")] = None
    shipping_country: Annotated[str | None, doc("ISO 3166-1 alpha-2 code.", "US")] = None
    custom_inputs: Annotated[
        CustomInputs | None,
        doc(
            "Anything else your rules speak of as `custom.<key>`; no value may be null.",
            {"plan": "gold", "returning": True},
        ),
    ] = None
    payment_account_reference: AccountReferenceField = None
    credential_type: CredentialTypeField = None
    three_d_secure: ThreeDSecureField = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        return custom_problems(self.custom_inputs)

    @property
    def has_credential(self) -> bool:
        """Whether anything is said about what stands behind the card number."""
        return self.payment_account_reference is not None or self.credential_type is not None

    def card(self) -> CardOfRequest | None:
        """The card this request speaks of, if it does."""
        if self.card_number is None:
            return None
        return CardOfRequest(
            self.card_number,
            None,
            guessable=False,
            account_reference=self.payment_account_reference,
            credential_type=self.credential_type,
        )


class RulesCall(RulesRequest, frozen=True, rename="camel"):
    """The same as an operation of its own."""

    rule_set: Annotated[
        str | None,
        doc("Which of your rule sets decides. Without it: the only one, or `starter`.", "starter"),
    ] = None
    client_reference_id: ClientReferenceField = None
