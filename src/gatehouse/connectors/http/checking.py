"""Checks the parts of a mapping: names of fields, formats, paths, tables and words of ours."""

import re
from collections.abc import Iterator
from collections.abc import Mapping as Lookup
from typing import Final

from gatehouse.connectors.http.answers import FAIL, KEEP, OTHER, SKIP, WordKind
from gatehouse.connectors.http.fields import FIELDS, OF_SIGNING
from gatehouse.connectors.http.json_paths import PathRefused, parse_path
from gatehouse.connectors.http.mapping import MappedFunction, Mapping
from gatehouse.connectors.http.reader import Reader, Reading
from gatehouse.connectors.http.templates import (
    FormatUse,
    Hole,
    Parts,
    TemplateRefused,
    holes,
    parse_formats,
    parse_template,
)
from gatehouse.core.cards.brands import BRAND_NAMES
from gatehouse.core.documents.reading import Document, Flaw, suggestion

_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*")
RESERVED_HEADERS: Final = frozenset(
    ("connection", "content-length", "cookie", "host", "keep-alive", "te", "trailer")
) | {"transfer-encoding", "upgrade", "proxy-authorization", "expect"}


class Place:
    """Where a template stands: which fields it can use, and whether others see it."""

    BODY: Final = "body"
    HEADER: Final = "header"
    URL: Final = "URL"
    SETUP: Final = "setup"
    """Where no request is known: options and secrets only."""
    SIGNED: Final = "signed"


