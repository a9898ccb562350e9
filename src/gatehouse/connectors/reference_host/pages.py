"""Payment pages of the reference host: where a person pays without a card number reaching us.

They are kept while the host runs; a payment on one is a payment as any other, in the journal too.
"""

from html import escape
from typing import Final
from urllib.parse import parse_qs

import msgspec

from gatehouse.connectors.reference_host.http_contract import PageBody
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.clock import Clock, iso_time, parse_time
from gatehouse.gateway.hosted_pages import PageState

MOST_PAGES: Final = 10_000
_FORM: Final = """<form method="post">
<p><label>Card number <input name="cardNumber" inputmode="numeric" autocomplete="off"></label></p>
<p><button name="do" value="pay">Pay</button> <button name="do" value="refuse">Refuse</button></p>
</form>"""


class Html(str):
    """A page for a browser."""

    __slots__ = ()


class HostPage(msgspec.Struct):
    """One page, and how it stands."""

    asked: PageBody
    state: PageState = PageState.OPEN
    attempts: int = 0
    card: str | None = None
    """The name of the card that paid, if it was to be stored."""

    def reference(self) -> str:
        """Of the next payment on it."""
        self.attempts += 1
        return f"{self.asked.reference}-{self.attempts}"


class HostPages:
    """Every page by its id, and every stored card by its name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pages: dict[str, HostPage] = {}
        self.cards: Final[dict[str, CardNumber]] = {}

    def make(self, page_id: str, asked: PageBody) -> HostPage | None:
        """The page of a reference, the same each time; None when it was for something else."""
        known = self._pages.get(page_id)
        if known is None:
            known = self._pages[page_id] = HostPage(asked)
            if len(self._pages) > MOST_PAGES:
                self._pages.pop(next(iter(self._pages)))
        before = known.asked.amount_minor, known.asked.currency
        return known if before == (asked.amount_minor, asked.currency) else None

    def paid(self, page_id: str, number: CardNumber) -> None:
        """Note that a page was paid, and store the card if that was agreed."""
        page = self._pages[page_id]
        page.state = PageState.PAID
        if page.asked.stored_credential is not None:
            page.card = f"card_{page_id.removeprefix('page_')}"
            self.cards[page.card] = number
            if len(self.cards) > MOST_PAGES:
                self.cards.pop(next(iter(self.cards)))

    def find(self, page_id: str) -> HostPage | None:
        """A page, which has ended when its time is over."""
        page = self._pages.get(page_id)
        if page is not None and page.state is PageState.OPEN and self._is_over(page):
            page.state = PageState.EXPIRED
        return page

    def _is_over(self, page: HostPage) -> bool:
        return self._clock() >= parse_time(page.asked.expires_at)


def shown(page: HostPage, said: str = "") -> Html:
    """The page in a browser."""
    asked, is_open = page.asked, page.state is PageState.OPEN
    amount = f"{asked.amount_minor} of the smallest unit of {asked.currency}"
    back = "" if asked.return_url is None else f'<p><a href="{escape(asked.return_url)}">Back</a>'
    return Html(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Reference host</title>'
        f"<h1>{escape(asked.reference)}</h1><p>{escape(amount)}</p>"
        f"<p>{escape(said) or page.state.value}</p>{_FORM if is_open else ''}{back}"
    )


def typed(body: bytes) -> dict[str, str]:
    """The fields of a form."""
    fields = parse_qs(body.decode("ascii", "replace"), max_num_fields=10)
    return {name: values[0].replace(" ", "") for name, values in fields.items()}


def is_moment(text: str) -> bool:
    """Whether the end of a page can be read."""
    try:
        return iso_time(parse_time(text)) != ""
    except ValueError:
        return False
