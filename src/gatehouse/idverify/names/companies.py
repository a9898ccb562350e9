"""Compares the names of companies: their words decide, their legal forms may contradict.

Words that differ are two companies, however alike the rest is: one distinctive word more, another
number or another place is another company far more often than a slip.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import msgspec
from rapidfuzz.distance import OSA

from gatehouse.idverify.names.scripts import LATIN, fold_latin, script_of, without_accents
from gatehouse.idverify.names.tokens import MOST_LETTERS
from gatehouse.idverify.response import Result, Why

_MOST_WORDS: Final = 24
_LONGEST_ACRONYM: Final = 7
_LEAST_CUT: Final = 18
"""A shorter beginning of a name is not taken for a name that was cut off."""
_LEAST_SHORTENED: Final = 3
_LONGEST_SHORT: Final = 3
_ANY_KIND: Final = "corporation"
"""Of forms such as Company, which say only that it is one."""
_APOSTROPHES: Final = str.maketrans("", "", "'’‘ʼʻ`´\"“”״׳")
_SIGNS: Final = str.maketrans({"&": " and ", "+": " and ", "＆": " and ", "@": " at ", "№": " no "})
_DOTTED: Final = re.compile(r"\b\w(?:[./]\s?\w\b){1,}[./]?")
_SINGLE_LETTERS: Final = re.compile(r"\b\w(?: \w\b)+")
_BETWEEN: Final = re.compile(r"[\W_]+")
_UMLAUTS: Final = re.compile("([aou])e")


class CompanyVerdict(msgspec.Struct, frozen=True):
    """Whether two names may be of one company, and why."""

    decision: Result
    why: Why


class LegalForm(IntEnum):
    """Whether a name has a legal form."""

    NONE = 0
    POSSIBLE = 1
    """A word that is a name of people, too: Ana Sa, or Ana S.A."""
    CERTAIN = 2


class CompanyName(NamedTuple):
    """A name as it is compared."""

    words: tuple[str, ...]
    kinds: frozenset[str]
    """What its legal forms are; empty without one."""
    form: LegalForm


class _Vocabulary(NamedTuple):
    forms: dict[tuple[str, ...], str]
    """By their words as they are written; folded, some people's names would be forms, too."""
    unspaced: tuple[tuple[re.Pattern[str], str], ...]
    """Forms of scripts that are written without spaces, the longest first."""
    longest: int
    leading: frozenset[tuple[str, ...]]
    also_names: frozenset[tuple[str, ...]]
    """Forms that people are called by, too."""
    same: dict[str, str]
    generic: frozenset[str]
    joining: frozenset[str]
    trading_as: re.Pattern[str]


def compare_company_names(left: str, right: str) -> CompanyVerdict:
    """Decide whether two names may be of one company; the best of the names it trades under."""
    best = CompanyVerdict(Result.NO_MATCH, Why.DIFFERENT)
    theirs = _names_in(right)
    for one, own in _names_in(left):
        for other, also_own in theirs:
            found = _compare(one, other)
            if found.decision is Result.MATCH and own and also_own:
                return found
            if found.decision is not Result.NO_MATCH and best.decision is Result.NO_MATCH:
                # A trade name is not the name that the company is registered under.
                why = found.why if own and also_own else Why.SUBSET
                best = CompanyVerdict(Result.PARTIAL_MATCH, why)
    return best


def legal_form(name: str) -> LegalForm:
    """Whether a name has a legal form, and so is a company's."""
    return max((each.form for each, _ in _names_in(name)), default=LegalForm.NONE)


def company_name(text: str) -> CompanyName:
    """The words of a name without its legal forms, and what these are."""
    known = _vocabulary()
    dotted = {_letters_of(each) for each in _DOTTED.findall(text)}
    text, unspaced = _without_unspaced(text, known)
    words, forms = _without_forms(_words_of(text), known)
    folded = [each for each in map(fold_latin, words) if each]
    while len(folded) > 1 and folded[-1] in known.joining:
        folded.pop()
    kinds = unspaced | {known.forms[each] for each in forms}
    form = LegalForm.POSSIBLE if kinds else LegalForm.NONE
    if unspaced or any(each not in known.also_names or "".join(each) in dotted for each in forms):
        form = LegalForm.CERTAIN
    same = known.same
    return CompanyName(tuple(same.get(each, each) for each in folded), frozenset(kinds), form)


