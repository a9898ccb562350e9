"""Reads connectors and routes out of the file that an operator wrote, or says all that is wrong.

A running server never imports this: it runs what was checked when it was applied.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.connectors.definition import RECORDS, BinRange, Configuration, Function, Route
from gatehouse.connectors.kinds import KINDS
from gatehouse.connectors.part_reader import Definition, PartReader
from gatehouse.core.cards.brands import BRAND_NAMES
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.reading import (
    Document,
    DocumentRefused,
    Flaw,
    convert_part,
    load_document,
    suggestion,
    unknown_word,
)
from gatehouse.core.reading.validation import ENTRIES_MANY, join_path
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import is_country

_CONNECTOR_FUNCTION: Final = Phrase("document.connector_function", "is not a function{hint}")
_CONNECTOR_REQUIRED: Final = Phrase("document.connector_required", "{key} is required")
_CONNECTOR_MAPPING: Final = Phrase(
    "document.connector_mapping",
    "must be a mapping: lines of the form `name:` with its options below",
)
_CONNECTOR_KIND_OPTIONS: Final = Phrase(
    "document.connector_kind_options", "must be a mapping with a kind and its options"
)
_CONNECTOR_KIND: Final = Phrase("document.connector_kind", "is not a kind of connectors{hint}")
_CONNECTOR_KIND_REQUIRED: Final = Phrase("document.connector_kind_required", "is required{hint}")
_CONNECTOR_ROUTES: Final = Phrase(
    "document.connector_routes", "must be a list of routes, such as - {{use: [acquirer]}}"
)
_CONNECTOR_TWICE: Final = Phrase("document.connector_twice", "{name} is named twice")
_CONNECTOR_RECORDS: Final = Phrase(
    "document.connector_records",
    "{name} are the imported identities: only routes of idverify use them",
)
_CONNECTOR_NONE: Final = Phrase("document.connector_none", "there is no connector {name}{hint}")
_CONNECTOR_SERVES: Final = Phrase(
    "document.connector_serves", "{name} serves {offered}, not {function}"
)
_CONNECTOR_NAME: Final = Phrase(
    "document.connector_name",
    "must be a name of small letters, digits, - and _, at most 40, beginning with a letter",
)
_CONNECTOR_RECORDS_NAME: Final = Phrase(
    "document.connector_records_name",
    "{name} is the name of the imported identities: choose another one",
)
_CONNECTOR_BRAND: Final = Phrase("document.connector_brand", "is not a brand{hint}")
_CONNECTOR_COUNTRY: Final = Phrase(
    "document.connector_country", "must be a country of two capital letters, such as GB"
)
_CONNECTOR_ACCOUNT: Final = Phrase(
    "document.connector_account", "must be the id of an account, such as acct_…"
)
_CONNECTOR_UNUSED: Final = Phrase("document.connector_unused", "no route uses connector {name}")
_CONNECTOR_UNREACHED: Final = Phrase(
    "document.connector_unreached",
    "routes.{function}: route {index} is never reached, because route {earlier} takes "
    "everything that fits it",
)
_CONNECTOR_UNSERVED: Final = Phrase(
    "document.connector_unserved",
    "routes.{function}: a card that fits no route is not served; end with a route that "
    "has only `use`",
)

MOST_CONNECTORS: Final = 50
MOST_ROUTES: Final = 200
MOST_VALUES: Final = 1000
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}", re.ASCII)
_ACCOUNT: Final = re.compile(r"acct_[A-Za-z0-9]{1,64}", re.ASCII)
_KEYS: Final = ("connectors", "routes")

_Values = Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_VALUES)]


class _WrittenRoute(msgspec.Struct, frozen=True):
    """A route as it is written: what is left out is None, and nothing may be empty."""

    use: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_CONNECTORS)]
    brands: _Values | None = None
    bins: _Values | None = None
    countries: _Values | None = None
    accounts: _Values | None = None


class ReadConfiguration(NamedTuple):
    """What a file says, and what its author should know about it."""

    configuration: Configuration
    warnings: list[str]


def read_configuration(content: bytes, read_file: Callable[[str], bytes]) -> ReadConfiguration:
    """The connectors and routes of a file; `DocumentRefused` with all that is wrong.

    `read_file` gives the content of a file that the configuration names, such as ./mine.yaml.
    """
    document = load_document(content)
    reader = _ConfigurationReader(document, read_file)
    configuration = reader.read(document.data)
    if reader.flaws:
        raise DocumentRefused(reader.flaws)
    return ReadConfiguration(configuration, list(_warnings(configuration)))


class _ConfigurationReader:
    """One pass over a document that notes every flaw and goes on."""

    def __init__(self, document: Document, read_file: Callable[[str], bytes]) -> None:
        self.flaws: list[Flaw] = []
        self._document = document
        self._read_file = read_file
        self._named: set[str] = set()
        """Every name in the file, those of connectors with mistakes included."""

    def read(self, data: Any) -> Configuration:
        """The configuration, which is of use only without flaws."""
        for key in data:
            if key not in _KEYS:
                message = unknown_word(key, _KEYS)
                self.flaws.append(self._document.key_flaw("", key, message))
        connectors = self._connectors(self._mapping(data, "connectors", MOST_CONNECTORS))
        known = [each.value for each in Function]
        routes: dict[Function, tuple[Route, ...]] = {}
        for key, value in self._mapping(data, "routes", len(known)).items():
            if key in known:
                routes[Function(key)] = tuple(self._routes(f"routes.{key}", value, connectors))
            else:
                message = _CONNECTOR_FUNCTION(hint=suggestion(key, known))
                self.flaws.append(self._document.key_flaw("routes", key, message))
        return Configuration(connectors, routes)

    def _flaw(self, path: str, message: str) -> None:
        self.flaws.append(self._document.flaw(path, message))

    def _mapping(self, data: Any, key: str, most: int) -> dict[str, Any]:
        found = data.get(key)
        if key not in data:
            self._flaw("", _CONNECTOR_REQUIRED(key=key))
        elif not isinstance(found, dict) or not found:
            self._flaw(key, _CONNECTOR_MAPPING())
        elif len(found) > most:
            self._flaw(key, ENTRIES_MANY(most=most, count=len(found)))
        else:
            return found
        return {}

    def _connectors(self, given: dict[str, Any]) -> dict[str, Definition]:
        connectors: dict[str, Definition] = {}
        for name, data in given.items():
            problem = _name_problem(name)
            if problem is not None:
                self.flaws.append(self._document.key_flaw("connectors", name, problem))
            self._named.add(name)
            definition = self._connector(join_path("connectors", name), data)
            if definition is not None:
                connectors[name] = definition
        return connectors

    def _connector(self, path: str, data: Any) -> Definition | None:
        if not isinstance(data, dict):
            self._flaw(path, _CONNECTOR_KIND_OPTIONS())
            return None
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            shown = suggestion(kind if isinstance(kind, str) else "", KINDS)
            wrong = (
                _CONNECTOR_KIND(hint=shown)
                if "kind" in data
                else _CONNECTOR_KIND_REQUIRED(hint=shown)
            )
            self._flaw(join_path(path, "kind"), wrong)
            return None
        rest = {key: value for key, value in data.items() if key != "kind"}
        part = PartReader(self._document, path, rest, self._read_file, self.flaws)
        before = len(self.flaws)
        definition = KINDS[kind]().read(part)
        assert definition is not None or len(self.flaws) > before, "a refusal needs a reason"
        return definition

    def _routes(self, path: str, given: Any, connectors: dict[str, Definition]) -> Iterator[Route]:
        if not isinstance(given, list) or not given:
            self._flaw(path, _CONNECTOR_ROUTES())
            return
        if len(given) > MOST_ROUTES:
            self._flaw(path, ENTRIES_MANY(most=MOST_ROUTES, count=len(given)))
            return
        function = Function(path.partition(".")[2])
        for index, data in enumerate(given):
            place = f"{path}[{index}]"
            written, flaws = convert_part(self._document, place, data, _WrittenRoute)
            self.flaws += flaws
            if written is not None:
                self._check_route(place, written, function, connectors)
                lists = {name: getattr(written, name) or () for name in Route.__struct_fields__}
                yield Route(**lists)

    def _check_route(
        self,
        path: str,
        route: _WrittenRoute,
        function: Function,
        connectors: dict[str, Definition],
    ) -> None:
        for key in Route.__struct_fields__:
            values: Sequence[str] = getattr(route, key) or ()
            for index, value in enumerate(values):
                if value in values[:index]:
                    self._flaw(f"{path}.{key}[{index}]", _CONNECTOR_TWICE(name=recordable(value)))
                    continue
                problem = (
                    self._use_problem(value, function, connectors)
                    if key == "use"
                    else _CHECKS[key](value)
                )
                if problem is not None:
                    self._flaw(f"{path}.{key}[{index}]", problem)

    def _use_problem(
        self, name: str, function: Function, connectors: dict[str, Definition]
    ) -> str | None:
        if name == RECORDS:
            if function is not Function.IDVERIFY:
                return _CONNECTOR_RECORDS(name=RECORDS)
            return None
        if name not in self._named:
            return _CONNECTOR_NONE(
                name=recordable(name), hint=suggestion(name, sorted(self._named))
            )
        definition = connectors.get(name)
        if definition is not None and function.value not in definition.functions():
            offered = " and ".join(definition.functions()) or "nothing"
            return _CONNECTOR_SERVES(name=name, offered=offered, function=function.value)
        return None


def _name_problem(name: str) -> str | None:
    if _NAME.fullmatch(name) is None:
        return _CONNECTOR_NAME()
    if name == RECORDS:
        return _CONNECTOR_RECORDS_NAME(name=RECORDS)
    return None


def _brand_problem(value: str) -> str | None:
    return None if value in BRAND_NAMES else _CONNECTOR_BRAND(hint=suggestion(value, BRAND_NAMES))


def _bin_problem(value: str) -> str | None:
    try:
        BinRange.parse(value)
    except ValueError as error:
        return str(error)
    return None


def _country_problem(value: str) -> str | None:
    return None if is_country(value) else _CONNECTOR_COUNTRY()


def _account_problem(value: str) -> str | None:
    return None if _ACCOUNT.fullmatch(value) else _CONNECTOR_ACCOUNT()


_CHECKS: Final[dict[str, Callable[[str], str | None]]] = {
    "brands": _brand_problem,
    "bins": _bin_problem,
    "countries": _country_problem,
    "accounts": _account_problem,
}


def _warnings(configuration: Configuration) -> Iterator[str]:
    """What an author should know."""
    for name, definition in configuration.connectors.items():
        if not configuration.used_by(name) and not definition.shows_pages():
            yield _CONNECTOR_UNUSED(name=name)
    for function, routes in configuration.routes.items():
        for index, route in enumerate(routes):
            for earlier in range(index):
                if _covers(routes[earlier], route):
                    yield (
                        _CONNECTOR_UNREACHED(
                            function=function.value, index=index + 1, earlier=earlier + 1
                        )
                    )
                    break
        if not any(_covers(route, Route(())) for route in routes):
            yield (_CONNECTOR_UNSERVED(function=function.value))


def _covers(earlier: Route, later: Route) -> bool:
    """Whether everything that fits the later route fits the earlier one."""
    for key in ("brands", "countries", "accounts"):
        wanted, taken = getattr(later, key), getattr(earlier, key)
        if taken and (not wanted or not set(wanted) <= set(taken)):
            return False
    if not earlier.bins:
        return True
    taken_bins = [BinRange.parse(each) for each in earlier.bins]
    return bool(later.bins) and all(
        any(low <= each.low and each.high <= high for low, high in taken_bins)
        for each in map(BinRange.parse, later.bins)
    )
