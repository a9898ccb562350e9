"""Whom an erasure is about."""

from collections.abc import Iterator
from typing import Annotated

from gatehouse.admin.identities.types import Named
from gatehouse.core.api_values import doc
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal


class PersonErasure(Checked, Personal, frozen=True, rename="camel"):
    """A person to erase, by everything that names them."""

    user_id: Annotated[Named | None, doc("As it was sent.")] = None
    username: Annotated[Named | None, doc("As it was sent.")] = None
    email: Annotated[Named | None, doc("A mailbox.", "a@example.com")] = None
    phone: Annotated[Named | None, doc("A number.")] = None
    card_number: Annotated[CardNumber | None, doc("A card.")] = None
    lists: Annotated[
        bool, doc("Whether entries of lists name nobody any more; they go on matching.")
    ] = False

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        names = (self.user_id, self.username, self.email, self.phone, self.card_number)
        if all(name is None for name in names):
            yield "userId", "name the person: userId, username, email, phone or cardNumber"
