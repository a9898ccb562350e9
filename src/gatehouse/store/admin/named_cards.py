"""The one place where a card number that somebody names becomes a fingerprint, beside requests.

An answer that depends on a fingerprint tells whether a number is the one behind BIN and last four.
So numbers that people and programs name in searches, lists and files count together with those of
requests. An operator at a terminal has the keys of the fingerprints, and is not counted.
"""

from types import TracebackType
from typing import Final, Self

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import CardsAlike, CardsUnseen
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.pipeline.settlement import NumberSent, NumbersLimit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.requests.card_numbers import count_numbers, refused_before

_AT_ONCE: Final = 1000
"""Numbers that are counted in one transaction; requests of the account wait meanwhile."""


class NamedCards:
    """Makes fingerprints of the cards that an actor names; the end of the block counts them.

    The block must not hold a transaction. What it returns is lost when the numbers are too many.
    """

    def __init__(self, session: AdminSession, account_id: str, purpose: str) -> None:
        """`purpose` is what the audit line says that the cards were named for."""
        session.actor.check_account(account_id)
        self.fingerprints: Final[Fingerprints] = session.fingerprints
        self.account_id: Final = account_id
        self._session = session
        self._purpose = purpose
        self._numbers: dict[str, CardNumber] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.count()

    def of(self, card: CardNumber | AccountReference) -> str:
        """The inner fingerprint, as the newest key makes it."""
        inner = self.fingerprints.inner(card)
        # Nobody can try out references: they have 29 characters, and none of them is readable.
        if isinstance(card, CardNumber) and not self._session.actor.has_terminal:
            if not self._session.actor.reveals:
                raise CardsUnseen
            self._numbers[inner] = card
        return inner

    def of_every_key(self, card: CardNumber | AccountReference) -> list[str]:
        """The inner fingerprint under every key there ever was."""
        self.of(card)
        return self.fingerprints.inner_of_every_key(card)

    def count(self) -> None:
        """Count the numbers that were named since the last time; `CardsAlike` if too many are."""
        numbers, self._numbers = self._numbers, {}
        if not numbers:
            return
        session, limits = self._session, self._limits(numbers)
        self._refuse_again(limits)
        told, pace = None, Pace(session.database)
        while told is None and len(limits) > 1:
            with pace.turn(), session.database.writing() as connection:
                told = count_numbers(connection, self.account_id, limits.pop(), session.clock())
        with session.change(unseen=True) as change:
            if told is None and limits:
                told = count_numbers(
                    change.connection, self.account_id, limits.pop(), change.now_ms
                )
            # One card is named as records show it; of many, only their number is known.
            cards = {each.masked() for each in numbers.values()}
            card = cards.pop() if len(cards) == 1 else None
            about = {"for": self._purpose, "numbers": len(numbers), "card": card}
            change.audit("cards.lookup", self.account_id, **about, refused=told is not None)
        if told is not None:
            raise CardsAlike(told.retry_after_ms)

    def _limits(self, numbers: dict[str, CardNumber]) -> list[NumbersLimit]:
        """What has to be counted, in parts; those of one group are together where they can be."""
        most, prints = self._session.settings.card_enumeration_limit, self.fingerprints
        if not most:
            return []
        sent = sorted(
            (prints.group_mark(self.account_id, number), prints.number_mark(self.account_id, inner))
            for inner, number in numbers.items()
        )
        parts = [sent[start : start + _AT_ONCE] for start in range(0, len(sent), _AT_ONCE)]
        return [NumbersLimit(most, tuple(NumberSent(*each) for each in part)) for part in parts]

    def _refuse_again(self, limits: list[NumbersLimit]) -> None:
        """Refuse what was refused before; guesses without end must not keep requests waiting."""
        for limit in limits:
            with self._session.reading() as connection:
                told = refused_before(connection, limit, self._session.clock())
            if told is not None:
                raise CardsAlike(told.retry_after_ms)
