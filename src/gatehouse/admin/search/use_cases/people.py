"""Finds every decision about a person of an account, for exports and erasure."""

from collections.abc import Iterator, Sequence

from gatehouse.admin.search.queries.pages import stream_requests
from gatehouse.admin.search.queries.sources import by_terms
from gatehouse.admin.search.use_cases.values import SearchValues
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.secrets.hidden import Personal
from gatehouse.store.admin.admin_session import AdminSession


class PersonNamed(Personal, frozen=True):
    """What a person is known by; decisions with any of it are about that person."""

    user_id: str | None = None
    email: str | None = None
    phone: str | None = None
    card: CardNumber | AccountReference | None = None
    username: str | None = None
    """Kept of requests that gave no user id."""
    device_id: str | None = None
    """As it was sent to Sentry."""


def person_terms(values: SearchValues, person: PersonNamed) -> list[int]:
    """The terms that decisions about a person have; a card has one for each key of the ring."""
    terms: list[int] = []
    if person.user_id is not None:
        terms += values.user(person.user_id)
    if person.username is not None:
        terms += values.username(person.username)
    if person.email is not None:
        terms += values.email(person.email)
    if person.phone is not None:
        terms += values.phone(person.phone)
    if person.card is not None:
        terms += values.card(person.card)
    if person.device_id is not None:
        terms += values.device_id(person.device_id)
    return terms


def requests_about(
    session: AdminSession, account_id: str, terms: Sequence[int], *, batch: int = 500
) -> Iterator[list[str]]:
    """The ids of all requests that have a person's terms, oldest first, read in batches as needed.

    Between two batches no transaction is open, and those already given may be deleted.
    """
    session.actor.check_reads(account_id)
    return stream_requests(session.database, account_id, by_terms(account_id, terms), batch=batch)
