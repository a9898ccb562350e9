"""Renders the API reference from the OpenAPI document."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from typing import Any, Final

import msgspec

from gatehouse.api.docs.markup import links
from gatehouse.api.docs.reference import BASE, ReferencePage
from gatehouse.api.docs.search_index import METHODS, operation_anchor
from scripts.client_methods import method_name
from scripts.reference import pieces
from scripts.reference.pieces import Row, block, inline, mark, prose, section, titled
from scripts.reference.sample_values import with_names
from scripts.reference.samples import LANGUAGES, SampleCall, pretty
from scripts.reference.schemas import Field, Json, Schemas, as_code, nested

_KEY: Final = "$GATEHOUSE_API_KEY"
_BEARER: Final = ("Authorization", f"Bearer {_KEY}")
_PHRASES: Final = {str(one.value): one.phrase for one in HTTPStatus}
_CODED: Final = re.compile(r"`([^`]+)`: (.*?)(?=\s*`[^`]+`: |\s*$)", re.DOTALL)
_FIELDS: Final = ("Name", "Type", "Description")
_IDS: Final = frozenset({"eventId", "requestId"})
"""What the paths of another page name."""
_MOST_OPEN: Final = 12
"""Fields of a request that holds no more than these are shown unfolded."""
_SHARED_OPEN: Final = 100
_ALIKE: Final = 3
"""Answers that must have a field alike for it to be described once."""


def render_reference(document: Json, chapters: Mapping[str, str]) -> ReferencePage:
    """The page for an OpenAPI 3.1 document; `chapters` are the addresses of guides, by topic."""
    return _Page(document, chapters).render()


class _Operation:
    """One method of one path, with its references followed."""

    def __init__(self, schemas: Schemas, path: str, method: str, item: Json) -> None:
        self.path, self.method, self.spec = path, method, item[method]
        self.name = self.spec.get("operationId") or f"{method}{path}"
        self.anchor = operation_anchor(self.name)
        self.title = self.spec.get("summary") or self.name
        self.topics = (self.title, *self.spec.get("tags", ()))
        self.badge = f'<span class="method {method}">{method.upper()}</span>'
        listed = [*item.get("parameters", ()), *self.spec.get("parameters", ())]
        resolved = [schemas.resolve(one) for one in listed]
        self.parameters = [*{(one.get("in"), one.get("name")): one for one in resolved}.values()]
        self.body = schemas.resolve(self.spec.get("requestBody"))
        responses: Json = self.spec.get("responses", {})
        self.responses = {status: schemas.resolve(one) for status, one in responses.items()}
        self.good = {key: one for key, one in self.responses.items() if key.startswith("2")}
        self.bad = {key: one for key, one in self.responses.items() if key not in self.good}


class _Page:
    """Writes the parts of the page."""

    def __init__(self, document: Json, chapters: Mapping[str, str]) -> None:
        self._document, self._chapters = document, chapters
        self._schemas = Schemas(document)
        self._schemes: Json = document.get("components", {}).get("securitySchemes", {})
        items = document.get("paths", {}).items()
        found = [(path, method, item) for path, item in items for method in METHODS]
        self._operations = [_Operation(self._schemas, *one) for one in found if one[1] in one[2]]
        parameters = (each for one in self._operations for each in one.parameters)
        names = {each["name"] for each in parameters if each.get("in") == "path"}
        self._path_ids = _IDS | {name for name in names if name.endswith("Id")}
        self._shared = self._shared_fields()

    def render(self) -> ReferencePage:
        info, operations = self._document["info"], self._operations
        title, version = escape(info["title"]), escape(info["version"])
        overview = (
            f'<section id="overview"><h1>{title} API reference</h1>\n<p class="address">'
            f"Version <code>{version}</code> at <code>{BASE}</code></p>\n"
            f"{prose(info.get('description', ''))}</section>\n"
        )
        every = [self._every_answer(), self._errors(), self._headers()]
        parts = [*map(self._operation, operations), *every]
        return ReferencePage(
            title=f"{info['title']} API reference",
            brand=f"{title} <span>{version}</span>",
            menu=self._menu(),
            content="".join([overview, self._authentication(), *parts]),
        )

    def _menu(self) -> str:
        groups = {
            "Start": {"#overview": "Overview", "#authentication": "Authentication"},
            "Operations": {
                f"#{one.anchor}": f"{one.badge} {escape(one.title)}" for one in self._operations
            },
            "Every answer": {
                **({"#answers": "Shared fields"} if self._shared else {}),
                **{"#errors": "Errors", "#headers": "Headers"},
            },
        }
        return "".join(links(*group) for group in groups.items())

    def _authentication(self) -> str:
        about = "".join(prose(one.get("description", "")) for one in self._schemes.values())
        about = about or "<p>Every request carries the API key in a header.</p>\n"
        headers = "".join(f'-H "{name}: {text}" ' for name, text in self._credentials({}).items())
        exports = f"export GATEHOUSE_API_KEY='your key'\nexport GATEHOUSE_URL='{BASE}'"
        example = block("Example", f"{exports}\ncurl {headers}…")
        return section("authentication", "Authentication", about, example)

    def _credentials(self, spec: Json) -> dict[str, str]:
        wanted = spec.get("security", self._document.get("security")) or [{}]
        headers = [self._schemes.get(name, {}).get("name") for name in wanted[0]]
        return dict((one, _KEY) if one else _BEARER for one in headers)

    def _operation(self, one: _Operation) -> str:
        call = self._call(one)
        texts = {language: write(call) for language, write in LANGUAGES.items()}
        examples = [pieces.alternatives(f"sample-{one.anchor}", texts)]
        details = [titled("Parameters", self._table(map(self._parameter, one.parameters)))]
        details.append(titled("Request body", self._table(self._below(one.body))))
        for status, answer in one.good.items():
            fields = self._answer_table(answer)
            about = prose(answer.get("description", ""))
            details.append(titled(f"Answer {status}", about + fields))
            shown = _examples(_media(answer)[1], most=3)
            examples += [block(f"Answer {status}", pretty(each)) for each in shown]
        failures = "".join(_failure(*each) for each in one.bad.items())
        details.append(titled("Other statuses", failures and f"<ul>{failures}</ul>\n"))
        return section(
            one.anchor,
            one.title,
            f'<p class="address">{one.badge} <code>{pieces.breakable(one.path)}</code></p>\n',
            prose(one.spec.get("description", "")),
            self._guide(one),
            f'<div class="columns"><div class="examples">{"".join(examples)}</div>\n',
            f'<div class="details">{"".join(details)}</div></div>\n',
        )

    def _guide(self, one: _Operation) -> str:
        chapters = self._chapters
        for topic in (topic for topic in one.topics if topic in chapters):
            address = escape(chapters[topic])
            return f'<p><a href="{address}">Guide: {escape(topic)}</a></p>\n'
        return ""

    def _call(self, one: _Operation) -> SampleCall:
        given: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
        for each in (each for each in one.parameters if _is_shown(one, each)):
            given[each["in"]][each["name"]] = _placeholder(each)
        kind, media = _media(one.body)
        headers = self._credentials(one.spec) | given["header"]
        return SampleCall(
            name=method_name(one.name, one.path),
            method=one.method,
            base=BASE,
            path=one.path,
            path_values=given["path"],
            query=given["query"],
            headers={**headers, "Content-Type": kind} if kind else headers,
            body=self._example_body(media) if kind else msgspec.UNSET,
        )

    def _example_body(self, media: Json) -> Any:
        body: Any = next(iter(_examples(media)), {})
        if isinstance(body, dict):
            # An id of the example means something to its server alone.
            body = {key: _variable(key) if key in self._path_ids else body[key] for key in body}
        return with_names(body, media.get("schema"), self._schemas)

    def _parameter(self, each: Json) -> Field:
        schema = {**self._schemas.resolve(each.get("schema")), **each}
        note = f"in {each['in']}" if "in" in each else ""
        return Field(each["name"], schema, each.get("required", False), note)

    def _below(self, holder: Json) -> Iterator[Field]:
        return self._schemas.fields(_media(holder)[1].get("schema"))

    def _table(self, fields: Iterable[Field], *, answer: bool = False) -> str:
        """A table of fields; a request's says which are required, an answer's which are not."""
        rows = self._rows([*fields], answer=answer)
        return pieces.table(_FIELDS, rows, 0 if answer else _MOST_OPEN)

    def _shared_fields(self) -> dict[str, list[Field]]:
        """Fields with others below them that many answers have alike: described once, not in each.

        A page with all of them in every operation takes a phone more than a second.
        """
        found: dict[str, list[list[Field]]] = {}
        for answer in (answer for one in self._operations for answer in one.good.values()):
            for field, below in nested([*self._below(answer)]):
                if below:
                    found.setdefault(field.path, []).append([field, *below])
        return {path: all_[0] for path, all_ in found.items() if all_.count(all_[0]) >= _ALIKE}

    def _answer_table(self, answer: Json) -> str:
        rows: list[Row] = []
        for field, below in nested([*self._below(answer)]):
            if self._shared.get(field.path) == [field, *below]:
                [row] = self._rows([field], answer=True)
                link = f'<p><a href="#shared-{field.path}">Its {len(below)} fields</a></p>'
                rows.append(row._replace(about=row.about + link))
            else:
                rows += self._rows([field, *below], answer=True)
        return pieces.table(_FIELDS, rows)

    def _every_answer(self) -> str:
        rows: list[Row] = []
        for path, fields in self._shared.items():
            [row] = self._rows(fields, answer=True)
            rows.append(row._replace(name=f'<span id="shared-{path}">{row.name}</span>'))
        about = "<p>Objects that many answers have alike.</p>\n"
        table = pieces.table(_FIELDS, rows, _SHARED_OPEN)
        return section("answers", "Shared fields", about, table) if rows else ""

    def _rows(self, fields: list[Field], *, answer: bool) -> tuple[Row, ...]:
        rows = []
        for (path, schema, required, note), below in nested(fields):
            word = "" if required is answer else "optional" if answer else "required"
            name = f"<code>{pieces.breakable(path)}</code>{mark(word)}"
            kind = f'<span class="kind">{escape(self._schemas.kind(schema))}</span>{mark(note)}'
            inner = self._rows(below, answer=answer)
            rows.append(Row(name, kind, self._explain(schema), path, inner))
        return tuple(rows)

    def _explain(self, schema: Any) -> str:
        """Description, limits and example of a value."""
        limits = "; ".join(self._schemas.limits(schema))
        parts = [inline(self._schemas.about(schema)), limits[:1].upper() + limits[1:]]
        shown = _examples(self._schemas.resolve(schema))
        parts += [f"Example {as_code(each)}" for each in shown]
        return "".join(f"<p>{part}</p>" for part in parts if part)

    def _errors(self) -> str:
        failures = [each for one in self._operations for each in one.bad.items()]
        found: dict[str, dict[tuple[str, str], None]] = {}
        for status, answer in failures:
            found.setdefault(status, {}).update(dict.fromkeys(_codes(answer)))
        rows = [
            Row(_status(status, anchor=not number), as_code(code) if code else "", inline(about))
            for status, codes in sorted(found.items())
            for number, (code, about) in enumerate(codes)
        ]
        bodies = {str(answer.get("content")): answer for _, answer in failures}.values()
        shapes = (self._table(self._below(answer), answer=True) for answer in bodies)
        shape = "".join(titled("Body of a refusal", table) for table in shapes)
        listed = pieces.table(("Status", "Code", "Meaning"), rows)
        return section("errors", "Errors", listed, shape)

    def _headers(self) -> str:
        answers = [each for one in self._operations for each in one.responses.values()]
        every = [pair for answer in answers for pair in answer.get("headers", {}).items()]
        found = {name: {"name": name, **self._schemas.resolve(one)} for name, one in every}
        table = self._table(map(self._parameter, found.values()))
        return section("headers", "Headers", "<p>What an answer's headers say.</p>\n", table)


def _media(holder: Json) -> tuple[str, Json]:
    return next(iter(holder.get("content", {}).items()), ("", {}))


def _examples(holder: Json, most: int = 1) -> list[Any]:
    """The first examples of a schema, a parameter or a body, if it has any."""
    listed = holder.get("examples", [])
    named = [one.get("value") for one in listed.values()] if isinstance(listed, dict) else listed
    return [*([holder["example"]] if "example" in holder else []), *named][:most]


def _codes(answer: Json) -> list[tuple[str, str]]:
    """The codes of an answer with their meanings, or its description as it is."""
    about = answer.get("description", "")
    return _CODED.findall(about) if _CODED.match(about) else [("", about)]


def _is_shown(one: _Operation, parameter: Json) -> bool:
    """Whether a sample gives a parameter: one that must be there, or that careful callers send."""
    return parameter.get("required") or (one.method, parameter["name"]) == ("put", "If-Match")


def _placeholder(parameter: Json) -> str:
    for example in _examples(parameter) or _examples(parameter.get("schema", {})):
        return str(example)
    return _variable("etag" if parameter["name"] == "If-Match" else parameter["name"])


def _variable(name: str) -> str:
    return "$" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", name).upper()


def _status(status: str, *, anchor: bool) -> str:
    name = f' id="status-{escape(status)}"' if anchor else ""
    return f"<span{name}><b>{escape(status)}</b> {_PHRASES.get(status, '')}</span>"


def _failure(status: str, answer: Json) -> str:
    codes = [as_code(code) if code else inline(about) for code, about in _codes(answer)]
    link = f'<a href="#status-{escape(status)}">{escape(status)}</a>'
    return f"<li>{link} {' '.join(codes)}</li>\n"
