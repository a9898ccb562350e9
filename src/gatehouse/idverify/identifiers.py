"""Compares government identifiers with those on record exactly, apart from punctuation."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from string import ascii_uppercase, digits
from threading import Lock
from typing import Final

from stdnum.exceptions import InvalidChecksum, InvalidComponent, InvalidLength
from stdnum.iso7064 import mod_11_2

from gatehouse.idverify.comparison import DIFFERENT, Comparison, best_of
from gatehouse.idverify.people import Identifier, IdentifierType
from gatehouse.idverify.response import Result

_EXACT: Final = Comparison(Result.MATCH, "exact")
_FOLDED: Final = Comparison(Result.MATCH, "folded")

_NUMBERED: Final = frozenset((IdentifierType.NATIONALIDENTITY, IdentifierType.TAX))
"""The types that number a person by rules of a country; the others number a document."""

_SIGNS: Final = {code: None for code in range(128) if chr(code) not in digits + ascii_uppercase}
_SIGNS_BUT_PLUS: Final = {code: None for code in _SIGNS if chr(code) != "+"}
_KEEP_PLUS: Final = frozenset(("FI", "SE"))
"""Countries where a plus instead of the hyphen means a birth a century earlier."""

_TAX_PREFIXES: Final = {"CH": "CHE", "GR": "EL"}
"""The prefix of a tax number in foreign trade, where it is not the country's code."""

_WIDTHS: Final = {"BE": 10, "BR": 11, "ES": 9, "GR": 9, "IL": 9, "NL": 9}
"""The full length of numbers in countries where leading zeros are often left out."""


def compare_identifiers(kind: IdentifierType, sent: str, held: Sequence[Identifier]) -> Comparison:
    """Compares a sent identifier with those of its type on record; there are no partial matches."""
    return best_of(_compare_values(sent, one) for one in held if one.type == kind)


def has_wrong_checksum(kind: IdentifierType, sent: str, held: Sequence[Identifier]) -> bool:
    """Whether a sent identifier has wrong check digits, whether or not it matches.

    The country of the matching identifier decides; without a match, all countries on record do.
    """
    if kind not in _MODULES:
        return False
    alike = [one for one in held if one.type == kind]
    countries = {one.country for one in alike}
    if len(countries) > 1:
        matched = [one for one in alike if _compare_values(sent, one).result is Result.MATCH]
        countries = {one.country for one in matched or alike}
    verdicts = {_check(kind, sent, country) for country in countries}
    return False in verdicts and True not in verdicts


def load_all_checks() -> None:
    """Check one number of each country, which loads everything the checks need."""
    for kind, countries in _MODULES.items():
        for country in countries:
            _check(kind, "000000000", country)


def _compare_values(sent: str, held: Identifier) -> Comparison:
    country = held.country.upper() if held.country else ""
    ours = _normal(sent, held.type, country)
    if not ours:
        return DIFFERENT
    if sent == held.value:
        return _EXACT
    theirs = _normal(held.value, held.type, country)
    return _FOLDED if _are_same(ours, theirs, held.type, country) else DIFFERENT


def _are_same(ours: str, theirs: str, kind: IdentifierType, country: str) -> bool:
    if ours == theirs:
        return True
    if kind not in _NUMBERED or not theirs:
        return False
    short, long = (ours, theirs) if len(ours) < len(theirs) else (theirs, ours)
    if not long.endswith(short):
        return False
    before = long.removesuffix(short)
    if country == "SE" and len(short) == 10:
        # Forms ask for the number with the century; people write it without.
        return before in ("19", "20")
    return kind is IdentifierType.TAX and before in (country, _TAX_PREFIXES.get(country))


def _normal(value: str, kind: IdentifierType, country: str) -> str:
    """The letters and digits of a value, in ASCII where they have an equivalent."""
    signs = _SIGNS_BUT_PLUS if country in _KEEP_PLUS else _SIGNS
    text = _in_ascii(value).upper().translate(signs)
    if not text.isascii():
        # Letters of other scripts are kept: a Cyrillic А is no Latin A.
        text = "".join(mark for mark in text if mark.isalnum())
    if text and country in _WIDTHS and kind in _NUMBERED:
        return text.zfill(_WIDTHS[country])
    return text


def _in_ascii(value: str) -> str:
    """The value with every script's digits, and all full-width forms, as ASCII."""
    return value if value.isascii() else "".join(map(_plain_mark, value))


def _plain_mark(mark: str) -> str:
    if mark.isdecimal():
        return str(int(mark))
    return chr(ord(mark) - 0xFEE0) if "\uff01" <= mark <= "\uff5e" else mark


