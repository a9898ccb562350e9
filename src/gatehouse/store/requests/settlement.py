"""Decides a batch of settlements in order, each on its own, without touching the database.

The writer loads what the batch needs, this module decides, the writer saves what changed.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from gatehouse.billing.ledger import (
    AUTHORIZATION_ENDED,
    AccountState,
    Book,
    EntryKind,
    Hold,
    LedgerEntry,
)
from gatehouse.core.errors import AuthorizationLost, GatehouseError, NotFound
from gatehouse.core.events import EventName, NewEvent, encode_data, request_event_id
from gatehouse.decisions.search_terms import WaitingTerms, waiting_terms
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Authorized,
    Claim,
    Close,
    Closed,
    DecisionRow,
    Enumerated,
    EvidenceRow,
    Insufficient,
    IntentEnd,
    KeyReused,
    PaymentRow,
    Redirect,
    Release,
    Replay,
    StillInFlight,
    WrongGuess,
)
from gatehouse.store.payments.operations import NewOperation, captures_of
from gatehouse.store.requests.card_numbers import (
    NUMBERS_WINDOW_MS,
    NumbersByGroup,
    SentNumber,
    refusal_of,
    sent_rows,
)
from gatehouse.store.requests.intent_rows import (
    DoubtfulIntent,
    NewIntent,
    RedirectedIntent,
    ReviewedIntent,
)
from gatehouse.store.requests.new_review import NewReview

_HOUR_MS: Final = 3_600_000
GUESS_WINDOW_MS: Final = 24 * _HOUR_MS


class Expire(Release, frozen=True):
    """Give back the hold of a process that died."""


Settlement = Authorize | Close | Redirect | Release
Answer = AuthorizationResult | Closed | None | GatehouseError


class StoredClaim(msgspec.Struct, array_like=True):
    """An idempotency key as it is stored."""

    claim_id: str
    request_id: str
    body: str
    answer: str | None
    expires_at_ms: int


class MissedEvent(msgspec.Struct, frozen=True, array_like=True):
    """A request that Sentry's memory must be told of later."""

    account_id: str
    request_id: str


class NewMismatch(msgspec.Struct, frozen=True, array_like=True):
    """A wrong security code or identifier that was given for a card."""

    card: str
    request_id: str
    """A mark of the request, not its id."""
    at_ms: int
    """When the hour of it ended."""


class BatchRows(msgspec.Struct):
    """The stored rows that a batch needs."""

    accounts: dict[str, AccountState]
    holds: dict[str, Hold]
    claims: dict[str, StoredClaim]
    guesses: dict[str, tuple[int, int]]
    """By card, or the account behind it: mismatches, and requests in flight."""
    numbers: NumbersByGroup = {}
    followed: str | None = None
    """Decisions up to this request are not looked for any more, to be indexed; None: none are."""


class Changes(msgspec.Struct):
    """What a batch changes in the store, in the order in which it is written."""

    entries: list[LedgerEntry] = []
    accounts: dict[str, AccountState] = {}
    holds_added: list[Hold] = []
    holds_ended: list[str] = []
    decisions: list[DecisionRow] = []
    search_waiting: list[WaitingTerms] = []
    claims_freed: list[tuple[str, str]] = []
    """Claims with the request they must still belong to."""
    claims_kept: dict[str, StoredClaim] = {}
    mismatches: list[NewMismatch] = []
    intents_added: list[NewIntent] = []
    intents_redirected: dict[str, RedirectedIntent] = {}
    """By request; a row is changed once in a batch, so these are none that others below change."""
    intents_settled: list[str] = []
    intents_reviewed: list[ReviewedIntent] = []
    intents_doubtful: dict[str, DoubtfulIntent] = {}
    """By request; the statement skips requests without an intent."""
    reviews: list[NewReview] = []
    numbers: dict[str, SentNumber] = {}
    missed_events: list[MissedEvent] = []
    events: list[NewEvent] = []
    evidence: list[EvidenceRow] = []
    payments: list[PaymentRow] = []
    payment_operations: list[NewOperation] = []

    def __bool__(self) -> bool:
        """Whether there is anything to write; a batch of refusals has nothing."""
        return bool(
            self.entries
            or self.intents_redirected
            or self.intents_doubtful
            or self.numbers
            or self.events
        )

    def rows(self) -> dict[str, list[Any]]:
        """What there is to write, by the names of the parts in `batch_statements`."""
        rows: dict[str, list[Any]] = {}
        for name, some in zip(self.__struct_fields__, astuple(self), strict=True):
            if some:
                rows[name] = list(some.values()) if isinstance(some, dict) else some
        if self.accounts:
            accounts = sorted(self.accounts.items())
            rows["accounts"] = [
                (key, state.balance, state.held, state.told) for key, state in accounts
            ]
        return rows


