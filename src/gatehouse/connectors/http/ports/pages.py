"""Payment pages of a party, as the port of top-ups sees them."""

from typing import Any, Final

from gatehouse.connectors.http.answers import WordKind, compile_reading
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.building import Building
from gatehouse.connectors.http.compiled import Refusal
from gatehouse.connectors.http.mapping import ChargeMapping, PageMapping, PageStatusMapping
from gatehouse.connectors.http.ports.operating import OperationCall, optional
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.hosted_pages import (
    FoundPage,
    MadePage,
    PageEnquiry,
    PageState,
    StoredCardCharge,
    StoredCardId,
    WantedPage,
)
from gatehouse.gateway.operating import OperationAnswer

_NO_PAGE: Final = Phrase("connector.no_page", "the answer has no address of a payment page")
_NO_PAGE_STATE: Final = Phrase(
    "connector.no_page_state", "the answer does not say how the payment page stands"
)
_NO_CHARGES: Final = Phrase("connector.no_charges", "the mapping charges no stored cards")


class HttpPages:
    """Has the party show payment pages, asks how they stand, and has stored cards charged."""

    def __init__(
        self,
        page: PageMapping,
        status: PageStatusMapping,
        charge: ChargeMapping | None,
        building: Building,
    ) -> None:
        tables, answer = building.environment.tables, status.answer
        self._caller = building.caller
        # Nobody can pay on a page whose address never came, so it is asked for again.
        self._page = building.call(page, WordKind.GATEWAY_CODE, may_repeat=True)
        self._url = compile_reading(page.answer.url, WordKind.PAGE_URL, tables)
        self._id = optional(page.answer.id, WordKind.ID, tables)
        self._find = building.call(status, WordKind.GATEWAY_CODE, may_repeat=True)
        self._state = compile_reading(answer.status, WordKind.PAGE, tables)
        self._amount = compile_reading(answer.amount, WordKind.MINOR, tables)
        self._currency = compile_reading(answer.currency, WordKind.CURRENCY, tables)
        self._card = optional(answer.stored_card, WordKind.ID, tables)
        self._charge = None if charge is None else OperationCall(charge, building)

    async def make(self, wanted: WantedPage) -> MadePage:
        """Make a page."""
        asked = Asked(wanted.reference, wanted.account_id, wanted)
        asked.payment = wanted.payment
        return await self._caller.call(self._page, asked, self._made)

    async def find(self, enquiry: PageEnquiry) -> FoundPage:
        """Ask how a page stands."""
        asked = Asked(enquiry.reference, enquiry.account_id, enquiry)
        asked.payment, asked.page_id = enquiry.payment, enquiry.page_id
        return await self._caller.call(self._find, asked, self._found)

    async def charge(self, wanted: StoredCardCharge) -> OperationAnswer:
        """Charge a stored card, once for its reference."""
        if self._charge is None:
            raise ConnectorFailed(_NO_CHARGES(), sent=False)
        asked = Asked(wanted.reference, wanted.account_id, wanted)
        asked.payment = wanted.payment
        return await self._caller.call(self._charge.call, asked, self._charge.read)

    def _made(self, answer: Any, _asked: Asked) -> MadePage:
        url = None if isinstance(answer, Refusal) else self._url(answer, None)
        if url is None:
            raise ConnectorFailed(_NO_PAGE())
        return MadePage(url, self._id(answer, None))

    def _found(self, answer: Any, _asked: Asked) -> FoundPage:
        word = None if isinstance(answer, Refusal) else self._state(answer, None)
        if word is None:
            raise ConnectorFailed(_NO_PAGE_STATE())
        state = PageState(word)
        if state is not PageState.PAID:
            return FoundPage(state)
        amount, currency = self._amount(answer, None), self._currency(answer, None)
        card = self._card(answer, None)
        return FoundPage(
            state,
            None if amount is None else int(amount),
            currency and currency.upper(),
            None if card is None else StoredCardId.of(card),
        )
