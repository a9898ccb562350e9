"""Reads a search for decisions: what may stand in an address, and who or what was looked for.

People, cards and the like are part of an address only as a sealed token, because addresses are
logged and shared. Amounts in an address have a point, whatever the language of who opens it, and
name their currency. Those that are typed come under names of their own, in the form of the person's
locale, and are turned into the others.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.admin.search.use_cases.sought import Sought, SoughtTokens
from gatehouse.console.forms.forms import FormRefused, Values
from gatehouse.console.refusals import as_sentence
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import parse_day_end, parse_local
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import RequestRefused
from gatehouse.core.money import format_amount, parse_amount
from gatehouse.core.reading.request_reader import RequestReader

SEVERAL: Final = ("operation", "decision", "reason", "rule", "shadowRule", "ring", "tag", "label")
"""Filters of which one value must hold: they come in several fields, or between commas."""
PLAIN: Final = ("currency", "least", "most")
DAYS: Final = {"from": parse_local, "to": parse_day_end}
"""The fields of days, each with what makes a moment of it."""
SOUGHT: Final = "sought"
"""Who or what was looked for, as a token."""
WHERE: Final = "where"
"""Conditions over signals, as addresses hold them."""
LAST_FOUR: Final = "lastFour"
COLUMNS: Final = "columns"
"""What the table shows."""
_AMOUNTS: Final = ("least", "most")
_TYPED: Final[Mapping[str, str]] = {f"typed_{name}": name for name in _AMOUNTS}
"""The amounts as they were typed, by the names of their fields in the form."""
WHO: Final = (
    *("clientReferenceId", "userId", "email", "phone", "cardNumber", "paymentAccountReference"),
    *("cardFingerprint", "ipAddress", "deviceId", "transactionId"),
)
"""What somebody or something is looked for by; sent in a form alone."""
_FIELDS: Final[Mapping[str, str]] = {
    **{name: name for name in SEVERAL},
    **dict.fromkeys(WHO, "value"),
    "amount.currency": "currency",
    "amount.from": "least",
    "amount.to": "most",
    "at": "from",
    "at.from": "from",
    "at.to": "to",
}
"""The fields of the page by the paths of the search; what is not here concerns the whole of it."""
_LONGEST: Final = 200
_LONGEST_WHERE: Final = 4000
_MOST_KEPT: Final = 50
"""Values of one filter; a search takes fewer of them, and says so."""
Kept = dict[str, tuple[str, ...]]
"""Values of filters by name."""
_READER: Final = RequestReader(DecisionSearchRequest)


def kept_filters(given: Values) -> Kept:
    """The filters that a page carries along as they came, without the empty ones."""
    found = {name: _separate(given.get(name, ())) for name in (*SEVERAL, COLUMNS)}
    single = (*PLAIN, LAST_FOUR, *DAYS, *_TYPED)
    found |= {name: _filled(given.get(name, ())[:1]) for name in single}
    found[WHERE] = _filled(dict.fromkeys(given.get(WHERE, ())), _LONGEST_WHERE)
    found[SOUGHT] = given.get(SOUGHT, ())[:1]
    return {name: values for name, values in found.items() if any(values)}


def _separate(given: Iterable[str]) -> tuple[str, ...]:
    """Each value once. No rule, tag or other word has a comma in it."""
    return _filled(dict.fromkeys(part.strip() for each in given for part in each.split(",")))


def _filled(given: Iterable[str], longest: int = _LONGEST) -> tuple[str, ...]:
    filled = (each.strip()[:longest] for each in given if each.strip())
    return tuple(islice(filled, _MOST_KEPT))


def addressed_filters(visit: Visit, given: Values) -> Kept:
    """The filters that stay in addresses; `FormRefused` if a typed amount cannot be read."""
    kept = named_currency(visit, kept_filters(given))
    for typed, name in _TYPED.items():
        if typed in kept:
            [text], [currency] = kept.pop(typed), kept["currency"]
            kept[name] = (format_amount(visit.read_amount(name, text, currency.upper())),)
    return kept


def named_currency(visit: Visit, kept: Kept) -> Kept:
    """The filters with the currency of their amounts: the account's, where none was named."""
    if kept.keys().isdisjoint((*_AMOUNTS, *_TYPED)):
        return kept
    assert visit.account is not None
    return {"currency": (visit.account.currency,), **kept}


def sought_in(visit: Visit, kept: Kept) -> Sought | None:
    """Who or what the filters look for besides; None when nobody, or when it cannot be read."""
    [token] = kept.get(SOUGHT, ("",))
    return SoughtTokens(*visit.opened).opened(token) if token else None


def amounts_to_type(visit: Visit, kept: Kept) -> dict[str, str]:
    """What the fields of amounts show: what was typed, else the amounts of the address."""
    shown = {}
    for typed, name in _TYPED.items():
        [text] = kept.get(typed, kept.get(name, ("",)))
        if typed not in kept and name in kept:
            # An amount that is none is shown as it came, beside what is wrong with it.
            with contextlib.suppress(ValueError):
                text = visit.amount_to_type(parse_amount(text))
        shown[name] = text
    return shown


def read_search(
    visit: Visit, given: Values, sought: Sought | None = None, limit: int = 50
) -> DecisionSearchRequest:
    """The search that the filters make; `FormRefused` says what is wrong with which of them.

    Whom or what to look for is what the filters say, unless it is handed over.
    """
    kept = addressed_filters(visit, given)
    sought = sought or sought_in(visit, kept)
    if sought is None and SOUGHT in kept:
        raise visit.refuse("", "decisions.problems.sought")
    data: dict[str, Any] = {name: kept[name] for name in SEVERAL if name in kept}
    single = {name: values[0] for name, values in kept.items()}
    data |= {"limit": limit} | _amount(visit, single) | _days(visit, single)
    [cursor, *_] = given.get("cursor", ("",))
    if cursor:
        data["cursor"] = cursor
    if sought is not None:
        data[sought.name] = sought.values[0] if len(sought.values) == 1 else sought.values
    try:
        return _READER.read(msgspec.json.encode(data))
    except RequestRefused as refused:
        raise refused_search(visit, {**refused.fields, "": refused.details}) from None


def refused_search(visit: Visit, problems: Mapping[str, Sequence[str]]) -> FormRefused:
    """What to raise when a search cannot be made, of its problems by their paths."""
    found: dict[str, str] = {}
    for path, said in problems.items():
        for each in said:
            # Of several values, the path names the wrong one: rule[1].
            text, field = visit.said(each), _FIELDS.get(path.partition("[")[0], "")
            whole = visit.text("decisions.problems.filters", why=text)
            text = as_sentence(text) if field else whole
            if text not in found.get(field, ""):
                found[field] = f"{found[field]} {text}" if field in found else text
    return FormRefused(found)


def _amount(visit: Visit, kept: Mapping[str, str]) -> dict[str, Any]:
    if "currency" not in kept:
        return {}
    found: dict[str, Any] = {"currency": kept["currency"].upper()}
    for name, end in (("least", "from"), ("most", "to")):
        if name in kept:
            try:
                parse_amount(kept[name])
            except ValueError:
                raise visit.refuse(name, "decisions.problems.amount") from None
            found[end] = float(kept[name])
    return {"amount": found}


def _days(visit: Visit, kept: Mapping[str, str]) -> dict[str, Any]:
    ends = {}
    for name, parse in DAYS.items():
        if name in kept:
            try:
                ends[name] = iso_time(parse(kept[name], visit.formats.zone))
            except (ValueError, OverflowError):
                raise visit.refuse(name, "decisions.problems.day") from None
    return {"at": ends} if ends else {}
