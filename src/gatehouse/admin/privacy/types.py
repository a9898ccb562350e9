"""Whom an erasure is about."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from gatehouse.admin.identities.types import Named
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal


class PersonErasure(Checked, Personal, frozen=True, rename="camel"):
    """A person to erase, by everything that names them."""

    user_id: Annotated[Named | None, Meta(description="As it was sent.")] = None
    username: Annotated[Named | None, Meta(description="As it was sent.")] = None
    email: Annotated[Named | None, Meta(description="A mailbox.", examples=["a@example.com"])] = (
        None
    )
    phone: Annotated[Named | None, Meta(description="A number.")] = None
    card_number: Annotated[CardNumber | None, Meta(description="A card.")] = None
    lists: Annotated[
        bool,
        Meta(description="Whether entries of lists name nobody any more; they go on matching."),
    ] = False

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        names = (self.user_id, self.username, self.email, self.phone, self.card_number)
        if all(name is None for name in names):
            yield "userId", "name the person: userId, username, email, phone or cardNumber"
