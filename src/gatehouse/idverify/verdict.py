"""Compares a request with the holders of its card and picks the results of one person."""

from collections.abc import Generator, Sequence
from typing import Final, TypeVar

import msgspec

from gatehouse.idverify.comparison import Comparison, rank
from gatehouse.idverify.contacts import compare_emails, compare_phones
from gatehouse.idverify.identifiers import compare_identifiers, has_wrong_checksum
from gatehouse.idverify.names import NameVerdict, compare_person_names
from gatehouse.idverify.people import IdentifierType, OwnerType, Person
from gatehouse.idverify.request import CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result, VerificationLevel
from gatehouse.idverify.source import HolderResults, Holders

T = TypeVar("T")
InSteps = Generator[None, None, T]
"""Work that pauses after each comparison of names, the dearest part of it."""

MOST_COMPARED: Final = 64
"""Holders of one card that are compared, PRIMARY ones first; our own records have at most 32."""
_NOT_SENT: Final = Comparison(Result.NOT_PROCESSED, "not_sent")
_NOT_SUPPORTED: Final = Comparison(Result.NOT_SUPPORTED, "not_supported")
_UNSURPASSED: Final = frozenset((Result.MATCH, Result.NOT_PROCESSED, Result.NOT_SUPPORTED))
"""With these results an attribute cannot improve with another holder; UNKNOWN and NO_MATCH can."""


class Finding(msgspec.Struct, frozen=True):
    """The results of comparing a request with one person; attributes not sent are NOT_PROCESSED."""

    email: Comparison
    phone: Comparison
    name: NameVerdict | None
    """None when the request has no name object."""
    identifiers: dict[IdentifierType, Comparison]


class IdentityVerdict(msgspec.Struct, frozen=True):
    """The finding that is returned, and the person it is about."""

    finding: Finding
    holders: int = 0
    """How many people the source named for the card."""
    chosen: int | None = None
    """Which of them the finding is about, counted from 1."""
    owner_type: OwnerType | None = None
    reasons: tuple[str, ...] = ()
    wrong_identifier: bool = False
    """Whether an identifier was sent that differs from the one on record: it may be a guess."""


def level_of(request: IdVerifyRequest) -> VerificationLevel:
    """How much was given to verify: identifiers count as full only beside personal attributes."""
    name = request.card_holder_name
    personal = (
        request.card_holder_email_address is not None
        or request.card_holder_phone_number is not None
        or (name is not None and name.is_given)
    )
    if personal and request.has_identifiers:
        return VerificationLevel.FULL
    if personal or request.has_identifiers:
        return VerificationLevel.PARTIAL
    return VerificationLevel.MINIMAL


def judge(request: IdVerifyRequest, holders: Holders) -> IdentityVerdict:
    """The verdict, without a pause."""
    steps = judge_in_steps(request, holders)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            verdict: IdentityVerdict = done.value
            return verdict


def judge_in_steps(request: IdVerifyRequest, holders: Holders) -> InSteps[IdentityVerdict]:
    """Compare the request with each holder and answer for the one it fits best.

    The best is the one with the most attributes that MATCH, then with the most PARTIAL_MATCH. An
    attribute is the e-mail address, the phone number, each identifier, and the name as a whole;
    the parts of a name count only where those are equal. Then a PRIMARY holder
    comes before a SECONDARY one, and after that the one the source named first.
    """
    name = request.card_holder_name
    wanted = name.wanted_holder if name is not None else None
    candidates = [
        (number, person)
        for number, person in enumerate(holders.people, 1)
        if wanted is None or person.owner_type is wanted
    ]
    if not candidates:
        reason = "no_such_holder" if holders.people else "no_record"
        finding = yield from _compare(request, None, holders)
        return IdentityVerdict(finding, len(holders.people), reasons=(reason,))
    candidates.sort(key=lambda each: each[1].owner_type is not OwnerType.PRIMARY)
    found = yield from _compare_each(request, candidates[:MOST_COMPARED], holders)
    number, best, finding = (
        found[0] if len(found) == 1 else max(found, key=lambda each: _merit(each[2]))
    )
    return IdentityVerdict(
        finding,
        len(holders.people),
        number,
        best.owner_type,
        reasons=_remarks(request, best, finding),
        wrong_identifier=_has_wrong_identifier(finding, [each for _, _, each in found]),
    )


def unanswered(request: IdVerifyRequest, result: Result, reason: str) -> IdentityVerdict:
    """The verdict without an answer of the source: one result for every attribute that was sent."""
    everything = Comparison(result, reason)
    name = request.card_holder_name
    finding = Finding(
        email=_NOT_SENT if request.card_holder_email_address is None else everything,
        phone=_NOT_SENT if request.card_holder_phone_number is None else everything,
        name=None if name is None else _uncompared(name, result, NameResult.NOT_PERFORMED),
        identifiers=dict.fromkeys(request.identifiers(), everything),
    )
    return IdentityVerdict(finding, reasons=(reason,))


def as_compared(request: IdVerifyRequest, results: HolderResults) -> IdentityVerdict:
    """The verdict of a source that compared by itself; what it does not say is UNKNOWN."""
    name = request.card_holder_name
    finding = Finding(
        email=_as_said(request.card_holder_email_address, results.email),
        phone=_as_said(request.card_holder_phone_number, results.phone),
        name=None if name is None else _name_as_said(name, results),
        identifiers={
            kind: _as_said(value, results.identifiers.get(kind))
            for kind, value in request.identifiers().items()
        },
    )
    wrong = any(each.result is Result.NO_MATCH for each in finding.identifiers.values())
    return IdentityVerdict(finding, wrong_identifier=wrong)


