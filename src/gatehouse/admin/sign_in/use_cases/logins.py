"""What people sign in with: an e-mail address, compared without regard to capitals."""

from typing import Final

from email_validator import EmailNotValidError, validate_email

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.core.wording.text import is_blank

_LOGIN_FORM: Final = Phrase("refused.login_form", "this is no e-mail address: {why}")

_LOGIN_CARD: Final = Phrase(
    "refused.login_card", "this e-mail address looks like a card number; take another one"
)
_NAME_LENGTH: Final = Phrase("refused.name_length", "a name has 1 to {most} characters")

LONGEST_LOGIN: Final = 254
LONGEST_NAME: Final = 100


def normal_login(text: str) -> str:
    """The address as it is compared; whatever was typed, also what is no address."""
    # Not casefold: it makes one address of two, such as those at straße.de and strasse.de.
    return text.strip().lower()[:LONGEST_LOGIN]


def check_login(text: str) -> str:
    """An address that somebody can be invited by; `InvalidInput` otherwise."""
    try:
        read = validate_email(
            text.strip(), check_deliverability=False, test_environment=True, allow_smtputf8=True
        )
    except EmailNotValidError as error:
        raise InvalidInput(_LOGIN_FORM(why=said_by(error))) from None
    if recordable(read.normalized) != read.normalized:
        raise InvalidInput(_LOGIN_CARD())
    return normal_login(read.normalized)


def check_name(text: str) -> str:
    """The name of a person, as pages show it."""
    shown = recordable(" ".join(text.split()))
    if is_blank(shown) or len(shown) > LONGEST_NAME:
        raise InvalidInput(_NAME_LENGTH(most=LONGEST_NAME))
    return shown