# The modules of python-stdnum that check the numbers of a country; one that accepts is enough. A
# question mark says that people there also have numbers that cannot be checked, so a number of
# another shape is unknown rather than wrong.
_NATIONAL: Final = {
    "AR": "dni", "AT": "vnr ?", "BE": "nn bis eid", "BG": "egn pnf", "BR": "cpf ?",
    "CH": "ssn ?", "CL": "rut", "CN": "ric", "CR": "cpf cr", "CU": "ni", "CZ": "rc ?",
    "DK": "cpr", "DO": "cedula", "EC": "ci", "EE": "ik", "ES": "dni nie", "FI": "hetu",
    "FR": "nir ?", "GR": "amka ?", "HR": "oib ?", "IE": "pps", "IL": "idnr",
    "IN": "aadhaar vid epic ?", "IS": "kennitala", "IT": "codicefiscale ?", "JP": "in_",
    "KR": "rrn", "LI": "peid ?", "LT": "asmens", "LV": "pvn", "MU": "nid", "MX": "curp ?",
    "MY": "nric", "NL": "bsn identiteitskaartnummer", "NO": "fodselsnummer", "PE": "cui ?",
    "PK": "cnic", "PL": "pesel ?", "PT": "cc ?", "RO": "cnp", "SE": "personnummer",
    "SI": "emso", "SK": "rc ?", "TH": "pin", "TR": "tckimlik", "US": "ssn", "VE": "rif ?",
    "ZA": "idnr",
}  # fmt: skip
_TAX: Final = {
    "AD": "nrt", "AL": "nipt", "AR": "cuit", "AT": "tin uid", "AU": "tfn abn", "AZ": "voen",
    "BE": "vat nn bis", "BG": "vat egn pnf", "BR": "cpf cnpj", "BY": "unp", "CA": "sin bn",
    "CH": "uid vat ssn", "CL": "rut", "CN": "ric uscc", "CO": "nit", "CR": "cpf cpj cr",
    "CY": "vat", "CZ": "dic rc", "DE": "idnr stnr vat", "DK": "cpr cvr", "DO": "rnc cedula",
    "DZ": "nif", "EC": "ruc ci", "EE": "ik kmkr registrikood", "EG": "tn", "ES": "nif",
    "FI": "hetu veronumero alv ytunnus", "FO": "vn ?", "FR": "nif tva siren siret",
    "GB": "utr vat ?", "GH": "tin ?", "GN": "nifp", "GR": "vat", "GT": "nit", "HR": "oib",
    "HU": "anum ?", "ID": "npwp", "IE": "pps vat", "IL": "idnr hp", "IN": "pan gstin",
    "IS": "kennitala vsk", "IT": "codicefiscale iva", "JP": "in_ cn", "KE": "pin",
    "KR": "rrn brn", "LI": "peid", "LT": "asmens pvm", "LU": "tva ?", "LV": "pvn",
    "MA": "ice ?", "MC": "tva ?", "MD": "idno ?", "ME": "pib ?", "MK": "edb ?", "MT": "vat ?",
    "MX": "rfc curp", "MZ": "nuit", "NL": "bsn btw", "NO": "fodselsnummer orgnr mva",
    "NZ": "ird", "PE": "ruc cui ?", "PK": "cnic ?", "PL": "nip pesel", "PT": "nif",
    "PY": "ruc ?", "RO": "cnp cf cui", "RS": "pib ?", "RU": "inn",
    "SE": "personnummer vat orgnr", "SG": "uen ?", "SI": "ddv", "SK": "dph rc ?",
    "SM": "coe ?", "SN": "ninea ?", "SV": "nit ?", "TH": "pin moa tin", "TN": "mf ?",
    "TR": "vkn tckimlik", "TW": "ubn ?", "UA": "rntrc edrpou",
    "US": "ssn itin ein", "UY": "rut ?", "VE": "rif", "VN": "mst ?",
    "ZA": "tin idnr",
}  # fmt: skip
_MODULES: Final = {IdentifierType.NATIONALIDENTITY: _NATIONAL, IdentifierType.TAX: _TAX}
_IMPORTING: Final = Lock()


def _check(kind: IdentifierType, value: str, country: str | None) -> bool | None:
    if not country:
        return None
    country = country.upper()
    known, others_exist = _checks_for(kind, country)
    verdicts = set()
    for text in _ways_to_write(kind, value, country):
        for check in known:
            verdict = _verdict(check, text)
            if verdict:
                return True
            verdicts.add(verdict)
    if not verdicts or (others_exist and False not in verdicts):
        return None
    return False


def _ways_to_write(kind: IdentifierType, value: str, country: str) -> Iterator[str]:
    """The value without punctuation, which most checks reject, then with it, which some require."""
    plain = _normal(value, kind, country)
    if not plain:
        return
    yield plain
    with_signs = _in_ascii(value).upper().strip()
    if country == "FI" and len(plain) == 10:
        with_signs = f"{plain[:6]}-{plain[6:]}"
    if with_signs != plain:
        yield with_signs


def _verdict(check: Callable[[str], str], text: str) -> bool | None:
    """Whether the check digits fit, or None when the number has another form."""
    try:
        check(text)
    except (InvalidChecksum, InvalidComponent):
        return False
    except Exception:
        # Mostly InvalidFormat, but a hundred modules may raise anything for unexpected text, and
        # that must not fail the request.
        return None
    return True


@cache
def _checks_for(kind: IdentifierType, country: str) -> tuple[list[Callable[[str], str]], bool]:
    """The checks of one type of number in one country, and whether it has numbers without a check.

    They are imported when a country is first seen, and kept: an import takes milliseconds.
    """
    names = _MODULES.get(kind, {}).get(country, "")
    known = [_load(country, name) for name in names.split() if name != "?"]
    return known, names.endswith("?")


def _load(country: str, name: str) -> Callable[[str], str]:
    # The names of two packages are Python keywords, so they end in an underscore.
    package = f"stdnum.{country.lower()}" + ("_" if country in ("IN", "IS") else "")
    # A server that has just started imports all of them in a thread while it answers requests.
    # Modules of a country import each other, so two threads could wait for each other's modules,
    # and Python ends such a wait with an error in one of them.
    with _IMPORTING:
        validate: Callable[[str], str] = import_module(f"{package}.{name}").validate
    return _validate_chinese if (country, name) == ("CN", "ric") else validate


def _validate_chinese(text: str) -> str:
    """Check only the digit and the date; the library's table of places takes 0.2 s to load."""
    if len(text) != 18:
        raise InvalidLength
    import_module("stdnum.cn.ric").get_birth_date(text)
    return mod_11_2.validate(text)
