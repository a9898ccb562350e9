"""Compares names in parts: decides on each part, then on the whole."""

from typing import Final

import msgspec

from gatehouse.idverify.comparison import Comparison, best_of
from gatehouse.idverify.names.align import align, liken
from gatehouse.idverify.names.companies import LegalForm, compare_company_names, legal_form
from gatehouse.idverify.names.compare import compare_full_names
from gatehouse.idverify.names.eastern import read_parts
from gatehouse.idverify.names.relations import relation_of
from gatehouse.idverify.names.romanisation import ALIKE
from gatehouse.idverify.names.scripts import HAN, HANGUL, LATIN
from gatehouse.idverify.names.tokens import Token, tokens_of
from gatehouse.idverify.people import PersonName
from gatehouse.idverify.response import NameResult, Result, Why


class NameVerdict(msgspec.Struct, frozen=True):
    """The decisions on the parts of a name and on the whole, and whether they were compared."""

    first: Comparison
    middle: Comparison
    last: Comparison
    whole: Comparison
    performed: NameResult = NameResult.PERFORMED

    @property
    def parts(self) -> tuple[Comparison, Comparison, Comparison]:
        """The decisions on the parts alone."""
        return self.first, self.middle, self.last


# Korean is compared by sound and Japanese by readings; this likeness equals a known spelling.
_KNOWN_READING: Final = 0.94

# No Hangul or Han character comes before this one.
_FIRST_EASTERN: Final = "\u1100"

_NOT_SENT: Final = Comparison(Result.NOT_PROCESSED)
_NOT_HELD: Final = Comparison(Result.UNKNOWN)
_EXACT: Final = Comparison(Result.MATCH, Why.EXACT)
_SUBSET: Final = Comparison(Result.PARTIAL_MATCH, Why.SUBSET)
_DIFFERENT: Final = Comparison(Result.NO_MATCH, Why.DIFFERENT)


def compare_person_names(sent: PersonName, held: PersonName) -> NameVerdict:
    """Compare the name in a request with one name on record.

    A part that was not sent is NOT_PROCESSED, one that the record lacks UNKNOWN.
    """
    if sent == held and sent.first_name is not None and sent.last_name is not None:
        middle = _NOT_SENT if sent.middle_name is None else _EXACT
        return NameVerdict(_EXACT, middle, _EXACT, _EXACT)
    first, last = _first_and_last(sent, held)
    middle = _part(sent.middle_name, held.middle_name, given=True)
    if first.result is not Result.MATCH or middle.result is Result.NO_MATCH:
        first, middle = _given_names_together(sent, held, first, middle)
    if first.result is Result.NO_MATCH and last.result is Result.NO_MATCH:
        first, last = _other_way_round(sent, held, first, last)
    if sent.first_name is None and held.first_name is None:
        # A person with a single name, or a company.
        last = _company(sent, held, last)
        return NameVerdict(first, middle, last, last)
    whole = _whole(first, middle, last)
    if whole.result is not Result.MATCH and (sent.first_name is None or held.first_name is None):
        whole = _in_one_field(sent, held, whole)
    return NameVerdict(first, middle, last, whole)


def _company(sent: PersonName, held: PersonName, last: Comparison) -> Comparison:
    """The decision on names of which one has a legal form; another one stays as it is."""
    one, other = sent.last_name, held.last_name
    if one is None or other is None:
        return last
    form = max(legal_form(one), legal_form(other))
    if form is LegalForm.NONE:
        return last
    companies = compare_company_names(one, other)
    found = Comparison(companies.decision, companies.why)
    return found if form is LegalForm.CERTAIN else best_of((last, found))


def _first_and_last(sent: PersonName, held: PersonName) -> tuple[Comparison, Comparison]:
    eastern = _eastern(sent, held)
    if eastern is not None:
        return eastern
    first = _part(sent.first_name, held.first_name, given=True)
    last = _part(sent.last_name, held.last_name, given=False)
    return first, last


def _part(sent: str | None, held: str | None, *, given: bool) -> Comparison:
    if sent is None:
        return _NOT_SENT
    if held is None:
        return _NOT_HELD
    if sent == held:
        return _EXACT
    left, right = tokens_of(sent), tokens_of(held)
    if not left or not right:
        return _DIFFERENT
    return _words(left, right, given=given)


def _words(left: list[Token], right: list[Token], *, given: bool) -> Comparison:
    """Decide on the words of one part: the weakest of them decides."""
    if "".join([t.text for t in left]) == "".join([t.text for t in right]):
        return _EXACT
    if left[0].script != right[0].script:
        # Other scripts write articles and prepositions differently, or not at all.
        left, right = _without_particles(left), _without_particles(right)
    matches = align(left, right)
    relations = []
    for match in matches:
        one_word, other_word = left[match.left], right[match.right]
        relation = relation_of(one_word, other_word, match, given=given)
        if relation is not None:
            relations.append(relation)
        elif one_word.particle and other_word.particle:
            relations.append(_SUBSET)
        else:
            return _joined_words(left, right, given=given)
    if not relations or (not given and all(r.why is Why.INITIAL for r in relations)):
        return _joined_words(left, right, given=given)
    if _names_alone(left, {m.left for m in matches}) and _names_alone(
        right, {m.right for m in matches}
    ):
        return _joined_words(left, right, given=given)
    partial = next((r for r in relations if r.result is Result.PARTIAL_MATCH), None)
    if partial is not None:
        return partial
    if len(matches) < max(len(left), len(right)):
        return _SUBSET
    if any(match.left != match.right for match in matches):
        # José María and María José are two people.
        return Comparison(Result.PARTIAL_MATCH, Why.ORDER)
    return next((r for r in relations if r.why is not Why.EXACT), _EXACT)


