"""Builds the signals of a request, and says what the decision record keeps of them."""

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.stages.case import Case
from gatehouse.decisions.record import RecordedSignals
from gatehouse.intel.addresses import read_address
from gatehouse.intel.emails import parse_email
from gatehouse.intel.networks import AddressBook
from gatehouse.intel.phones import parse_phone
from gatehouse.intel.places import country_code
from gatehouse.sentry import kinds
from gatehouse.sentry.entities import address_entity
from gatehouse.sentry.memory.memory import DAY_S, Entity, MemoryEvent
from gatehouse.sentry.memory.port import Memory
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.request_view import RequestView
from gatehouse.sentry.stage import ObservedRequest, SentryStage
from gatehouse.signals import request_signals
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.signals.request_parts import SignalInput


class LiveSignalBuilder:
    """Implements the engine's `SignalBuilder` for a running service."""

    def __init__(
        self, sentry: SentryStage, book: AddressBook, memory: Memory, fingerprinter: Fingerprinter
    ) -> None:
        self._sentry = sentry
        self._book = book
        self._memory = memory
        self._fingerprinter = fingerprinter

    async def describe(self, case: Case) -> None:
        """Fill the case's signals with what the request itself says."""
        given = case.input(SignalInput)
        found = request_signals.time_signals(case.at_ms)
        more = self._contacts(given, found)
        other = self._other_address(given, found, more, case.at_ms)
        observed = await self._observe(case, given, more)
        self._note(found, case, given, observed.view, other=other)
        history = observed.history
        if history is not None:
            found |= history.velocity()
            if observed.view.is_trial:
                # The same few test cards pay for all trial orders: how often one was used says
                # nothing. What a user or an address did counts, so that such rules can be tried.
                found.pop("velocity.card", None)
            if history.ring is not None:
                request_signals.note_ring(found, history.ring, observed.event.at_s)
            case.on_settled.append(lambda _done: self._note_decline(case, observed.event))
        case.request_signals = found
        case.signals = dict(found)
        case.observation = observed

    def facts(self, case: Case) -> RecordedSignals:
        """What the decision record keeps: the signals, and the event that counts from now on."""
        observed = case.observation
        assert isinstance(observed, ObservedRequest)
        declined = _was_declined(case)
        return RecordedSignals(case.request_signals, observed.recorded(declined=declined))

    async def _observe(self, case: Case, given: SignalInput, more: list[Entity]) -> ObservedRequest:
        sentry = self._sentry
        now = sentry.observe_now(case, given.sentry, more=more)
        if now is not None:
            return now
        try:
            seen = sentry.observe(case, given.sentry, more=more)
            return await with_timeout(sentry.time_limit_ms / 1000, seen)
        except (TimeoutError, ConnectorFailed):
            # The memory does not answer: rules that need the history do not match.
            return sentry.view(case, given.sentry, more=more)

    def _contacts(self, given: SignalInput, found: request_signals.Signals) -> list[Entity]:
        """E-mail and phone as signals, and as what is remembered of them."""
        more: list[Entity] = []
        fingerprinter = self._fingerprinter
        if given.email is not None:
            email = parse_email(given.email)
            mailbox = None if email is None else fingerprinter.hashed_email(email.canonical)
            request_signals.note_email(found, email, mailbox)
            if mailbox is not None:
                more.append((kinds.EMAIL, mailbox))
        if given.phone is not None:
            phone = parse_phone(given.phone)
            number = None if phone is None else fingerprinter.hashed_phone(phone.e164)
            request_signals.note_phone(found, phone, number)
            if number is not None:
                more.append((kinds.PHONE, number))
        return more

    def _other_address(
        self, given: SignalInput, found: request_signals.Signals, more: list[Entity], at_ms: int
    ) -> bool:
        """Add the address of the Rules input if Sentry has another; rules are about the former."""
        text, device = given.other_address, given.sentry.device
        address = None if text is None else read_address(text)
        if address is None:
            return False
        seen = read_address(device.ip_address) if device and device.ip_address else None
        if seen is not None and seen.text == address.text:
            return False  # The same address in another notation.
        facts = self._book.look(address, at_ms // (DAY_S * 1000))
        request_signals.note_address(found, address, facts)
        more.append(address_entity(address))
        return True

    def _note(
        self,
        found: request_signals.Signals,
        case: Case,
        given: SignalInput,
        view: RequestView,
        *,
        other: bool,
    ) -> None:
        rules = given.rules
        request_signals.note_order(found, given.amount, given.currency, view)
        request_signals.note_device(found, view)
        self._note_device_id(found, view)
        if case.card is not None:
            request_signals.note_card(found, case.card.kept, case.at_ms)
        if given.three_d_secure is not None:
            request_signals.note_authentication(found, given.three_d_secure)
        if view.address is not None and not other:
            request_signals.note_address(found, view.address, view.facts)
        user, affiliate = drop_placeholder(given.user_id), drop_placeholder(view.order.affiliate_id)
        if user is not None:
            found["user.id"] = self._fingerprinter.kept(str(user))
        if affiliate is not None:
            found["order.affiliate"] = request_signals.own_text(
                str(affiliate), self._fingerprinter.hashed
            )
        for name, country in (
            ("billing.country", rules.billing_country),
            ("shipping.country", rules.shipping_country),
        ):
            if country is not None:
                found[name] = request_signals.text_of(country_code(country.strip()))
        if given.cards_differ is not None:
            found["request.cards_differ"] = given.cards_differ
        if given.amounts_differ is not None:
            found["request.amounts_differ"] = given.amounts_differ
        found["request.ips_differ"] = other
        for inputs in (given.sentry.custom_inputs, rules.custom_inputs):
            if inputs:
                found |= request_signals.custom_signals(inputs, self._fingerprinter.hashed)

    def _note_device_id(self, found: request_signals.Signals, view: RequestView) -> None:
        """The device by its identifier, and whether it is new for a customer who is not."""
        device = view.device.device_id
        if device is None or drop_placeholder(device) is None:
            return
        found["device.id"] = self._fingerprinter.kept(device)
        user = view.recall(kinds.USER)
        if user is not None and not view.is_renewal:
            times = user.times_with(kinds.DEVICE_ID)
            found["device.new_for_user"] = user.events > 1 and times <= 1

    def _note_decline(self, case: Case, event: MemoryEvent) -> None:
        """Remember that a card was refused: many refusals are how cards are tried out."""
        if _was_declined(case):
            self._memory.note_decline(event)


def _was_declined(case: Case) -> bool:
    return True in [result.declined for result in case.results.values()]
