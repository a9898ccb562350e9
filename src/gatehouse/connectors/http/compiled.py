"""A mapping made quick: functions that make requests and read answers, built once."""

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec

from gatehouse.connectors.http.answers import Read, WordKind, compile_reading
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.bodies import Build, compile_body, compile_when, when_fields
from gatehouse.connectors.http.json_paths import UnexpectedShape, compile_path
from gatehouse.connectors.http.mapping import (
    AnswerCondition,
    BodyEncoding,
    ErrorClass,
    ErrorRule,
    Errors,
    RequestMapping,
    Requests,
)
from gatehouse.connectors.http.signing import header_value, sendable
from gatehouse.connectors.http.templates import (
    Environment,
    Hole,
    Render,
    compile_template,
    parse_template,
)
from gatehouse.connectors.http.wire import Header, PartyRequest
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.ids import id_time_ms, is_id
from gatehouse.core.wording.sentences import Phrase

_NO_OPTION: Final = Phrase("connector.no_option", "an option that a path needs is not given")

_JSON: Final[Header] = (b"content-type", b"application/json")
_FORM: Final[Header] = (b"content-type", b"application/x-www-form-urlencoded")
_ENCODE: Final = msgspec.json.Encoder().encode
PAYMENT_LINK: Final = "{payment.link}"
"""The path of a request that goes where the party's answer said."""

Make = Callable[[Asked], PartyRequest]


class Refusal(msgspec.Struct, frozen=True):
    """An answer that a rule for errors fits."""

    then: ErrorClass
    say: str = ""
    response_code: str | None = None


Classify = Callable[[int, Any, str | None], Refusal | None]
"""Takes the status, the decoded answer and the card's brand."""


class SharedParts(msgspec.Struct, frozen=True):
    """What all requests of a connector have."""

    prefix: str = ""
    """The beginning of every path."""
    headers: dict[str, str] = {}
    """Templates; a request can have others in their place."""
    fixed: tuple[Header, ...] = ()
    seal: Callable[[bytes], bytes] | None = None
    """Encrypts a body."""


def compile_requests(written: Requests, environment: Environment, shared: SharedParts) -> Make:
    """A function that makes a request: the first way whose fields are there."""
    ways = written if isinstance(written, tuple) else (written,)
    made = [
        (wanted, when_fields(way.brands), _compile_request(way, environment, shared))
        for way in ways
        if (wanted := compile_when(way.when, environment)) is not None
    ]
    if len(made) == 1 and made[0][:2] == ([], ()):
        return made[0][2]

    def make(asked: Asked) -> PartyRequest:
        for wanted, brands, way in made:
            if brands and asked.brand not in brands:
                continue
            if all(get(asked) is not None for get in wanted):
                return way(asked)
        message = "the mapping has no request for these fields"
        raise ConnectorFailed(message, sent=False, answered=True)

    return make


def _compile_request(way: RequestMapping, environment: Environment, shared: SharedParts) -> Make:
    method = way.method.value.encode()
    target = _compile_target(way.path, environment, shared.prefix)
    fixed, made = _compile_headers(_merged(shared.headers, way.headers), environment)
    replaced = {name for name, _ in (*fixed, *made)}
    always = [header for header in shared.fixed if header[0] not in replaced] + fixed
    seal = shared.seal
    build: Build | None = None
    if way.body is not None:
        build = compile_body(way.body, environment)
        if b"content-type" not in replaced:
            always.append(_JSON if way.encoding is BodyEncoding.JSON else _FORM)
    encode = _ENCODE if way.encoding is BodyEncoding.JSON else form_body

    def make(asked: Asked) -> PartyRequest:
        headers = always.copy()
        for name, render in made:
            value = render(asked)
            if value is not None:
                headers.append((name, sendable(str(value))))
        if way.after_s:
            _refuse_too_early(asked, way.after_s)
        body = b"" if build is None else encode(build(asked))
        if seal is not None and body:
            body = seal(body)
        return PartyRequest(method, target(asked), headers, body)

    return make


def form_body(body: Any) -> bytes:
    """A body as a form, with the names of nested members in brackets."""
    return urlencode(list(_form_pairs("", body))).encode()


