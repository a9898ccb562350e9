"""Reads a mapping file, or says all that is wrong with it and where.

A running server never imports this: it runs what was checked when it was applied.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from gatehouse.connectors.http.answers import WordKind
from gatehouse.connectors.http.bodies import WHEN, texts_of
from gatehouse.connectors.http.checking import MappingChecker, Place
from gatehouse.connectors.http.compiled import PAYMENT_LINK
from gatehouse.connectors.http.mapping import (
    AuthorizeMapping,
    BodyEncoding,
    ChargeMapping,
    CheckMapping,
    ErrorClass,
    Errors,
    HealthMapping,
    HolderMapping,
    IdentityMapping,
    MappedFunction,
    Mapping,
    OperationMapping,
    PageMapping,
    PageStatusMapping,
    RequestMapping,
    Requests,
    ReverseMapping,
)
from gatehouse.connectors.http.notification_mapping import NotificationMapping
from gatehouse.connectors.http.notifications import SIGNED_PARTS, readings_of
from gatehouse.core.documents.reading import (
    Document,
    DocumentRefused,
    Flaw,
    convert_part,
    load_document,
)

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?")
_NUMBER_LIKE: Final = re.compile(r"[-+]?[0-9][0-9.]*")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}

AnyFunction = (
    CheckMapping
    | IdentityMapping
    | AuthorizeMapping
    | ReverseMapping
    | OperationMapping
    | PageMapping
    | PageStatusMapping
    | ChargeMapping
    | HealthMapping
)


def read_mapping(content: bytes) -> Mapping:
    """A mapping from its file; `DocumentRefused` with all that is wrong."""
    document = load_document(content)
    mapping, flaws = convert_part(document, "", document.data, Mapping)
    if mapping is None:
        raise DocumentRefused(flaws)
    mapping, flaws = _with_constants(document, mapping)
    flaws += _check(document, mapping)
    if flaws:
        raise DocumentRefused(flaws)
    return mapping


def _with_constants(document: Document, mapping: Mapping) -> tuple[Mapping, list[Flaw]]:
    """The mapping with JSON's own types in its bodies: texts in quotes stay texts."""
    flaws: list[Flaw] = []
    changed: dict[str, Any] = {}
    for function in MappedFunction:
        part = getattr(mapping, function.value)
        if part is None:
            continue
        path = f"{function.value}.request"
        if isinstance(part.request, tuple):
            request: Any = tuple(
                msgspec.structs.replace(
                    way, body=_typed(document, f"{path}[{index}].body", way.body, flaws)
                )
                for index, way in enumerate(part.request)
            )
        else:
            body = _typed(document, f"{path}.body", part.request.body, flaws)
            request = msgspec.structs.replace(part.request, body=body)
        changed[function.value] = msgspec.structs.replace(part, request=request)
    return msgspec.structs.replace(mapping, **changed), flaws


