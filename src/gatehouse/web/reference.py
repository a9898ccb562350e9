"""The API reference: one self-contained HTML page, rendered from the OpenAPI document.

It needs no script and loads nothing; its content policy allows only its own style sheet.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from gatehouse.web.schemas import Field, Json, Schemas, as_code

_CSS: Final = files("gatehouse.web").joinpath("reference.css").read_text("utf-8")
_CSS_HASH: Final = b64encode(sha256(_CSS.encode()).digest()).decode()
CONTENT_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_CSS_HASH}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_METHODS: Final = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_BEARER: Final = "Authorization: Bearer $API_KEY"
_PHRASES: Final = {str(one.value): one.phrase for one in HTTPStatus}
_CODED: Final = re.compile(r"`([^`]+)`: (.*?)(?=\s*`[^`]+`: |\s*$)", re.DOTALL)
_TOKEN: Final = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>(?<![\w.:/-])(?:true|false|null|-?\d[\d.eE+-]*)(?!\w))"
)
_PAGE: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} API reference</title>
<style>{css}</style></head>
<body><a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents"><p class="brand">{title} <span>{version}</span></p>
{links}</nav>
<main id="content"><section id="overview"><h1>{title} API reference</h1>
<p class="address">Version <code>{version}</code> at <code>{base}</code></p>
{about}</section>
{sections}</main></body></html>
"""


def reference_page(document: Json, base_url: str = "http://127.0.0.1:8080") -> str:
    """The page for an OpenAPI 3.1 document; its examples call the server at `base_url`."""
    return _Page(document, base_url.rstrip("/")).render()


class _Operation:
    """One method of one path, with its references followed."""

    def __init__(self, schemas: Schemas, path: str, method: str, item: Json) -> None:
        self.path, self.method, self.spec = path, method, item[method]
        name = self.spec.get("operationId") or f"{method}{path}"
        self.anchor = "op-" + re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
        self.title = self.spec.get("summary") or name
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

    def __init__(self, document: Json, base: str) -> None:
        self._document, self._base, self._schemas = document, base, Schemas(document)
        self._schemes: Json = document.get("components", {}).get("securitySchemes", {})
        items = document.get("paths", {}).items()
        found = [(path, method, item) for path, item in items for method in _METHODS]
        self._operations = [_Operation(self._schemas, *one) for one in found if one[1] in one[2]]

    def render(self) -> str:
        info, operations = self._document["info"], self._operations
        links = {
            "Start": {"overview": "Overview", "authentication": "Authentication"},
            "Operations": {one.anchor: f"{one.badge} {escape(one.title)}" for one in operations},
            "Every answer": {"errors": "Errors", "headers": "Headers"},
        }
        sections = [*map(self._operation, operations), self._errors(), self._headers()]
        return _PAGE.format(
            title=escape(info["title"]),
            version=escape(info["version"]),
            css=_CSS,
            links="".join(_links(*group) for group in links.items()),
            base=escape(self._base),
            about=_prose(info.get("description", "")),
            sections="".join([self._authentication(), *sections]),
        )

    def _authentication(self) -> str:
        about = "".join(_prose(one.get("description", "")) for one in self._schemes.values())
        about = about or "<p>Every request carries the API key in a header.</p>\n"
        headers = "".join(f'-H "{one}" ' for one in self._credentials({}))
        block = _block("Example", f"export API_KEY='your key'\ncurl {headers}…")
        return _section("authentication", "Authentication", about, block)

    def _credentials(self, spec: Json) -> list[str]:
        wanted = spec.get("security", self._document.get("security")) or [{}]
        headers = [self._schemes.get(name, {}).get("name") for name in wanted[0]]
        return [f"{one}: $API_KEY" if one else _BEARER for one in headers]

    def _operation(self, one: _Operation) -> str:
        examples = [_block("Request", self._curl(one))]
        details = [_titled("Parameters", self._table(map(self._parameter, one.parameters)))]
        details.append(_titled("Request body", self._table(self._below(one.body))))
        for status, answer in one.good.items():
            fields = self._table(self._below(answer), answer=True)
            about = _prose(answer.get("description", ""))
            details.append(_titled(f"Answer {status}", about + fields))
            shown = _examples(_media(answer)[1], most=3)
            examples += [_block(f"Answer {status}", _pretty(each)) for each in shown]
        failures = "".join(_failure(*each) for each in one.bad.items())
        details.append(_titled("Other statuses", failures and f"<ul>{failures}</ul>\n"))
        return _section(
            one.anchor,
            one.title,
            f'<p class="address">{one.badge} <code>{_breakable(one.path)}</code></p>\n',
            _prose(one.spec.get("description", "")),
            f'<div class="columns"><div class="examples">{"".join(examples)}</div>\n',
            f'<div class="details">{"".join(details)}</div></div>\n',
        )

    def _curl(self, one: _Operation) -> str:
        address, query, headers = self._base + one.path, [], self._credentials(one.spec)
        for each in (each for each in one.parameters if each.get("required")):
            name, value = each["name"], _placeholder(each)
            address = address.replace(f"{{{name}}}", value) if each["in"] == "path" else address
            query += [f"{name}={value}"] if each["in"] == "query" else []
            headers += [f"{name}: {value}"] if each["in"] == "header" else []
        kind, media = _media(one.body)
        headers += [f"Content-Type: {kind}"] if kind else []
        data = ["-d '" + _pretty(each).replace("'", "'\\''") + "'" for each in _examples(media)]
        data = data or (["-d @request.json"] if kind else [])
        verb = "" if one.method == "get" else f"-X {one.method.upper()} "
        lines = [f'curl {verb}"{address}{"?" if query else ""}{"&".join(query)}"']
        return " \\\n  ".join([*lines, *(f'-H "{each}"' for each in headers), *data])

    def _parameter(self, each: Json) -> Field:
        schema = {**self._schemas.resolve(each.get("schema")), **each}
        note = f"in {each['in']}" if "in" in each else ""
        return Field(each["name"], schema, each.get("required", False), note)

    def _below(self, holder: Json) -> Iterator[Field]:
        return self._schemas.fields(_media(holder)[1].get("schema"))

    def _table(self, fields: Iterable[Field], *, answer: bool = False) -> str:
        """A table of fields; a request's says which are required, an answer's which are not."""
        rows = []
        for path, schema, required, note in fields:
            mark = "" if required is answer else "optional" if answer else "required"
            name = f"<code>{_breakable(path)}</code>{_mark(mark)}"
            kind = f'<span class="kind">{escape(self._schemas.kind(schema))}</span>{_mark(note)}'
            rows.append((name, kind, self._explain(schema)))
        return _rows(("Name", "Type", "Description"), rows)

    def _explain(self, schema: Any) -> str:
        """Description, limits and example of a value."""
        limits = "; ".join(self._schemas.limits(schema))
        parts = [_inline(self._schemas.about(schema)), limits[:1].upper() + limits[1:]]
        shown = _examples(self._schemas.resolve(schema))
        parts += [f"Example {as_code(each)}" for each in shown]
        return "".join(f"<p>{part}</p>" for part in parts if part)

    def _errors(self) -> str:
        failures = [each for one in self._operations for each in one.bad.items()]
        found: dict[str, dict[tuple[str, str], None]] = {}
        for status, answer in failures:
            found.setdefault(status, {}).update(dict.fromkeys(_codes(answer)))
        rows = [
            (_status(status, anchor=not number), as_code(code) if code else "", _inline(about))
            for status, codes in sorted(found.items())
            for number, (code, about) in enumerate(codes)
        ]
        bodies = {str(answer.get("content")): answer for _, answer in failures}.values()
        shapes = (self._table(self._below(answer), answer=True) for answer in bodies)
        shape = "".join(_titled("Body of a refusal", table) for table in shapes)
        return _section("errors", "Errors", _rows(("Status", "Code", "Meaning"), rows), shape)

    def _headers(self) -> str:
        answers = [each for one in self._operations for each in one.responses.values()]
        every = [pair for answer in answers for pair in answer.get("headers", {}).items()]
        found = {name: {"name": name, **self._schemas.resolve(one)} for name, one in every}
        table = self._table(map(self._parameter, found.values()))
        return _section("headers", "Headers", "<p>What an answer's headers say.</p>\n", table)


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