def _form_pairs(name: str, node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _form_pairs(f"{name}[{key}]" if name else key, value)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _form_pairs(f"{name}[{index}]", value)
    elif isinstance(node, bool):
        yield name, "true" if node else "false"
    elif node is not None:
        yield name, str(node)


def _refuse_too_early(asked: Asked, after_s: int) -> None:
    """The id of a request tells when it was made; the reversal worker asks again later."""
    about = asked.request_id
    if is_id(about, "req") and asked.now.timestamp() < id_time_ms(about) / 1000 + after_s:
        message = f"a payment is reversed in this way {after_s} s after its request"
        raise ConnectorFailed(message, sent=False, answered=True)


def _merged(common: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """All headers by their names in small letters."""
    return {name.lower(): text for name, text in (*common.items(), *own.items())}


def _compile_headers(
    written: dict[str, str], environment: Environment
) -> tuple[list[Header], list[tuple[bytes, Render]]]:
    """The headers that are always the same, and those that the request decides."""
    fixed: list[Header] = []
    made: list[tuple[bytes, Render]] = []
    for name, text in written.items():
        compiled = compile_template(parse_template(text), environment)
        if callable(compiled):
            made.append((name.encode(), compiled))
        elif compiled is not None:
            fixed.append((name.encode(), header_value(str(compiled))))
    return fixed, made


def _compile_target(path: str, environment: Environment, prefix: str) -> Callable[[Asked], bytes]:
    if path == PAYMENT_LINK:
        return _follow_link
    parts = [
        (compile_template((part,), environment), isinstance(part, Hole))
        for part in parse_template(path)
    ]

    def make(asked: Asked) -> bytes:
        texts = [prefix]
        for part, is_hole in parts:
            value = part(asked) if callable(part) else part
            if value is None:
                message = "a field that the path needs is absent"
                raise ConnectorFailed(message, sent=False, answered=True)
            texts.append(quote(str(value), safe="") if is_hole else str(value))
        return "".join(texts).encode()

    if any(part is None for part, _ in parts):
        raise SettingsError(_NO_OPTION())
    if any(callable(part) for part, _ in parts):
        return make
    target = make(Asked())
    return lambda _asked: target


def _follow_link(asked: Asked) -> bytes:
    """The path that the party's own answer named; it was read of an answer of the same host."""
    if asked.payment_link is None:
        raise ConnectorFailed("the payment has no link", sent=False, answered=True)
    return asked.payment_link.encode()


def compile_errors(rules: Errors, kind: WordKind, environment: Environment) -> Classify:
    """A function that finds the first rule that fits an answer; None: it is read as an answer."""
    compiled = [
        (
            _compile_status(rule),
            _compile_condition(rule.where),
            rule,
            _code(rule, kind, environment),
        )
        for rule in rules
    ]

    def classify(status: int, answer: Any, brand: str | None) -> Refusal | None:
        for fits_status, holds, rule, read in compiled:
            if fits_status(status) and holds(answer):
                code = None if read is None else read(answer, brand)
                return Refusal(rule.then, rule.say, code)
        return None if 200 <= status < 300 else _usual(status)

    return classify


def _usual(status: int) -> Refusal:
    if status in (408, 425, 429) or status >= 500:
        return Refusal(ErrorClass.RETRY)
    if 300 <= status < 400:
        return Refusal(ErrorClass.MISTAKE, "it sends us elsewhere, which is not followed")
    return Refusal(ErrorClass.MISTAKE)


def _code(rule: ErrorRule, kind: WordKind, environment: Environment) -> Read | None:
    if rule.response_code is None:
        return None
    return compile_reading(rule.response_code, kind, environment.tables)


def _compile_status(rule: ErrorRule) -> Callable[[int], bool]:
    written = (rule.status,) if isinstance(rule.status, str) else rule.status
    if not written:
        return lambda _status: True
    fitting: set[int] = set()
    for each in written:
        low, _, high = each.replace("xx", "00").partition("-")
        last = int(low) + 99 if each.endswith("xx") else int(high or low)
        fitting.update(range(int(low), last + 1))
    return fitting.__contains__


def _compile_condition(condition: AnswerCondition | None) -> Callable[[Any], bool]:
    if condition is None:
        return lambda _answer: True
    find = compile_path(condition.path)
    equals = condition.equals
    words = frozenset((equals,) if isinstance(equals, str) else equals)

    def holds(answer: Any) -> bool:
        try:
            word = find(answer)
        except UnexpectedShape:
            return not words
        return word is not None and (not words or word in words)

    return holds