class BatchKeys(msgspec.Struct):
    """The keys of the rows that a batch needs."""

    accounts: set[str] = set()
    holds: set[str] = set()
    claims: set[str] = set()
    cards: set[str] = set()
    guesses_since_ms: int = 0
    groups: set[str] = set()
    numbers_since_ms: int = 0


def wanted_by(batch: Sequence[Settlement]) -> BatchKeys:
    """The keys of all rows that the batch needs."""
    wanted = BatchKeys()
    for order in batch:
        if isinstance(order, Authorize):
            wanted.accounts.add(order.hold.account_id)
            if order.claim is not None:
                wanted.claims.add(order.claim.claim_id)
            if order.hold.card is not None:
                wanted.cards.update(_guessed_at(order.hold))
                wanted.guesses_since_ms = order.at_ms - GUESS_WINDOW_MS
            if order.numbers is not None:
                wanted.groups.update([each.group for each in order.numbers.sent])
                wanted.numbers_since_ms = order.at_ms - NUMBERS_WINDOW_MS
        else:
            wanted.accounts.add(order.account_id)
            wanted.holds.add(order.request_id)
            if isinstance(order, Close) and order.claim_id is not None:
                wanted.claims.add(order.claim_id)
    return wanted


def _guessed_at(guess: Hold | WrongGuess) -> list[str]:
    """The marks that guesses are counted by: of the number, and of the account behind it."""
    return [each for each in (guess.card, guess.card_account) if each is not None]


def end_of_hour(at_ms: int) -> int:
    """The time of a guess as it is kept.

    Its exact time would lead to the decision, and so to BIN and last four of the card.
    """
    return at_ms - at_ms % _HOUR_MS + _HOUR_MS


def decide(batch: Sequence[Settlement], loaded: BatchRows) -> tuple[list[Answer], Changes]:
    """Answer every order of the batch and collect the changes."""
    decider = _BatchDecider(loaded)
    return [decider.settle(order) for order in batch], decider.finish()


def earlier(
    kept: StoredClaim | None, claim: Claim, now_ms: int
) -> Replay | StillInFlight | KeyReused | None:
    """The answer to a request whose idempotency key was used before."""
    if kept is None or kept.expires_at_ms <= now_ms:
        return None
    if kept.body != claim.body and not (claim.is_kept_as and claim.is_kept_as(kept.body)):
        return KeyReused()
    return StillInFlight() if kept.answer is None else Replay(kept.answer.encode())