def _placeholder(parameter: Json) -> str:
    for example in _examples(parameter) or _examples(parameter.get("schema", {})):
        return quote(str(example))
    return "$" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", parameter["name"]).upper()


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _inline(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _prose(text: str) -> str:
    parts = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{_inline(part)}</p>\n" for part in parts if part)


def _breakable(path: str) -> str:
    """A path that may wrap after its separators, with what leads to the last name set back."""
    text = re.sub(r"([./])(?=[\w{*])", r"\1<wbr>", escape(path))
    lead, dot, last = text.rpartition(".")
    return f'<span class="lead">{lead}{dot}</span>{last}' if dot else text


def _mark(word: str) -> str:
    kind = "mark required" if word == "required" else "mark"
    return f' <span class="{kind}">{escape(word)}</span>' if word else ""


def _status(status: str, *, anchor: bool) -> str:
    name = f' id="status-{escape(status)}"' if anchor else ""
    return f"<span{name}><b>{escape(status)}</b> {_PHRASES.get(status, '')}</span>"


def _failure(status: str, answer: Json) -> str:
    codes = [as_code(code) if code else _inline(about) for code, about in _codes(answer)]
    link = f'<a href="#status-{escape(status)}">{escape(status)}</a>'
    return f"<li>{link} {' '.join(codes)}</li>\n"


def _block(title: str, text: str) -> str:
    """A block of code with its strings and words coloured."""
    plain = escape(text, quote=False)
    code = _TOKEN.sub(lambda token: f'<span class="{token.lastgroup}">{token[0]}</span>', plain)
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<pre tabindex="0"><code>{code}</code></pre></figure>\n'
    )


def _titled(title: str, content: str) -> str:
    return f"<h3>{escape(title)}</h3>\n{content}" if content else ""


def _section(anchor: str, title: str, *content: str) -> str:
    return (
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">\n'
        f'<h2 id="{anchor}-title">{escape(title)}</h2>\n{"".join(content)}</section>\n'
    )


def _links(group: str, links: dict[str, str]) -> str:
    items = "".join(f'<li><a href="#{anchor}">{text}</a></li>' for anchor, text in links.items())
    return f'<p class="group">{group}</p>\n<ul aria-label="{group}">{items}</ul>\n'


def _rows(heads: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    """A table; its roles keep it one for screen readers when a narrow window stacks the cells."""
    head = "".join(f'<th scope="col" role="columnheader">{text}</th>' for text in heads)
    body = "".join(
        f'<tr role="row"><th scope="row" role="rowheader">{first}</th>'
        f'<td role="cell">{second}</td><td role="cell">{third}</td></tr>\n'
        for first, second, third in rows
    )
    head = f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
    table = f'<table role="table">\n{head}<tbody role="rowgroup">\n{body}</tbody></table>\n'
    return table if rows else ""
