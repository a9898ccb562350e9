"""What must hold after a run, by what callers were told and what the database says."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from scripts.soak.books import Books
from scripts.soak.faults import Ended
from scripts.soak.load import Outcome

RECOVERY_S: Final = 5.0
GROWTH: Final = 1.1
_MOST_SHOWN: Final = 5


class Invariant(NamedTuple):
    """Something that must hold, how often it was looked at, and where it does not."""

    name: str
    checked: int
    broken: list[str]

    @property
    def holds(self) -> bool:
        """Whether it holds everywhere."""
        return not self.broken

    def __str__(self) -> str:
        if self.holds:
            return f"held    {self.name}: {self.checked:,} looked at"
        shown = "; ".join(self.broken[:_MOST_SHOWN])
        return f"BROKEN  {self.name}: {len(self.broken):,} of {self.checked:,}: {shown}"


def of_money(outcomes: Sequence[Outcome], books: Books) -> list[Invariant]:
    """That everybody was charged for what they were told, once, and for nothing else."""
    answered = [each for each in outcomes if each.is_answered]
    closes = Counter(request for _, request, _ in books.closes)
    charged = {request: (account, amount) for account, request, amount in books.closes}
    unlike = [
        f"{each.request_id} of {each.account_id} was told {each.closed}, the ledger has"
        f" {closes[each.request_id]} closes and {charged.get(each.request_id)}"
        for each in answered
        if closes[each.request_id] != 1
        or charged[each.request_id] != (each.account_id, each.closed)
    ]
    known = {each.request_id for each in answered}
    # Callers without a key do not ask again, so what they lost may have been charged, once each.
    # One with a key that was given up may have been, too.
    lost = {each.reference for each in outcomes if not each.is_answered and each.lost}
    excused = known | {request for reference, request in books.references if reference in lost}
    surplus = [request for request in closes if request not in excused]
    return [
        Invariant("each charged answer is in the ledger once, as told", len(answered), unlike),
        Invariant("nothing else was charged, but for lost answers", len(closes), surplus),
        Invariant("balances equal the sums of the ledger", len(closes), books.ledger_problems),
        Invariant(
            "no authorization is open beyond its expiry",
            books.authorized,
            [f"{books.overdue_holds} authorizations"] if books.overdue_holds else [],
        ),
        Invariant(
            "no payment is left in doubt",
            books.payments,
            [f"{books.unsettled_payments} payments"] if books.unsettled_payments else [],
        ),
    ]


def of_repeats(outcomes: Sequence[Outcome], books: Books) -> Invariant:
    """That no request was recorded twice, however often it was sent.

    One without a key is sent again only where the answer before says that nothing was done.
    """
    ran = Counter(reference for reference, _ in books.references)
    twice = [
        f"{each.key or each.reference} was recorded {ran[each.reference]} times"
        for each in outcomes
        if ran[each.reference] > 1
    ]
    name = "no idempotency key ran twice, nor a request without one"
    return Invariant(name, len(outcomes), twice)


def of_answers(outcomes: Sequence[Outcome], *, may_retry: bool) -> list[Invariant]:
    """That callers got answers: at once, or when faults are made, in the end."""
    allowed = {0, 409, 503} if may_retry else set()
    odd = [
        f"{each.reference}: {', '.join([*each.failed, each.said])}"
        for each in outcomes
        if not (each.is_answered or each.status in allowed) or (each.failed and not may_retry)
    ]
    invariants = [
        Invariant(
            "no answer is an error"
            if not may_retry
            else "no answer is an error that no fault explains",
            len(outcomes),
            odd,
        )
    ]
    keyed = [each for each in outcomes if each.key is not None]
    given_up = [
        f"{each.reference} after {len(each.failed) + 1} attempts"
        for each in keyed
        if not each.is_answered
    ]
    invariants.append(Invariant("each request with a key was answered", len(keyed), given_up))
    return invariants


def of_events(books: Books, accepted: set[str]) -> list[Invariant]:
    """That each decision was told of, and that the receiver has heard it."""
    told = {request for _, request in books.events}
    untold = [request for _, request in books.references if request not in told]
    unheard = [event for event, _ in books.events if event not in accepted]
    return [
        Invariant("each decision is an event", len(books.references), untold),
        Invariant("each event was delivered", len(books.events), unheard),
    ]


def of_strangers(answers: Sequence[tuple[str, int]]) -> Invariant:
    """That a key that was revoked, or that nobody has, opened nothing; 0: no answer."""
    closed = {0, 401, 429, 503}
    let_in = [f"{key} key: {status}" for key, status in answers if status not in closed]
    if not answers:
        let_in = ["nobody tried"]
    return Invariant("nobody was let in without a valid key", len(answers), let_in)


def of_recovery(ended: Sequence[Ended]) -> Invariant:
    """That the service came back by itself soon after each fault."""
    late = [
        f"{each.name} at {each.at_s:.0f} s: {each.recovered_s:.1f} s"
        for each in ended
        if each.recovered_s > RECOVERY_S
    ]
    if not ended:
        late = ["no fault happened: the run was too short for one"]
    return Invariant(f"recovered within {RECOVERY_S:g} s of each fault's end", len(ended), late)


def of_memory(samples: dict[str, list[int]]) -> Invariant:
    """That servers do not grow: the last fifth of a run beside the second."""
    grown = []
    for name, sizes in samples.items():
        fifth = max(1, len(sizes) // 5)
        early, late = _median(sizes[fifth : 2 * fifth] or sizes), _median(sizes[-fifth:])
        if late > early * GROWTH:
            grown.append(f"{name}: {early / 1e6:.0f} MB, then {late / 1e6:.0f} MB")
    looked_at = sum(map(len, samples.values()))
    return Invariant(f"memory grows by less than {GROWTH - 1:.0%}", looked_at, grown)


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2]