class _BatchDecider:
    """Decides one batch on the loaded rows."""

    def __init__(self, loaded: BatchRows) -> None:
        self._loaded = loaded
        self._book = Book(loaded.accounts)
        self._changes = Changes()

    def settle(self, order: Settlement) -> Answer:
        """Settle one order; a refusal is its answer and changes nothing."""
        try:
            if isinstance(order, Authorize):
                return self._authorize(order)
            if isinstance(order, Close):
                return self._close(order)
            if isinstance(order, Redirect):
                self._redirect(order)
            else:
                self._give_back(order)
        except GatehouseError as refusal:
            return refusal
        return None

    def finish(self) -> Changes:
        """All changes of the batch."""
        changes = self._changes
        changes.entries = self._book.entries
        touched = {entry.account_id for entry in changes.entries}
        touched.update([event.account_id for event in changes.events])
        changes.accounts = {account: self._loaded.accounts[account] for account in touched}
        return changes

    def _authorize(self, order: Authorize) -> AuthorizationResult:
        hold, loaded = order.hold, self._loaded
        if hold.account_id not in loaded.accounts:
            raise NotFound("no such account")
        enumerated = self._enumerated(order)
        if enumerated is not None:
            return enumerated
        if order.claim is not None:
            before = earlier(loaded.claims.get(order.claim.claim_id), order.claim, order.at_ms)
            if isinstance(before, KeyReused):
                # This says that the number, among others, is not the one of the first request.
                self._note_numbers(order)
            if before is not None:
                return before
        state = loaded.accounts[hold.account_id]
        # Nobody has checked the signature of the row that was just read.
        state.credit = state.credit and min(state.credit, order.credit_limit)
        if not self._book.authorize(hold, order.at_ms, order.actor or None):
            return self._refused(order)
        self._note_numbers(order)
        self._changes.holds_added.append(hold)
        if order.claim is not None:
            claim, key = order.claim, order.claim.claim_id
            kept = StoredClaim(key, hold.request_id, claim.body, None, claim.expires_at_ms)
            loaded.claims[key] = self._changes.claims_kept[key] = kept
        if order.intent is not None:
            intent = NewIntent(
                hold.request_id,
                hold.account_id,
                order.intent.amount_minor,
                order.intent.currency,
                at_ms=order.at_ms,
                changed_at_ms=order.at_ms,
                reference=order.intent.reference,
            )
            self._changes.intents_added.append(intent)
        mismatches, in_flight = 0, 0
        for mark in _guessed_at(hold):
            wrong, open_now = loaded.guesses.get(mark, (0, 0))
            loaded.guesses[mark] = (wrong, open_now + 1)
            mismatches, in_flight = max(mismatches, wrong), max(in_flight, open_now)
        return Authorized(loaded.accounts[hold.account_id].available, mismatches, in_flight)

    def _refused(self, order: Authorize) -> Insufficient:
        hold, state = order.hold, self._loaded.accounts[order.hold.account_id]
        # What is held may be given back; then the balance suffices again without a top-up.
        if hold.amount > state.available + state.held and state.note_depleted():
            said = {"remaining": state.available, "needed": hold.amount}
            self._tell(order, EventName.BALANCE_DEPLETED, said)
        return Insufficient(state.available)

    def _tell(
        self, order: Authorize | Close, kind: EventName, said: dict[str, int] | None = None
    ) -> None:
        """Let the account know something about a request, or of what follows from it."""
        of = order.hold if isinstance(order, Authorize) else order
        event = NewEvent(
            request_event_id(of.request_id, kind),
            of.account_id,
            order.at_ms,
            kind,
            order.actor,
            of.request_id,
            None if said is None else encode_data(said),
        )
        self._changes.events.append(event)

    def _enumerated(self, order: Authorize) -> Enumerated | None:
        """The refusal of a number that is one too many of its group, which is noted."""
        if order.numbers is None:
            return None
        if (refused := refusal_of(order.numbers, self._loaded.numbers, order.at_ms)) is None:
            return None
        self._note(refused.tries)
        return refused.told

    def _note_numbers(self, order: Authorize) -> None:
        if order.numbers is not None:
            self._note(sent_rows(order.numbers.sent, order.at_ms))

    def _note(self, numbers: list[SentNumber]) -> None:
        for each in numbers:
            self._loaded.numbers.setdefault(each.card_group, {})[each.number] = each.at_ms
            self._changes.numbers[each.number] = each

    def _close(self, order: Close) -> Closed:
        hold = self._hold_of(order.account_id, order.request_id)
        if hold is None and order.intent is not None:
            # The hold expired, so the payment may have been reversed before it was sent. It must
            # be reversed once more, although the close is refused.
            self._doubt(order, "lost")
        self._book.close(hold, order.items, order.at_ms)
        self._end(order.request_id)
        self._changes.decisions.append(order.decision)
        terms, followed = order.decision.terms, self._loaded.followed
        if terms is not None and (followed is None or order.request_id <= followed):
            self._changes.search_waiting.append(waiting_terms(order.request_id, terms))
        if order.intent is not None:
            if order.intent is IntentEnd.DOUBTFUL:
                self._doubt(order, "unanswered")
            elif order.intent is IntentEnd.REVIEWED:
                reviewed = ReviewedIntent(order.request_id, order.at_ms, order.payment_reference)
                self._changes.intents_reviewed.append(reviewed)
            else:
                self._changes.intents_settled.append(order.request_id)
        if order.review:
            place = (order.account_id, order.request_id, order.at_ms)
            self._changes.reviews.append(NewReview(*place, *order.at_risk))
        if order.memory_missed:
            self._changes.missed_events.append(MissedEvent(order.account_id, order.request_id))
        self._changes.evidence += order.evidence
        self._changes.payments += order.payments
        self._changes.payment_operations += captures_of(order)
        for kind in order.events:
            self._tell(order, kind)
        state = self._loaded.accounts[order.account_id]
        if state.low_below is not None and state.note_low():
            said = {"remaining": state.available, "threshold": state.low_below}
            self._tell(order, EventName.BALANCE_LOW, said)
        if (guess := order.mismatch) is not None:
            self._changes.mismatches += [
                NewMismatch(mark, guess.request, end_of_hour(order.at_ms))
                for mark in _guessed_at(guess)
            ]
        remaining = state.available
        answer = order.answer(remaining) if order.answer is not None else None
        if order.claim_id is not None and answer is not None:
            kept = self._loaded.claims[order.claim_id]
            kept.answer = answer.decode()
            self._changes.claims_kept[order.claim_id] = kept
        return Closed(remaining, answer)

    def _redirect(self, order: Redirect) -> None:
        if self._hold_of(order.account_id, order.request_id) is None:
            # Its payment was marked for reversal at the party that was noted: no other may get it.
            raise AuthorizationLost(AUTHORIZATION_ENDED())
        redirected = RedirectedIntent(order.request_id, order.payment_reference)
        self._changes.intents_redirected[order.request_id] = redirected

    def _give_back(self, order: Release) -> None:
        expired = isinstance(order, Expire)
        hold = self._hold_of(order.account_id, order.request_id)
        if hold is not None or not expired:
            # A release comes from the process that may have sent the payment, so it counts even
            # without a hold. An expiry counts once, however many sweepers find the hold.
            self._doubt(order, "expired" if expired else "released")
        if hold is None:
            return
        kind = EntryKind.EXPIRE if expired else EntryKind.RELEASE
        self._book.release(hold, order.at_ms, kind=kind)
        self._end(order.request_id)
        if hold.claim is not None:
            self._loaded.claims.pop(hold.claim, None)
            self._changes.claims_freed.append((hold.claim, hold.request_id))

    def _doubt(self, order: Close | Release, detail: str) -> None:
        changes, request_id = self._changes, order.request_id
        redirected = changes.intents_redirected.pop(request_id, None)
        if request_id not in changes.intents_settled:
            reference = None if redirected is None else redirected.reference
            if isinstance(order, Close):
                reference = order.payment_reference
            doubtful = DoubtfulIntent(request_id, order.account_id, order.at_ms, detail, reference)
            changes.intents_doubtful[request_id] = doubtful

    def _hold_of(self, account_id: str, request_id: str) -> Hold | None:
        hold = self._loaded.holds.get(request_id)
        return hold if hold is not None and hold.account_id == account_id else None

    def _end(self, request_id: str) -> None:
        del self._loaded.holds[request_id]
        self._changes.intents_redirected.pop(request_id, None)
        self._changes.holds_ended.append(request_id)