def _as_said(sent: str | None, result: Result | None) -> Comparison:
    if sent is None:
        return _NOT_SENT
    return Comparison(Result.UNKNOWN if result is None else result)


def _name_as_said(name: CardHolderName, results: HolderResults) -> NameVerdict:
    performed = results.name_result
    if name.last_name is None or performed in (None, NameResult.NOT_PERFORMED):
        return _uncompared(name, Result.UNKNOWN, NameResult.NOT_PERFORMED)
    if performed is NameResult.NOT_SUPPORTED:
        return _uncompared(name, Result.NOT_SUPPORTED, NameResult.NOT_SUPPORTED)
    last = _as_said(name.last_name, results.last_name)
    return NameVerdict(
        _as_said(name.first_name, results.first_name),
        _as_said(name.middle_name, results.middle_name),
        last,
        last if results.name is None else _as_said(name.last_name, results.name),
        NameResult.PERFORMED,
    )


def _compare_each(
    request: IdVerifyRequest, candidates: list[tuple[int, Person]], holders: Holders
) -> InSteps[list[tuple[int, Person, Finding]]]:
    """Compare the request with each holder in turn, until one fits in everything."""
    found = []
    for number, person in candidates:
        finding = yield from _compare(request, person, holders)
        found.append((number, person, finding))
        if _fits_in_everything(finding):
            break
    return found


def _compare(request: IdVerifyRequest, person: Person | None, holders: Holders) -> InSteps[Finding]:
    """Compare one request with one person, or with no person when the card is unknown."""
    email, phone = request.card_holder_email_address, request.card_holder_phone_number
    emails = person.emails if person is not None else ()
    phones = person.phones if person is not None else ()
    return Finding(
        email=_NOT_SENT if email is None else compare_emails(email, emails),
        phone=_NOT_SENT if phone is None else compare_phones(phone, phones),
        name=(yield from _compare_name(request.card_holder_name, person, holders)),
        identifiers={
            kind: _compare_identifier(kind, value, person, holders)
            for kind, value in request.identifiers().items()
        },
    )


def _compare_name(
    name: CardHolderName | None, person: Person | None, holders: Holders
) -> InSteps[NameVerdict | None]:
    if name is None:
        return None
    if not holders.holds_names and name.last_name is not None:
        return _uncompared(name, Result.NOT_SUPPORTED, NameResult.NOT_SUPPORTED)
    if person is None or not person.names or name.last_name is None:
        return _uncompared(name, Result.UNKNOWN, NameResult.NOT_PERFORMED)
    sent = name.person_name()
    verdicts = []
    for held in person.names:
        verdicts.append(compare_person_names(sent, held))
        yield
    return max(verdicts, key=lambda each: (rank(each.whole.result), *_count(each.parts)))


def _uncompared(name: CardHolderName, result: Result, performed: NameResult) -> NameVerdict:
    """A name that was not compared, for the given reason or because its last part is missing."""

    def part(sent: str | None) -> Comparison:
        comparable = sent is not None and name.last_name is not None
        return Comparison(result if comparable else Result.NOT_PROCESSED)

    first, middle, last = part(name.first_name), part(name.middle_name), part(name.last_name)
    return NameVerdict(first, middle, last, last, performed)


def _compare_identifier(
    kind: IdentifierType, value: str, person: Person | None, holders: Holders
) -> Comparison:
    if kind not in holders.identifier_types:
        return _NOT_SUPPORTED
    return compare_identifiers(kind, value, person.identifiers if person is not None else ())


def _remarks(request: IdVerifyRequest, person: Person, finding: Finding) -> tuple[str, ...]:
    """The identifiers whose check digits do not fit; they were compared all the same."""
    return tuple(
        [
            f"{kind.lower()}_checksum_failed"
            for kind, value in request.identifiers().items()
            if rank(finding.identifiers[kind].result)
            and has_wrong_checksum(kind, value, person.identifiers)
        ]
    )


def _fits_in_everything(finding: Finding) -> bool:
    """Whether everything that can match does, the parts of the name included."""
    results = [each.result for each in (*_attributes(finding), *_parts(finding))]
    return _UNSURPASSED.issuperset(results)


def _merit(finding: Finding) -> tuple[int, int, int, int]:
    return *_count(_attributes(finding)), *_count(_parts(finding))


def _attributes(finding: Finding) -> list[Comparison]:
    found = [finding.email, finding.phone, *finding.identifiers.values()]
    return found if finding.name is None else [*found, finding.name.whole]


def _parts(finding: Finding) -> Sequence[Comparison]:
    return () if finding.name is None else finding.name.parts


def _count(comparisons: Sequence[Comparison]) -> tuple[int, int]:
    """How many are a MATCH, and how many a PARTIAL_MATCH."""
    results = [each.result for each in comparisons]
    return results.count(Result.MATCH), results.count(Result.PARTIAL_MATCH)


def _has_wrong_identifier(answered: Finding, everyone: list[Finding]) -> bool:
    """Whether an identifier differs from one on record, also of a holder other than the chosen one.

    If only the chosen holder counted, the identifier of one holder could be guessed together with
    the true e-mail address of another holder who has none on record, and no guess would be counted.
    """
    unlike = [
        kind
        for kind, comparison in answered.identifiers.items()
        if rank(comparison.result) < rank(Result.PARTIAL_MATCH)
    ]
    return any(
        finding.identifiers[kind].result is Result.NO_MATCH
        for kind in unlike
        for finding in everyone
    )
