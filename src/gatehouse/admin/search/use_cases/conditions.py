"""Conditions over signals that a search or an exploration adds, and how addresses hold them.

They are written in the language of rules. One that names a person's address, device or name stands
in an address only as a token, because addresses are logged and shared.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from gatehouse.admin.decisions.use_cases.masking import PERSONAL_SIGNALS
from gatehouse.admin.secrets.use_cases.sealed_texts import TextSealer
from gatehouse.conditions.catalogue import CUSTOM, Catalogue
from gatehouse.conditions.nodes import Condition, Type
from gatehouse.conditions.parse import read_condition
from gatehouse.core.cards.redaction import holds_card_number
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.column_filter import ColumnFilter
from gatehouse.rules.ruleset import decode_program
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.configurations import RULES, active

_CARD: Final = Phrase(
    "refused.condition_card",
    "a condition must not hold a card number; look for the card, or for its fingerprint",
)
_LISTED: Final = Phrase(
    "refused.condition_list", "a condition of a search cannot look into lists; name the values"
)
_MANY: Final = Phrase("refused.condition_many", "a search has at most {most} conditions")
_LONG: Final = Phrase("refused.condition_long", "a condition has at most {most} characters")
_UNREADABLE: Final = Phrase(
    "refused.condition_token", "this address has a condition that cannot be read; add it again"
)

MOST_CONDITIONS: Final = 8
LONGEST_CONDITION: Final = 600
_SEALED: Final = "~"
_USE: Final = b"conditions of searches"
_ABOUT: Final = "condition"


class AddressedConditions:
    """Reads the conditions of one account, and writes them for addresses."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._session = session
        self._account_id = account_id
        self._sealer = TextSealer(session, account_id, _USE)

    def addressed(self, text: str) -> str:
        """A condition as an address holds it; raises `InvalidInput` when it cannot be used."""
        [condition] = self.filter([text]).conditions
        is_personal = any(
            name in PERSONAL_SIGNALS or name.startswith(CUSTOM) for name in condition.signals
        )
        return _SEALED + self._sealer.token(text, _ABOUT) if is_personal else text

    def opened(self, addressed: str) -> str:
        """The text of a condition in an address."""
        if not is_sealed(addressed):
            return addressed
        found = self._sealer.opened(addressed.removeprefix(_SEALED), _ABOUT)
        if found is None:
            raise InvalidInput(_UNREADABLE())
        return found

    def filter(
        self, addressed: Iterable[str], last_four: str | None = None, names: Iterable[str] = ()
    ) -> ColumnFilter:
        """What the conditions ask of the copy of decisions; `names` are signals used beside."""
        texts = [self.opened(each) for each in addressed]
        if len(texts) > MOST_CONDITIONS:
            raise InvalidInput(_MANY(most=MOST_CONDITIONS))
        inputs = self._inputs() if any(CUSTOM in text for text in (*texts, *names)) else {}
        catalogue = Catalogue(inputs)
        found = tuple(_read(text, catalogue) for text in texts)
        return ColumnFilter(conditions=found, inputs=inputs, last_four=last_four)

    def _inputs(self) -> Mapping[str, Type]:
        """The custom inputs that rule sets in force declare."""
        with self._session.account_reading(self._account_id) as connection:
            stored = active(connection, self._account_id, RULES)
            return {
                name: kind
                for each in stored
                for name, kind in decode_program(each.program).inputs.items()
            }


def is_sealed(addressed: str) -> bool:
    """Whether an address has a condition as a token, because it is about somebody."""
    return addressed.startswith(_SEALED)


def _read(text: str, catalogue: Catalogue) -> Condition:
    if len(text) > LONGEST_CONDITION:
        raise InvalidInput(_LONG(most=LONGEST_CONDITION))
    if holds_card_number(text):
        raise InvalidInput(_CARD())
    found = read_condition(text, catalogue)
    if found.lists:
        raise InvalidInput(_LISTED())
    return found