def _names_in(text: str) -> list[tuple[CompanyName, bool]]:
    """The company's own name first, then those that it trades under."""
    text = _clean(text)
    parts = _vocabulary().trading_as.split(text)
    names = [(company_name(part), number == 0) for number, part in enumerate(parts)]
    return [(name, own) for name, own in names if name.words]


def _compare(one: CompanyName, other: CompanyName) -> CompanyVerdict:
    why, equal = _alike(one.words, other.words)
    if why is None:
        return CompanyVerdict(Result.NO_MATCH, Why.DIFFERENT)
    if equal and not _contradict(one.kinds, other.kinds):
        return CompanyVerdict(Result.MATCH, why)
    return CompanyVerdict(Result.PARTIAL_MATCH, why)


def _contradict(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the legal forms are of two companies."""
    specific, others = one - {_ANY_KIND}, other - {_ANY_KIND}
    return bool(specific and others and not specific & others)


def _alike(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[Why | None, bool]:
    """Why the words are alike, or None; and whether they are the same."""
    known = _vocabulary()
    one = [each for each in left if each not in known.joining]
    other = [each for each in right if each not in known.joining]
    if "".join(map(_key, one)) == "".join(map(_key, other)):
        return Why.EXACT, True
    if _numbers(one) != _numbers(other):
        return None, False
    if sorted(map(_key, one)) == sorted(map(_key, other)):
        return Why.ORDER, False
    if _is_acronym(one, left, other, right):
        return Why.INITIAL, False
    if _is_cut_off("".join(one), "".join(other)):
        return Why.SUBSET, False
    told, others = _distinctive(one, known), _distinctive(other, known)
    if not told or not others:
        return None, False
    return _paired(told, others, same_rest=len(told) == len(one) and len(others) == len(other))


def _paired(one: list[str], other: list[str], *, same_rest: bool) -> tuple[Why | None, bool]:
    """Pair every distinctive word with one of the other name; all must be told."""
    if len(one) != len(other):
        return None, False
    left, worst = list(other), Why.EXACT
    for word in one:
        found = min(
            ((why, each) for each in left if (why := _word_alike(word, each)) is not None),
            key=lambda pair: _WORST.index(pair[0]),
            default=None,
        )
        if found is None:
            return None, False
        left.remove(found[1])
        worst = max(worst, found[0], key=_WORST.index)
    if worst is Why.EXACT:
        return Why.SUBSET, False
    # A shortened or mistyped word beside other words that are missing is too much.
    return (worst, False) if same_rest or len(one) > 1 else (None, False)


_WORST: Final = (Why.EXACT, Why.TYPO, Why.INITIAL)


def _word_alike(one: str, other: str) -> Why | None:
    if _key(one) == _key(other):
        return Why.EXACT
    if one.isdigit() or other.isdigit():
        return None
    short, long = sorted((one, other), key=len)
    allowed = 0 if len(short) < 5 else 1 if len(short) < 9 else 2
    if allowed and OSA.distance(one, other, score_cutoff=allowed) <= allowed:
        return Why.TYPO
    shortened = len(short) >= _LEAST_SHORTENED and len(long) - len(short) >= 3
    return Why.INITIAL if shortened and long.startswith(short) else None


def _is_acronym(
    one: list[str], left: tuple[str, ...], other: list[str], right: tuple[str, ...]
) -> bool:
    """Whether one name is the initials of the other, with or without the words that join."""
    for short, whole, joined in ((one, other, right), (other, one, left)):
        if len(short) != 1 or len(whole) < 3 or len(short[0]) > _LONGEST_ACRONYM:
            continue
        if short[0] in ("".join(each[0] for each in words) for words in (whole, joined)):
            return True
    return False


def _is_cut_off(one: str, other: str) -> bool:
    """Whether one name is the other without its end, as fields of fixed length cut it."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _LEAST_CUT and long.startswith(short)


def _distinctive(words: Iterable[str], known: _Vocabulary) -> list[str]:
    return [each for each in words if each not in known.generic]


def _numbers(words: Iterable[str]) -> list[str]:
    return sorted(each for each in words if any(letter.isdigit() for letter in each))


def _key(word: str) -> str:
    """A word whichever way its umlauts are written."""
    return _UMLAUTS.sub(r"\1", word)


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFKC", text[:MOST_LETTERS])[:MOST_LETTERS]
    return text.casefold().translate(_APOSTROPHES)


def _words_of(text: str) -> list[str]:
    """The words as they are written; letters with dots or blanks between them are one word."""
    text = _DOTTED.sub(lambda found: _letters_of(found[0]) + " ", text.translate(_SIGNS))
    text = " ".join(_BETWEEN.split(text)).strip()
    text = _SINGLE_LETTERS.sub(lambda found: found[0].replace(" ", ""), text)
    return text.split()[:_MOST_WORDS]


def _letters_of(dotted: str) -> str:
    return re.sub(r"[./\s]", "", dotted)


def _without_unspaced(text: str, known: _Vocabulary) -> tuple[str, set[str]]:
    kinds: set[str] = set()
    if text.isascii():
        return text, kinds
    for form, kind in known.unspaced:
        rest = form.sub(" ", text)
        if rest != text and rest.strip():
            text = rest
            kinds.add(kind)
    return text, kinds


def _without_forms(words: list[str], known: _Vocabulary) -> tuple[list[str], set[tuple[str, ...]]]:
    """Take the forms off the end, and those that are customarily first off the beginning."""
    found = set()
    while form := _form_of(words, known, at_end=True):
        found.add(form)
        words = words[: -len(form)]
    if form := _form_of(words, known, at_end=False):
        found.add(form)
        words = words[len(form) :]
    return words, found


def _form_of(words: list[str], known: _Vocabulary, *, at_end: bool) -> tuple[str, ...]:
    """The longest form at one end, which leaves a name; empty without one."""
    forms = known.forms if at_end else known.leading
    for length in range(min(known.longest, len(words) - 1), 0, -1):
        form = tuple(words[-length:] if at_end else words[:length])
        if form in forms:
            return form
    return ()


@cache
def _vocabulary() -> _Vocabulary:
    given = tomllib.loads(
        (resources.files(__package__) / "companies.toml").read_text(encoding="utf-8")
    )
    forms: dict[tuple[str, ...], str] = {}
    unspaced: dict[str, str] = {}
    for kind, listed in given["forms"].items():
        for form in _listed(listed):
            if any(map(_is_unspaced, form)):
                unspaced[_clean(form)] = kind
            else:
                forms |= {each: forms.get(each, kind) for each in _spellings(form)}
    same = {
        fold_latin(word): name
        for table in (given["same"], given["numbers"])
        for name, words in table.items()
        for word in (*words.split(), name)
    }
    first = _all_spellings(given["leading"])
    trading = "|".join(re.escape(each) for each in given["generic"]["trading_as"])
    return _Vocabulary(
        forms=forms,
        # The short ones are parts of people's names, too, unless a word ends with them.
        unspaced=tuple(
            (re.compile(re.escape(form) + (r"(?!\w)" if len(form) < 3 else "")), kind)
            for form, kind in sorted(unspaced.items(), key=lambda each: -len(each[0]))
        ),
        longest=max(map(len, forms)),
        # In other scripts than Latin, forms stand first as well as last.
        leading=frozenset(
            each for each in forms if each in first or script_of(each[0][0]) != LATIN
        ),
        also_names=_all_spellings(given["also_names"]),
        same=same,
        generic=frozenset(
            same.get(fold_latin(each), fold_latin(each))
            for each in given["generic"]["words"].split()
        ),
        joining=frozenset(filter(None, map(fold_latin, given["generic"]["joining"].split()))),
        trading_as=re.compile(rf"(?<!\w)(?:{trading})(?!\w)"),
    )


def _all_spellings(listed: str) -> frozenset[tuple[str, ...]]:
    return frozenset(each for form in _listed(listed) for each in _spellings(form))


def _spellings(form: str) -> Iterator[tuple[str, ...]]:
    """The words of a form; without accents, too, where that leaves no short word."""
    words = tuple(_words_of(_clean(form)))
    yield words
    if sum(map(len, words)) > _LONGEST_SHORT:
        yield tuple(map(without_accents, words))


def _is_unspaced(letter: str) -> bool:
    """Whether a letter is Thai, Chinese, Japanese or Korean."""
    return "\u0e00" <= letter < "\u0e80" or (letter >= "\u1100" and script_of(letter) != LATIN)


def _listed(text: str) -> Iterator[str]:
    return (each.strip() for each in re.split(r"[|\n]", text) if each.strip())