def _typed(document: Document, path: str, node: Any, flaws: list[Flaw]) -> Any:
    if isinstance(node, dict):
        return {
            key: value if key == WHEN else _typed(document, f"{path}.{key}", value, flaws)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [
            _typed(document, f"{path}[{index}]", item, flaws) for index, item in enumerate(node)
        ]
    scalar = document.scalars.get(path)
    if not isinstance(node, str) or scalar is None or scalar.style:
        return node
    if node in _CONSTANTS:
        return _CONSTANTS[node]
    if _NUMBER.fullmatch(node) is not None:
        return float(node) if "." in node else int(node)
    if _NUMBER_LIKE.fullmatch(node) is not None:
        flaws.append(document.flaw(path, f"write '{node}' in quotes for a text"))
    return node


def _check(document: Document, mapping: Mapping) -> list[Flaw]:
    checker = MappingChecker(document, mapping)
    _check_setup(checker, mapping)
    if mapping.precheck is not None:
        _check_precheck(checker, mapping.precheck)
    if mapping.idverify is not None:
        _check_asking(checker, mapping.idverify, MappedFunction.IDVERIFY)
        _check_holder(checker, "idverify.answer.holder", mapping.idverify.answer.holder)
    if mapping.authorize is not None:
        _check_authorize(checker, mapping.authorize)
    if mapping.reverse is not None:
        _check_asking(checker, mapping.reverse, MappedFunction.REVERSE)
        if mapping.reverse.answer is not None:
            reading = mapping.reverse.answer.reversed
            checker.reading("reverse.answer.reversed", reading, WordKind.FLAG)
    _check_pages(checker, mapping)
    for function in (MappedFunction.CAPTURE, MappedFunction.REFUND, MappedFunction.CHARGE):
        operation = getattr(mapping, function.value)
        if operation is not None:
            _check_operation(checker, operation, function)
    if mapping.health is not None:
        _check_asking(checker, mapping.health, MappedFunction.HEALTH)
    if mapping.notifications is not None:
        _check_notifications(checker, mapping, mapping.notifications)
    return [*checker.flaws, *checker.unused()]


def _check_setup(checker: MappingChecker, mapping: Mapping) -> None:
    payments = (mapping.authorize, mapping.reverse, mapping.page)
    if all(part is None for part in (mapping.precheck, mapping.idverify, *payments)):
        checker.flaw("", "needs precheck, idverify, page, or authorize and reverse")
    if (mapping.authorize is None) != (mapping.reverse is None):
        there = "reverse" if mapping.authorize is None else "authorize"
        message = "authorize and reverse come together: what is not answered must be taken back"
        checker.flaw(there, message)
    for name in ("capture", "refund"):
        if mapping.authorize is None and getattr(mapping, name) is not None:
            checker.flaw(name, "needs authorize: only what was authorized here is found again")
    for name, text in mapping.headers.items():
        checker.header(f"headers.{name}", name, text, None)
    oauth = None if mapping.authentication is None else mapping.authentication.oauth2
    if oauth is not None and not oauth.token_url.startswith(("/", "https://", "{option.")):
        message = "must be a path that begins with /, or a URL that begins with https://"
        checker.flaw("authentication.oauth2.token_url", message)
    for path, text in _setup_texts(mapping):
        checker.template(path, text, Place.SETUP, None)
    hmac = None if mapping.authentication is None else mapping.authentication.hmac
    if hmac is not None:
        checker.template("authentication.hmac.sign", hmac.sign, Place.SIGNED, None)
        if "{signature" in hmac.sign:
            checker.flaw("authentication.hmac.sign", "cannot hold the signature of itself")
        for name, text in hmac.headers.items():
            checker.template(f"authentication.hmac.headers.{name}", text, Place.SIGNED, None)


def _check_pages(checker: MappingChecker, mapping: Mapping) -> None:
    page, status = mapping.page, mapping.page_status
    if (page is None) != (status is None):
        there = "page_status" if page is None else "page"
        checker.flaw(there, "page and page_status come together: its end must be learned")
    if page is not None:
        _check_asking(checker, page, MappedFunction.PAGE)
        checker.reading("page.answer.url", page.answer.url, WordKind.PAGE_URL)
        checker.reading("page.answer.id", page.answer.id, WordKind.ID)
    if status is not None:
        _check_asking(checker, status, MappedFunction.PAGE_STATUS)
        path, answer = "page_status.answer", status.answer
        checker.reading(f"{path}.status", answer.status, WordKind.PAGE)
        checker.reading(f"{path}.amount", answer.amount, WordKind.MINOR)
        checker.reading(f"{path}.currency", answer.currency, WordKind.CURRENCY)
        checker.reading(f"{path}.stored_card", answer.stored_card, WordKind.ID)
    if mapping.charge is not None and (status is None or status.answer.stored_card is None):
        checker.flaw("charge", "needs page_status.answer.stored_card: the card that is charged")


def _check_operation(
    checker: MappingChecker, part: OperationMapping | ChargeMapping, function: MappedFunction
) -> None:
    _check_asking(checker, part, function)
    path, answer = f"{function.value}.answer", part.answer
    checker.reading(f"{path}.result", answer.result, WordKind.OPERATION)
    checker.reading(f"{path}.response_code", answer.response_code, WordKind.GATEWAY_CODE)
    checker.reading(f"{path}.id", answer.id, WordKind.ID)
    checker.reading(f"{path}.amount", answer.amount, WordKind.MINOR)
    checker.reading(f"{path}.currency", answer.currency, WordKind.CURRENCY)


def _check_notifications(
    checker: MappingChecker, mapping: Mapping, part: NotificationMapping
) -> None:
    path, signature = "notifications", part.signature
    if mapping.authorize is None:
        checker.flaw(path, "needs authorize: only what was authorized here is found again")
    for index, text in enumerate(signature.keys):
        checker.template(f"{path}.signature.keys[{index}]", text, Place.SETUP, None)
    if "{" in SIGNED_PARTS.sub("", signature.sign):
        checker.flaw(f"{path}.signature.sign", "knows {body}, {time} and {header.NAME} alone")
    for index, each in enumerate(signature.sign_paths or ()):
        checker.json_path(f"{path}.signature.sign_paths[{index}]", each)
    if signature.path is not None:
        checker.json_path(f"{path}.signature.path", signature.path)
    if part.list is not None:
        checker.json_path(f"{path}.list", part.list)
    for name, reading, kind in readings_of(part):
        checker.reading(f"{path}.{name}", reading, kind)


def _setup_texts(mapping: Mapping) -> Iterator[tuple[str, str]]:
    """The templates that no request takes part in."""
    if mapping.encryption is not None:
        for name in ("key_id", "certificate", "private_key"):
            yield f"encryption.{name}", getattr(mapping.encryption, name)
    written = mapping.authentication
    if written is None:
        return
    path = "authentication"
    if written.bearer is not None:
        yield f"{path}.bearer", written.bearer
    if written.basic is not None:
        yield f"{path}.basic.user", written.basic.user
        yield f"{path}.basic.password", written.basic.password
    if written.hmac is not None:
        yield f"{path}.hmac.key", written.hmac.key
    oauth = written.oauth2
    if oauth is not None:
        for name in ("token_url", "client_id", "client_secret", "scope"):
            text = getattr(oauth, name)
            if text is not None:
                yield f"{path}.oauth2.{name}", text
        for name, text in oauth.extra.items():
            yield f"{path}.oauth2.extra.{name}", text


def _check_asking(checker: MappingChecker, part: AnyFunction, function: MappedFunction) -> None:
    """What all functions have: requests and errors."""
    path = f"{function.value}.request"
    for place, way in _ways(path, part.request):
        if not way.path.startswith("/"):
            if way.path != PAYMENT_LINK:
                checker.flaw(f"{place}.path", "must begin with /; the host is in base_url")
            elif "payment.link" not in (way.when if isinstance(way.when, tuple) else (way.when,)):
                checker.flaw(f"{place}.when", "must name payment.link, which the path needs")
        elif "{payment.link" in way.path:
            checker.flaw(f"{place}.path", "payment.link is a whole path; nothing stands beside it")
        _check_encoding(checker, place, way)
        checker.template(f"{place}.path", way.path, Place.URL, function)
        checker.fields(f"{place}.when", way.when, function)
        checker.brands(f"{place}.brands", way.brands, function)
        if way.after_s and function is not MappedFunction.REVERSE:
            checker.flaw(f"{place}.after_s", "is for reverse alone")
        for name, text in way.headers.items():
            checker.header(f"{place}.headers.{name}", name, text, function)
        for text_path, text in texts_of(way.body, f"{place}.body"):
            checker.template(text_path, text, Place.BODY, function)
        for when_path, names in _whens(way.body, f"{place}.body"):
            checker.fields(when_path, names, function)
    _check_errors(checker, part.errors, function)


def _check_encoding(checker: MappingChecker, place: str, way: RequestMapping) -> None:
    """What is said of a body is what is sent."""
    if way.encoding is BodyEncoding.FORM:
        if not isinstance(way.body, dict):
            checker.flaw(f"{place}.body", "must have members, because it is sent as a form")
        if checker.encrypts:
            checker.flaw(f"{place}.encoding", "must be json: encrypted bodies are")
    for name, text in way.headers.items():
        is_form = "x-www-form-urlencoded" in text.lower()
        if name.lower() == "content-type" and is_form != (way.encoding is BodyEncoding.FORM):
            message = "does not fit the body; leave it out, or say encoding: form"
            checker.flaw(f"{place}.headers.{name}", message)


def _ways(path: str, requests: Requests) -> Iterator[tuple[str, Any]]:
    if not isinstance(requests, tuple):
        yield path, requests
        return
    for index, way in enumerate(requests):
        yield f"{path}[{index}]", way


def _whens(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == WHEN:
                yield f"{path}.{key}", tuple(value) if isinstance(value, list) else value
            else:
                yield from _whens(value, f"{path}.{key}")
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _whens(item, f"{path}[{index}]")


def _check_errors(checker: MappingChecker, errors: Errors, function: MappedFunction) -> None:
    kind = WordKind.RESPONSE_CODE if function is MappedFunction.PRECHECK else WordKind.GATEWAY_CODE
    for index, rule in enumerate(errors):
        path = f"{function.value}.errors[{index}]"
        if rule.where is not None:
            checker.json_path(f"{path}.where.path", rule.where.path)
        declinable = (
            *(MappedFunction.PRECHECK, MappedFunction.AUTHORIZE),
            *(MappedFunction.CAPTURE, MappedFunction.REFUND, MappedFunction.CHARGE),
        )
        if rule.then is ErrorClass.DECLINED and function not in declinable:
            checker.flaw(f"{path}.then", f"{function} is never declined; use retry or mistake")
        if rule.then is ErrorClass.DONE and function is not MappedFunction.REVERSE:
            checker.flaw(f"{path}.then", "done is for reverse alone")
        checker.reading(f"{path}.response_code", rule.response_code, kind)


def _check_precheck(checker: MappingChecker, part: CheckMapping) -> None:
    _check_asking(checker, part, MappedFunction.PRECHECK)
    path, answer = "precheck.answer", part.answer
    checker.reading(f"{path}.response_code", answer.response_code, WordKind.RESPONSE_CODE)
    checker.reading(f"{path}.avs", answer.avs, WordKind.LETTER)
    checker.reading(f"{path}.cvv2", answer.cvv2, WordKind.LETTER)
    if answer.holder is not None:
        _check_holder(checker, f"{path}.holder", answer.holder)


def _check_holder(checker: MappingChecker, path: str, holder: HolderMapping) -> None:
    checker.reading(f"{path}.email", holder.email, WordKind.RESULT)
    checker.reading(f"{path}.phone", holder.phone, WordKind.RESULT)
    if holder.name is not None:
        for name in ("first", "middle", "last", "whole"):
            checker.reading(f"{path}.name.{name}", getattr(holder.name, name), WordKind.RESULT)
        checker.reading(f"{path}.name.result", holder.name.result, WordKind.NAME_RESULT)
    if holder.identifiers is not None:
        for name in ("driverlicense", "passport", "nationalidentity", "tax"):
            reading = getattr(holder.identifiers, name)
            checker.reading(f"{path}.identifiers.{name.upper()}", reading, WordKind.RESULT)


def _check_authorize(checker: MappingChecker, part: AuthorizeMapping) -> None:
    _check_asking(checker, part, MappedFunction.AUTHORIZE)
    path, answer = "authorize.answer", part.answer
    checker.reading(f"{path}.approved", answer.approved, WordKind.FLAG)
    checker.reading(f"{path}.response_code", answer.response_code, WordKind.GATEWAY_CODE)
    checker.reading(f"{path}.approval_code", answer.approval_code, WordKind.TEXT)
    checker.reading(f"{path}.id", answer.id, WordKind.ID)
    checker.reading(f"{path}.link", answer.link, WordKind.LINK)
    if part.reference is not None:
        checker.template("authorize.reference", part.reference, Place.URL, MappedFunction.AUTHORIZE)