class MappingChecker:
    """Checks the parts of one file, and collects what is wrong with it."""

    def __init__(self, document: Document, mapping: Mapping) -> None:
        self.flaws: list[Flaw] = []
        self._document = document
        self._mapping = mapping
        self.encrypts = mapping.encryption is not None
        self.used: set[str] = set()
        """Options, secrets and tables that something names."""

    def flaw(self, path: str, message: str) -> None:
        """Note what is wrong with the value of a path."""
        self.flaws.append(self._document.flaw(path, message))

    def template(self, path: str, text: str, place: str, function: MappedFunction | None) -> None:
        """A text with fields."""
        try:
            parts = parse_template(text)
        except TemplateRefused as refused:
            self._inside(path, refused.column, str(refused))
            return
        self._plain_parts(path, parts, place)
        for hole in holes(parts):
            problem = self._field_problem(hole.field, place, function)
            if problem is not None:
                self._inside(path, hole.column, problem)
            for use in hole.formats:
                problem = self._use_problem(hole, use)
                if problem is not None:
                    self._inside(path, hole.column, problem)

    def _plain_parts(self, path: str, parts: Parts, place: str) -> None:
        if place not in (Place.HEADER, Place.URL):
            return
        allowed = re.compile(r"[!-~]*") if place == Place.URL else _PRINTABLE
        for part in parts:
            if isinstance(part, str) and allowed.fullmatch(part) is None:
                self.flaw(path, f"may hold only plain ASCII characters, because it is a {place}")

    def _field_problem(self, name: str, place: str, function: MappedFunction | None) -> str | None:
        kind, _, rest = name.partition(".")
        if kind in ("option", "secret"):
            return self._own_problem(kind, rest, place)
        if place == Place.SIGNED and name in OF_SIGNING:
            return None
        field = FIELDS.get(name)
        if field is None:
            return f"{name} is not a field{suggestion(name, self._names(place, function))}"
        if function is None and field.functions != frozenset(MappedFunction):
            return f"{name} cannot be used here: there may be no request"
        if function is not None and function not in field.functions:
            return f"{name} is not known to {function}"
        if place == Place.SETUP:
            return f"{name} cannot be used here; use an option or a secret"
        if field.is_private and place != Place.BODY:
            return f"{name} may go into a body only: URLs and headers end up in logs"
        return None

    def _names(self, place: str, function: MappedFunction | None) -> list[str]:
        known = [
            name
            for name, field in FIELDS.items()
            if function is None or function in field.functions
        ]
        known += [f"option.{name}" for name in self._mapping.options]
        known += [f"secret.{name}" for name in self._mapping.secrets]
        return known + (list(OF_SIGNING) if place == Place.SIGNED else [])

    def _own_problem(self, kind: str, name: str, place: str) -> str | None:
        declared: Lookup[str, object] = (
            self._mapping.options if kind == "option" else self._mapping.secrets
        )
        self.used.add(f"{kind}.{name}")
        if name not in declared:
            return f"{kind}.{name} is not declared; add it to {kind}s{suggestion(name, declared)}"
        if kind == "secret" and place == Place.URL:
            return "a secret may not go into a URL, which ends up in logs"
        return None

    def _need_problem(self, name: str) -> str | None:
        """An option or a secret that must be given decides nothing."""
        kind, _, rest = name.partition(".")
        if kind == "option":
            option = self._mapping.options[rest]
            may_lack = option.default is None and not option.required
        else:
            secret = self._mapping.secrets[rest]
            may_lack = not isinstance(secret, str) and not secret.required
        return None if may_lack else f"{name} is always there, so it decides nothing"

    def _use_problem(self, hole: Hole, use: FormatUse) -> str | None:
        if use.name == "time" and (hole.field != "now" or use is not hole.formats[0]):
            return "the format time is for {now} alone, and comes first"
        return self._format_table_problem(use)

    def _format_table_problem(self, use: FormatUse) -> str | None:
        if use.name != "table":
            return None
        name = use.argument or ""
        self.used.add(f"tables.{name}")
        if name in self._mapping.tables:
            return None
        return f"there is no table {name}{suggestion(name, self._mapping.tables)}"

    def fields(self, path: str, written: str | tuple[str, ...], function: MappedFunction) -> None:
        """Names of fields, options and secrets that `when` demands."""
        for name in (written,) if isinstance(written, str) else written:
            kind, _, rest = name.partition(".")
            if kind in ("option", "secret"):
                problem = self._own_problem(kind, rest, Place.BODY) or self._need_problem(name)
                if problem is not None:
                    self.flaw(path, problem)
                continue
            field = FIELDS.get(name)
            if field is None or function not in field.functions:
                known = self._names(Place.BODY, function)
                self.flaw(path, f"{name} is not a field of {function}{suggestion(name, known)}")
            elif field.is_sure:
                self.flaw(path, f"{name} is always there, so it decides nothing")

    def brands(self, path: str, written: str | tuple[str, ...], function: MappedFunction) -> None:
        """Brands of cards that a way to ask is for."""
        names = (written,) if isinstance(written, str) else written
        if names and function not in FIELDS["card.brand"].functions:
            self.flaw(path, f"{function} knows no card")
        for name in names:
            if name not in BRAND_NAMES:
                self.flaw(path, f"{name} is not a brand{suggestion(name, BRAND_NAMES)}")

    def header(self, path: str, name: str, text: str, function: MappedFunction | None) -> None:
        """A header of a request."""
        written = self._mapping.authentication
        proves = written is not None and (written.basic or written.bearer or written.oauth2)
        if name.lower() in RESERVED_HEADERS:
            self.flaw(path, "is written by the client itself; leave it out")
        elif name.lower() == "authorization" and proves:
            self.flaw(path, "is written by what authentication says; leave one of the two out")
        self.template(path, text, Place.HEADER, function)

    def reading(self, path: str, reading: Reading | None, kind: WordKind) -> None:
        """How one value of an answer is read."""
        if isinstance(reading, tuple):
            for index, each in enumerate(reading):
                self._reader(f"{path}[{index}]", each, kind)
        elif reading is not None:
            self._reader(path, reading, kind)

    def _reader(self, path: str, reader: str | Reader, kind: WordKind) -> None:
        if isinstance(reader, str):
            self.json_path(path, reader)
            return
        if isinstance(reader.path, str):
            self.json_path(f"{path}.path", reader.path)
        else:
            for index, each in enumerate(reader.path):
                self.json_path(f"{path}.path[{index}]", each)
        if reader.format is not None:
            self._formats(f"{path}.format", reader.format)
        if reader.table is not None:
            self._table(f"{path}.table", reader.table, kind)
        for brand, table in reader.brands.items():
            if brand not in BRAND_NAMES:
                message = f"is not a brand{suggestion(brand, BRAND_NAMES)}"
                self.flaws.append(self._document.key_flaw(f"{path}.brands", brand, message))
            self._table(f"{path}.brands.{brand}", table, kind)
        for name, word in (("value", reader.value), ("missing", reader.missing)):
            if word is not None:
                self._word(f"{path}.{name}", word, kind)
        if reader.unknown is not None and reader.unknown not in (KEEP, SKIP, FAIL):
            self._word(f"{path}.unknown", reader.unknown, kind)

    def json_path(self, path: str, text: str) -> None:
        """A path into an answer."""
        try:
            parse_path(text)
        except PathRefused as refused:
            self._inside(path, refused.column, str(refused))

    def _formats(self, path: str, text: str) -> None:
        try:
            uses = parse_formats(text)
        except TemplateRefused as refused:
            self._inside(path, refused.column, str(refused))
            return
        for use in uses:
            problem = self._format_table_problem(use)
            if use.name == "time":
                problem = "the format time is for {now} alone"
            if problem is not None:
                self.flaw(path, problem)

    def _table(self, path: str, table: str | dict[str, str], kind: WordKind) -> None:
        if not isinstance(table, str):
            for key, word in table.items():
                self._word(f"{path}.{key}", word, kind)
            return
        self.used.add(f"tables.{table}")
        found = self._mapping.tables.get(table)
        if found is None:
            self.flaw(path, f"there is no table {table}{suggestion(table, self._mapping.tables)}")
            return
        for key, word in found.items():
            if not kind.accepts(word):
                name = OTHER if key == OTHER else key
                self._word(f"tables.{table}.{name}", word, kind)

    def _word(self, path: str, word: str, kind: WordKind) -> None:
        if not kind.accepts(word):
            self.flaw(path, f"must be {kind.description}")

    def _inside(self, path: str, column: int, message: str) -> None:
        self.flaws.append(self._document.flaw_inside(path, 1, column, message))

    def unused(self) -> Iterator[Flaw]:
        """What is declared and never named."""
        declared = (
            ("options", "option.", self._mapping.options),
            ("secrets", "secret.", self._mapping.secrets),
            ("tables", "tables.", self._mapping.tables),
        )
        for section, prefix, names in declared:
            for name in names:
                if f"{prefix}{name}" not in self.used:
                    message = "is never used; remove it, or use it"
                    yield self._document.key_flaw(section, name, message)