def _without_particles(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if not token.particle] or tokens


def _names_alone(tokens: list[Token], matched: set[int]) -> bool:
    """Whether a name, not merely a particle, has no counterpart."""
    return any(place not in matched and not token.particle for place, token in enumerate(tokens))


def _written_together(tokens: list[Token]) -> Token:
    text = "".join([token.text for token in tokens])
    # Alone, the Arabic article is always al; in a word it may be written el.
    return Token("al" + text[2:] if text.startswith("el") else text, tokens[0].script)


def _joined_words(left: list[Token], right: list[Token], *, given: bool) -> Comparison:
    """Compare the words written as one, for names such as Al Dulaymi and Aldulaymi."""
    if len(left) == len(right) or left[0].script != right[0].script:
        return _DIFFERENT
    one, other = _written_together(left), _written_together(right)
    return relation_of(one, other, liken(one, other), given=given) or _DIFFERENT


def _eastern(sent: PersonName, held: PersonName) -> tuple[Comparison, Comparison] | None:
    """First and last name when one side is in Han characters or Hangul, the other in Latin."""
    parts = (sent.first_name, sent.last_name, held.first_name, held.last_name)
    if not all(parts) or not any(max(part or "") >= _FIRST_EASTERN for part in parts):
        return None
    sent_first, sent_last, held_first, held_last = (tokens_of(part or "") for part in parts)
    if not (sent_first and sent_last and held_first and held_last):
        return None
    scripts = {t.script for t in held_first + held_last}
    if scripts <= {HAN, HANGUL} and all(t.script == LATIN for t in sent_first + sent_last):
        likeness = read_parts((held_last, held_first), (sent_last, sent_first))
    elif {t.script for t in sent_first + sent_last} <= {HAN, HANGUL} and scripts == {LATIN}:
        likeness = read_parts((sent_last, sent_first), (held_last, held_first))
    else:
        return None
    return _heard(likeness[1]), _heard(likeness[0])


def _heard(likeness: float) -> Comparison:
    if likeness < ALIKE:
        return _DIFFERENT
    result = Result.MATCH if likeness > _KNOWN_READING else Result.PARTIAL_MATCH
    return Comparison(result, Why.TRANSLITERATION)


def _given_names_together(
    sent: PersonName, held: PersonName, first: Comparison, middle: Comparison
) -> tuple[Comparison, Comparison]:
    """Match given names that are divided differently: both in the first field, or one in each."""
    sent_names = tokens_of(f"{sent.first_name or ''} {sent.middle_name or ''}")
    held_names = tokens_of(f"{held.first_name or ''} {held.middle_name or ''}")
    if not sent_names or [t.text for t in sent_names] != [t.text for t in held_names]:
        return first, middle
    return _EXACT, middle if sent.middle_name is None else _EXACT


def _in_one_field(sent: PersonName, held: PersonName, whole: Comparison) -> Comparison:
    """Compare whole names, because one side may have its whole name in the last-name field."""
    names = [
        " ".join(part for part in (n.first_name, n.middle_name, n.last_name) if part)
        for n in (sent, held)
    ]
    alone = sent.last_name if sent.first_name is None else held.last_name
    if alone is None or len(tokens_of(alone)) < 2:
        return whole
    verdict = compare_full_names(*names)
    return Comparison(verdict.decision, verdict.why)


def _other_way_round(
    sent: PersonName, held: PersonName, first: Comparison, last: Comparison
) -> tuple[Comparison, Comparison]:
    """Compare with first and last name swapped, in case they were put into the wrong fields."""
    turned = PersonName(last_name=sent.first_name, first_name=sent.last_name)
    turned_first, turned_last = _first_and_last(turned, held)
    if turned_first.is_positive and turned_last.is_positive:
        return (
            Comparison(turned_last.result, Why.ORDER),
            Comparison(turned_first.result, Why.ORDER),
        )
    return first, last


def _whole(first: Comparison, middle: Comparison, last: Comparison) -> Comparison:
    """Decide on the whole: the last name must agree, and no part may contradict it."""
    if last.result is Result.NO_MATCH or first.result is Result.NO_MATCH:
        return _DIFFERENT
    if not last.is_positive:
        return last
    if last.why is Why.INITIAL or (first.why is Why.INITIAL and last.why is Why.TYPO):
        # Too little is left to tell people apart.
        return _DIFFERENT
    parts = (last, first, middle)
    weakest = next((part for part in parts if part.result is not Result.MATCH), None)
    if not first.is_positive:
        # The last name alone is a full match only for people who have no other name.
        return Comparison(Result.PARTIAL_MATCH, Why.SUBSET if weakest is first else last.why)
    if weakest is None or (weakest is middle and middle.why is None):
        return next((part for part in (last, first) if part.why is not Why.EXACT), _EXACT)
    return Comparison(Result.PARTIAL_MATCH, weakest.why)
