"""Thousands of requests full of card numbers and personal data, and then a search of everything
they left behind.

Every value is sent at one place only, so a value that turns up tells where it came in.
"""

import base64
import contextlib
import hashlib
import json
import random
import re
import socket
import sqlite3
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import psutil
import pytest

from gatehouse.core.cards.brands import passes_luhn
from tests.harness import BODY, PATIENCE_S, Home, Server, free_port, sandbox_key, until
from tests.resilience.wire import (
    Answer,
    answers,
    envelope,
    read_answer,
    read_to_end,
    request,
    start,
)

AMEX_CODE = "7391"
DATABASE_FILES = {"sandbox.db", "sandbox.db-wal", "sandbox.db-shm"}
# How the numbers of many brands begin, and how long they are.
FORMS = (
    ("4", 13), ("4", 16), ("4", 19), ("51", 16), ("2221", 16), ("34", 15), ("37", 15), ("36", 14),
    ("6011", 16), ("3530", 16), ("62", 16), ("62", 19), ("5018", 13), ("6759", 18), ("2200", 16),
    ("9792", 16), ("508500", 16), ("636368", 16), ("606282", 16), ("5018", 12), ("6759", 12),
)  # fmt: skip
IN_CARD_FIELD = 840
AT_EACH_PLACE = 4
_chance = random.Random(20_260_102)


def _new_number(prefix: str, length: int) -> str:
    """A number that could be printed on a card."""
    body = prefix + "".join(_chance.choices("0123456789", k=length - len(prefix) - 1))
    number = next(body + digit for digit in "0123456789" if passes_luhn(body + digit))
    unusable = number.endswith(AMEX_CODE) or re.search(r"(\d)\1{4}", number)
    return _new_number(prefix, length) if unusable else number


def _grouped(number: str, separator: str) -> str:
    """As printed on the card."""
    cuts = (4, 10, 15) if len(number) == 15 else range(4, len(number) + 4, 4)
    start, parts = 0, []
    for cut in cuts:
        parts.append(number[start:cut])
        start = cut
    return separator.join(parts)


def _code_for(number: str) -> str:
    return AMEX_CODE if number[:2] in ("34", "37") else "".join(_chance.choices("3456789", k=3))


# ---- The places --------------------------------------------------------------------------------


@dataclass
class Sent:
    """One request as a place makes it."""

    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    path: str = "/api/v1/precheck"
    method: str = "POST"


def _card(**fields: Any) -> Sent:
    return Sent(BODY | fields)


def _get(path: str) -> Sent:
    return Sent(path=path, method="GET")


_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_REFERENCES: dict[str, Callable[[str], Any]] = {
    "digits": lambda n: n,
    "an integer": int,
    "spaces": lambda n: _grouped(n, " "),
    "dashes": lambda n: _grouped(n, "-"),
    "dots": lambda n: _grouped(n, "."),
    "a space after each digit": " ".join,
    "inside text": lambda n: f"order {n} x",
    "between letters": lambda n: f"id{n}z",
    "groups inside text": lambda n: f"paid with {_grouped(n, '-')}, thanks",
    "full-width digits": lambda n: n.translate(_FULL_WIDTH),
    "after a control character": lambda n: f"\x00{n}\x07",
    "a URL": lambda n: f"https://shop.example/pay?card={n}&x=1",
    # What a copy from a page, a sheet or a form leaves between the groups.
    "two spaces": lambda n: _grouped(n, "  "),
    "tabs": lambda n: _grouped(n, "\t"),
    "lines": lambda n: _grouped(n, "\r\n"),
    "no-break spaces": lambda n: _grouped(n, "\u00a0"),
    "thin spaces": lambda n: _grouped(n, "\u2009"),
    "en dashes": lambda n: _grouped(n, "–"),
    "underscores": lambda n: _grouped(n, "_"),
    "slashes": lambda n: _grouped(n, "/"),
    "commas": lambda n: _grouped(n, ","),
    "zero-width spaces": lambda n: _grouped(n, "\u200b"),
    "spaced dashes": lambda n: _grouped(n, " - "),
    "colons": lambda n: _grouped(n, ":"),
    "spaced colons": lambda n: _grouped(n, " : "),
}
_TRACES: dict[str, Callable[[str], str]] = {
    "digits": lambda n: n,
    "dashes": lambda n: _grouped(n, "-"),
    "dots": lambda n: _grouped(n, "."),
    "underscores": lambda n: _grouped(n, "_"),
    "inside text": lambda n: f"trace-{n}-x",
}
_HEADERS = (
    "User-Agent", "Referer", "Cookie", "Authorization", "X-Forwarded-For", "Accept-Language",
    "Origin", "X-API-KEY", "Content-Type", "Traceparent", "From", "X-Card",
)  # fmt: skip
_FIELDS = ("cardExpiryDate", "cardCvv2Value", "cardAddress", "unknown")

Place = Callable[[str], Sent | bytes]


def _in_reference(shape: Callable[[str], Any]) -> Place:
    return lambda n: Sent(BODY | {"clientReferenceId": shape(n)})


def _in_header(name: str, shape: Callable[[str], str] = str) -> Place:
    return lambda n: Sent(BODY, {name: shape(n)})


def _in_field(name: str, shape: Callable[[str], Any] = str) -> Place:
    return lambda n: _card(**{name: shape(n)})


PLACES: dict[str, Place] = {
    **{f"clientReferenceId: {how}": _in_reference(shape) for how, shape in _REFERENCES.items()},
    **{f"X-Request-Id: {how}": _in_header("X-Request-Id", s) for how, s in _TRACES.items()},
    **{f"Idempotency-Key: {how}": _in_header("Idempotency-Key", s) for how, s in _TRACES.items()},
    "Idempotency-Key: spaces": _in_header("Idempotency-Key", lambda n: _grouped(n, " ")),
    **{f"header {name}": _in_header(name) for name in _HEADERS},
    "a header's name": lambda n: Sent(BODY, {f"X-{n}": "1"}),
    **{f"field {name}: digits": _in_field(name) for name in _FIELDS},
    **{f"field {name}: a number": _in_field(name, int) for name in _FIELDS},
    "a field's name": lambda n: _card(**{n: n}),
    "nested unknown fields": lambda n: _card(x={n: [{"y": n, "z": int(n)}]}),
    "street": lambda n: _card(cardAddress={"street": f"{n} Market Street"}),
    "street: groups": lambda n: _card(cardAddress={"street": _grouped(n, " "), "postalCode": "1"}),
    "postalCode": lambda n: _card(cardAddress={"postalCode": n[:16]}),
    "cardNumber: spaces": lambda n: _card(cardNumber=_grouped(n, " ")),
    "cardNumber: dashes": lambda n: _card(cardNumber=_grouped(n, "-")),
    "cardNumber: a number": lambda n: _card(cardNumber=int(n)),
    "cardNumber: a list": lambda n: _card(cardNumber=[n]),
    "cardNumber: an object": lambda n: _card(cardNumber={"value": n}),
    "cardNumber: a digit too many": lambda n: _card(cardNumber=n + "0" * (20 - len(n))),
    "cardNumber with a wrong month": lambda n: _card(cardNumber=n, cardExpiryDate="2035-13"),
    "cardNumber with a wrong code": lambda n: _card(cardNumber=n, cardCvv2Value="73915"),
    "cardNumber with a code as number": lambda n: _card(cardNumber=n, cardCvv2Value=int(AMEX_CODE)),
    "cardNumber of another path": lambda n: Sent(BODY | {"cardNumber": n}, path="/api/v1/nothing"),
    "cardNumber of another method": lambda n: Sent(BODY | {"cardNumber": n}, method="PUT"),
    "an array": lambda n: Sent([n]),
    "a string": Sent,
    "a path": lambda n: _get(f"/{n}"),
    "a path of the API": lambda n: _get(f"/api/v1/{n}/x"),
    "a path below the operation": lambda n: Sent(BODY, path=f"/api/v1/precheck/{n}"),
    "a decision's id": lambda n: _get(f"/api/v1/decisions/{n}"),
    "a decision's id: groups": lambda n: _get(f"/api/v1/decisions/{quote(_grouped(n, ' '))}"),
    "the operation's query": lambda n: Sent(BODY, path=f"/api/v1/precheck?card={n}"),
    "query clientReferenceId": lambda n: _get(f"/api/v1/decisions?clientReferenceId={n}"),
    "query clientReferenceId: groups": lambda n: _get(
        f"/api/v1/decisions?clientReferenceId={quote(_grouped(n, ' '))}"
    ),
    "query startingAfter": lambda n: _get(f"/api/v1/decisions?startingAfter={n}"),
    "query limit": lambda n: _get(f"/api/v1/decisions?limit={n}"),
    "a query with too many parts": lambda n: _get(
        f"/api/v1/decisions?{'&'.join(['a=' + n] * 120)}"
    ),
    "a health check": lambda n: _get(f"/healthz?{n}"),
    # What no HTTP library would send; a reset connection is a fine answer to these.
    "half a body": lambda n: json.dumps(BODY | {"cardNumber": n}).encode()[:-3],
    "a body that is not UTF-8": lambda n: b'{"cardNumber": "' + n.encode() + b'\xff"}',
    "a bare number": lambda n: n.encode(),
    "a form": lambda n: f"cardNumber={n}&cardCvv2Value={AMEX_CODE}".encode(),
    "a body too large": lambda n: json.dumps({"cardNumber": n, "x": "y" * 70_000}).encode(),
    "a body too deep": lambda n: f'{{"cardNumber": "{n}", "x": {"[" * 9000}'.encode(),
    "no HTTP at all": lambda n: b"RAW " + n.encode() + b"\r\n\r\n",
    "a broken request line": lambda n: b"RAW GET /" + n.encode() + b"\xc3\xa9 HTTP/1.1\r\n\r\n",
    "a broken header": lambda n: b"RAW GET / HTTP/1.1\r\n" + n.encode() + b"\r\n\r\n",
    "the name of the method": lambda n: b"RAW " + n.encode() + b" / HTTP/1.1\r\n\r\n",
}
SENTRY = "/api/v1/sentry"
RULES = "/api/v1/rules"


def _number(value: Any) -> int:
    return int(re.sub(r"\D", "", str(value)))


DECLARED = "reference"
_VISITS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "ipAddress": lambda v: {"device": {"ipAddress": v}},
    "userAgent": lambda v: {"device": {"userAgent": v}},
    "userAgent: a version": lambda v: {
        "device": {"userAgent": f"Mozilla/5.0 (Windows NT 10.0) Chrome/{v}.0 Safari/{v}"}
    },
    "userAgent: a system": lambda v: {
        "device": {"userAgent": f"Mozilla/5.0 (Windows NT {v}; {v}) {v}/{v} bot{v}"}
    },
    "acceptLanguage": lambda v: {"device": {"userAgent": "x", "acceptLanguage": f"en,{v};q=0.{v}"}},
    "sessionId": lambda v: {"device": {"sessionId": v}},
    "transactionId": lambda v: {"event": {"transactionId": v}},
    "timestamp": lambda v: {"event": {"timestamp": v}},
    "event type": lambda v: {"event": {"type": v}},
    "amount": lambda v: {"order": {"amount": _number(v), "currency": "USD"}},
    "price": lambda v: {"shoppingCart": {"items": [{"itemId": "a", "price": _number(v)}]}},
    "quantity": lambda v: {"shoppingCart": {"items": [{"price": 1, "quantity": _number(v)}]}},
    "sessionAge": lambda v: {"device": {"sessionAge": _number(v)}},
    "currency": lambda v: {"order": {"amount": 5, "currency": v}},
    "affiliateId": lambda v: {"order": {"affiliateId": v}},
    "referralId": lambda v: {"order": {"referralId": v}},
    "discountCodes": lambda v: {"order": {"discountCodes": [v, f"SAVE{v}"]}},
    "referrerUrl": lambda v: {"order": {"referrerUrl": f"https://{v}.example/{v}?card={v}"}},
    "userId": lambda v: {"account": {"userId": v}},
    "username": lambda v: {"account": {"userId": f"u-{v}", "username": v}},
    "itemId": lambda v: {"shoppingCart": {"items": [{"itemId": v}]}},
    "category": lambda v: {"shoppingCart": {"items": [{"category": v}, {"category": f"c {v} d"}]}},
    "category: cut off": lambda v: {"shoppingCart": {"items": [{"category": f"{'c' * 49}{v}"}]}},
    "customInputs": lambda v: {"customInputs": {"note": v, "more": [{"x": v}]}},
    "customInputs: a key": lambda v: {"customInputs": {str(v): 1}},
    "customInputs: a null": lambda v: {"customInputs": {str(v): None}},
    "customInputs: declared": lambda v: {"customInputs": {DECLARED: v}},
}
_SHAPES: dict[str, Callable[[str], Any]] = {
    "digits": str,
    "an integer": int,
    "spaces": lambda n: _grouped(n, " "),
    "dashes": lambda n: _grouped(n, "-"),
    "dots": lambda n: _grouped(n, "."),
    "slashes": lambda n: _grouped(n, "/"),
    "inside text": lambda n: f"id-{n}-x",
}


def _in_visit(make: Callable[[Any], dict[str, Any]], shape: Callable[[str], Any]) -> Place:
    return lambda n: Sent(make(shape(n)), path=SENTRY)


PLACES |= {
    f"Sentry {where}: {how}": _in_visit(make, shape)
    for where, make in _VISITS.items()
    for how, shape in _SHAPES.items()
}
PLACES |= {
    "Rules amount": lambda n: Sent({"amount": int(n), "currency": "USD"}, path=RULES),
    "Rules amount with decimals": lambda n: Sent({"amount": int(n) / 100}, path=RULES),
    "Rules customInputs": lambda n: Sent({"customInputs": {"a": int(n) / 10}}, path=RULES),
}
DEMO = "acct_demo"
COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "the name of an account": lambda n: ("accounts", "create", f"Poor {_grouped(n, ' ')}"),
    "the name of a key": lambda n: ("keys", "issue", DEMO, "--name", n),
    "the note of a top-up": lambda n: ("balance", "top-up", DEMO, "900", "--note", n),
    "the reason of an adjustment": lambda n: (
        "balance", "adjust", DEMO, "-0.5", "--reason", f"refund {n}"),
}  # fmt: skip


# ---- People ------------------------------------------------------------------------------------

LETTERS = "abcdefghijklmnopqrstuvwxyz"
IDVERIFY = "/api/v1/idverify"
Person = dict[str, Any]


def _new_person(card: str) -> Person:
    """Somebody who exists nowhere else, as ID Verify is asked about them."""
    first, last, local = ("".join(_chance.choices(LETTERS, k=12)) for _ in range(3))
    passport, tax = ("X" + "".join(_chance.choices("0123456789", k=11)) for _ in range(2))
    return {
        "cardNumber": card,
        "cardExpiryDate": "2035-12",
        "cardHolderEmailAddress": f"{local}@example.net",
        "cardHolderPhoneNumber": "+4479" + "".join(_chance.choices("0123456789", k=8)),
        "cardHolderName": {"firstName": first.title(), "lastName": last.title()},
        "cardHolderIds": {"PASSPORT": passport, "TAX": tax},
    }


def _values_of(person: Person) -> Iterator[str]:
    """What must not be found again, in the spellings that a comparison might make of it."""
    name, ids = person["cardHolderName"], person["cardHolderIds"]
    for text in (*name.values(), person["cardHolderEmailAddress"].partition("@")[0]):
        yield from {text, text.lower(), text.upper()}
    yield person["cardHolderPhoneNumber"][1:]
    yield from (value[1:] for value in ids.values())


def _long(person: Person) -> Person:
    """The same with every value too long to be taken."""
    return {
        **person,
        "cardHolderEmailAddress": person["cardHolderEmailAddress"] * 20,
        "cardHolderPhoneNumber": person["cardHolderPhoneNumber"] * 5,
        "cardHolderName": {k: v * 9 for k, v in person["cardHolderName"].items()},
        "cardHolderIds": {k: v * 9 for k, v in person["cardHolderIds"].items()},
    }


def _misplaced(person: Person) -> Person:
    """The same with values of another type, and identifiers in the place of their types."""
    return {
        **person,
        "cardHolderEmailAddress": [person["cardHolderEmailAddress"]],
        "cardHolderPhoneNumber": int(person["cardHolderPhoneNumber"]),
        "cardHolderName": {"lastName": person["cardHolderName"]},
        "cardHolderIds": {value: kind for kind, value in person["cardHolderIds"].items()},
    }


def _swapped(person: Person) -> Person:
    """The same with each value in a field that it is not for."""
    return {
        **person,
        "cardHolderEmailAddress": person["cardHolderPhoneNumber"],
        "cardHolderPhoneNumber": person["cardHolderIds"]["TAX"],
        "cardHolderName": {
            "lastName": person["cardHolderEmailAddress"],
            "ownerType": person["cardHolderName"]["lastName"],
        },
        "cardHolderIds": {"TAX": person["cardHolderName"]["firstName"]},
    }


PEOPLE: dict[str, Callable[[Person], Sent | bytes]] = {
    "a person not on record": lambda p: Sent(p, path=IDVERIFY),
    "a person with an idempotency key": lambda p: Sent(
        p, {"Idempotency-Key": p["cardHolderIds"]["TAX"]}, path=IDVERIFY
    ),
    "a person too long": lambda p: Sent(_long(p), path=IDVERIFY),
    "a person misplaced": lambda p: Sent(_misplaced(p), path=IDVERIFY),
    "a person swapped": lambda p: Sent(_swapped(p), path=IDVERIFY),
    "a person without an expiry date": lambda p: Sent(p | {"cardExpiryDate": "x"}, path=IDVERIFY),
    "a person at another operation": Sent,
    "a person at no operation": lambda p: Sent(p, path="/api/v1/people"),
    "half a person": lambda p: json.dumps(p).encode()[:-3],
}
AT_EACH_PERSON = 12


def _as_record(person: Person) -> dict[str, Any]:
    """The person as a line of a file to import."""
    return {
        "cardNumber": person["cardNumber"],
        "names": [person["cardHolderName"]],
        "emails": [person["cardHolderEmailAddress"]],
        "phones": [person["cardHolderPhoneNumber"]],
        "identifiers": [{"type": k, "value": v} for k, v in person["cardHolderIds"].items()],
    }


# ---- The search --------------------------------------------------------------------------------


def _disguises(text: str) -> Iterator[bytes]:
    """A secret as itself and in every form that a careless hand could have left it in."""
    raw = text.encode()
    yield raw
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    yield base64.b64encode(raw).rstrip(b"=")[:-1]
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    yield text.translate(_FULL_WIDTH).encode()
    for algorithm in ("md5", "sha1", "sha256", "sha512", "blake2b"):
        digest = hashlib.new(algorithm, raw).digest()
        yield digest
        yield digest.hex().encode()
        yield base64.b64encode(digest).rstrip(b"=")[:-1]
    if text.isdecimal() and len(text) > 14 and int(text) < 2**63:
        yield struct.pack(">q", int(text))
        yield struct.pack("<q", int(text))


class Searcher:
    """Finds any of many secrets in a heap of bytes, in any disguise, in one pass."""

    _SEPARATED = re.compile(rb"\d(?:[^0-9A-Za-z]{0,6}\d){11,}")
    _KEY_BYTES = 8
    _HASH_BITS = 24

    def __init__(self, secrets: dict[str, str]) -> None:
        self._labels = secrets
        self._by_start: dict[bytes, list[tuple[bytes, str]]] = {}
        for secret, label in secrets.items():
            for needle in set(_disguises(secret)):
                head = needle[: self._KEY_BYTES]
                self._by_start.setdefault(head, []).append((needle, label))
        self._begins = np.zeros(2**self._HASH_BITS, bool)
        self._begins[self._hashes(b"".join(self._by_start))] = True

    def search(self, data: bytes) -> set[str]:
        """The labels of all secrets that are in the data."""
        size, starts = self._KEY_BYTES, self._by_start
        found = {
            label
            for place in self._candidates(data)
            for needle, label in starts.get(data[place : place + size], ())
            if data.startswith(needle, place)
        }
        for run in self._SEPARATED.finditer(data):
            digits = re.sub(rb"\D", b"", run.group()).decode()
            for length in range(12, 20):
                for first in range(len(digits) - length + 1):
                    label = self._labels.get(digits[first : first + length])
                    if label is not None:
                        found.add(label)
        return found

    def _candidates(self, data: bytes) -> Iterator[int]:
        """All places where a secret may begin, and a few others."""
        for shift in range(self._KEY_BYTES):
            hits = np.flatnonzero(self._begins[self._hashes(data[shift:])])
            yield from (hits * self._KEY_BYTES + shift).tolist()

    def _hashes(self, data: bytes) -> Any:
        """A few bits of each eight bytes."""
        words = np.frombuffer(data, np.uint64, len(data) // self._KEY_BYTES)
        return words * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - self._HASH_BITS)


# ---- The scene ---------------------------------------------------------------------------------


@dataclass
class Scene:
    """What was sent, what came back, and what lay in the home during and after it."""

    home: Home
    numbers: dict[str, str] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    transcript: list[bytes] = field(default_factory=list)
    requests: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    running: dict[str, bytes] = field(default_factory=dict)
    stopped: dict[str, bytes] = field(default_factory=dict)
    shown: dict[str, bytes] = field(default_factory=dict)

    def plant(self, prefix: str, length: int, place: str) -> str:
        number = _new_number(prefix, length)
        while number in self.numbers:
            number = _new_number(prefix, length)
        self.numbers[number] = place
        return number

    def plant_person(self, place: str) -> Person:
        person = _new_person(self.plant("4", 16, place))
        self.people |= dict.fromkeys(_values_of(person), place)
        return person

    def note(self, answer: Answer) -> None:
        self.requests += 1
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        self.transcript.append(json.dumps(answer.headers).encode() + b"\n" + answer.body)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.home.path)): path.read_bytes()
            for path in self.home.path.rglob("*")
            if path.is_file()
        }


class Line:
    """A connection that is opened again whenever the server has closed it."""

    def __init__(self, port: int, scene: Scene) -> None:
        self._port = port
        self._scene = scene
        self._connection: socket.socket | None = None

    def send(self, data: bytes) -> Answer:
        """One request that gets exactly one answer."""
        if self._connection is None:
            self._connection = socket.create_connection(("127.0.0.1", self._port), PATIENCE_S)
        self._connection.sendall(data)
        answer = read_answer(self._connection)
        if answer.headers.get("connection") == "close":
            self.close()
        self._scene.note(answer)
        return answer

    def throw(self, data: bytes) -> None:
        """Bytes that may or may not get an answer before the server hangs up."""
        with socket.create_connection(("127.0.0.1", self._port), PATIENCE_S) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            for answer in answers(read_to_end(connection)):
                self._scene.note(answer)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _send(line: Line, sent: Sent | bytes, key: str) -> None:
    headers = {"X-API-KEY": key, "Content-Type": "application/json"}
    if isinstance(sent, bytes):
        if sent.startswith(b"RAW "):
            line.throw(sent[4:])
        else:
            line.throw(request(sent, headers, close=False))
        return
    body = None if sent.body is None else json.dumps(sent.body, ensure_ascii=False).encode()
    line.send(
        request(
            body,
            headers | sent.headers,
            method=sent.method.encode(),
            path=sent.path.encode(),
            close=False,
        )
    )


def _check_cards(scene: Scene, line: Line, key: str, poor_key: str) -> None:
    """Numbers where they belong: accepted, declined, refused, repeated."""
    for turn in range(IN_CARD_FIELD):
        number = scene.plant(*FORMS[turn % len(FORMS)], "cardNumber")
        code = "200" if turn % 7 == 0 and number[0] != "3" else _code_for(number)
        body = BODY | {"cardNumber": number, "cardCvv2Value": code}
        if turn % 11 == 0:
            body["cardExpiryDate"] = "2019-01"
        headers = {"Idempotency-Key": f"card-{turn}"} if turn % 5 == 0 else {}
        used_key = poor_key if turn % 13 == 0 else key
        _send(line, Sent(body, headers), used_key)
        if headers:
            _send(line, Sent(body, headers), used_key)
            _send(line, Sent(body | {"cardExpiryDate": "2034-02"}, headers), used_key)


def _ask_about_people(scene: Scene, line: Line, folder: Path, keys: tuple[str, str]) -> None:
    """People on record and others: imported, asked about, refused, repeated, shown."""
    key, poor_key = keys
    known = [scene.plant_person("a person on record") for _ in range(40)]
    broken = [scene.plant_person("a person whose record is refused") for _ in range(10)]
    lines = [*map(_as_record, known), *(_as_record(_long(person)) for person in broken)]
    (folder / "people.jsonl").write_text("\n".join(map(json.dumps, lines)))
    options = ("--account", DEMO, "--errors", str(folder / "errors.csv"))
    imported = scene.home.run("identities", "import", str(folder / "people.jsonl"), *options)
    assert imported.code == 1, "ten lines are refused"
    scene.shown["identities import"] = (imported.out + imported.err).encode()
    scene.shown["identities import errors"] = (folder / "errors.csv").read_bytes()
    for person in known:
        for asked in (person, person | {"cardHolderIds": {"PASSPORT": "X00000000001"}}):
            _send(line, Sent(asked, path=IDVERIFY), key)
    of_one = ("show", "--card", known[0]["cardNumber"], "--account", DEMO)
    for command in (("count",), of_one, (*of_one, "--json")):
        done = scene.home.ok("identities", *command)
        scene.shown[f"identities {command[0]} {command[-1]}"] = done.out.encode()
    for place, make in PEOPLE.items():
        for turn in range(AT_EACH_PERSON):
            sent = make(scene.plant_person(place))
            _send(line, sent, poor_key if turn == 0 else key)
            _send(line, sent, key)


@contextlib.contextmanager
def _suspended(server: Server) -> Iterator[None]:
    """The server does nothing meanwhile, so that all its files are of one moment."""
    process = psutil.Process(server.process.pid)
    process.suspend()
    until(process.status, lambda status: status == psutil.STATUS_STOPPED)
    yield
    process.resume()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The service after a few thousand requests that were full of secrets."""
    folder = tmp_path_factory.mktemp("scene")
    home = Home(folder / "home", settings={"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0"})
    scene = Scene(home)
    # The welcome shows the demo key on purpose; it is not part of the log.
    server = start(home, free_port(), folder / "welcome.txt")
    try:
        done = {
            place: home.ok(*command(scene.plant("4", 16, place)), "--json")
            for place, command in COMMANDS.items()
        }
        home.ok("accounts", "sentry", DEMO, "--entity", DECLARED)
        key = done["the name of a key"].json.pop("key")
        poor_key = home.key(done["the name of an account"].json["accountId"])
        demo_key = (home.path / "demo-key").read_text().strip()
        assert demo_key in (folder / "welcome.txt").read_text()
        unknown_key = "gh_sandbox_" + base64.urlsafe_b64encode(_chance.randbytes(32)).decode()[:43]
        scene.keys = {key: "a key", poor_key: "a poor key", unknown_key: "an unknown key",
                      demo_key: "the demo key"}  # fmt: skip
        # A new key is shown this once; nothing else of the output is a secret.
        scene.transcript += [each.out.replace(key, "").encode() for each in done.values()]
        line = Line(server.port, scene)
        _check_cards(scene, line, key, poor_key)
        for place, make in PLACES.items():
            for form in _chance.sample(FORMS, AT_EACH_PLACE):
                _send(line, make(scene.plant(*form, place)), key)
        _ask_about_people(scene, line, folder, (key, poor_key))
        for used in scene.keys:
            _send(line, Sent(BODY), used)
            _send(line, Sent(BODY, {"Authorization": f"Bearer {used}"}), key)
            _send(line, _get(f"/api/v1/decisions?key={used}"), used)
            _send(line, _get(f"/{used}"), used)
        line.close()
        with server.client(key) as client:
            scene.shown["metrics"] = client.get("/metrics").content
            page = client.get("/api/v1/decisions", params={"limit": 100}).json()
            while True:
                scene.transcript.append(json.dumps(page, ensure_ascii=False).encode())
                found = page["decisionsResponse"]
                if not found["hasMore"]:
                    break
                after = {"limit": 100, "startingAfter": found["decisions"][-1]["requestId"]}
                page = client.get("/api/v1/decisions", params=after).json()
        for arguments in (("audit", "show"), ("ledger", "show", DEMO, "--limit", "100000"),
                          ("keys", "list", DEMO)):  # fmt: skip
            scene.shown[" ".join(arguments)] = home.ok(*arguments).out.encode()
        with _suspended(server):
            scene.running = scene.files()
        assert server.stop() == 0
        scene.stopped = scene.files()
    finally:
        if server.process.poll() is None:
            server.kill()
    return scene


@pytest.fixture(scope="module")
def leaks(scene: Scene) -> dict[str, set[str]]:
    """Where each place's numbers, and the keys, turned up again: in which file or answer."""
    root = scene.stopped["root-secret"].decode().strip()
    bare_keys = {key.removeprefix("gh_sandbox_"): label for key, label in scene.keys.items()}
    kept = {**scene.numbers, **scene.people, **scene.keys, **bare_keys}
    searcher = Searcher({**kept, root: "the root secret"})
    heaps = {f"{name} (running)": data for name, data in scene.running.items()}
    heaps |= {f"{name} (stopped)": data for name, data in scene.stopped.items()}
    heaps |= scene.shown | {"answers": b"\n".join(scene.transcript)}
    found: dict[str, set[str]] = {}
    for name, data in heaps.items():
        for place in searcher.search(data):
            found.setdefault(place, set()).add(name)
    return found


# ---- The tests ---------------------------------------------------------------------------------


def test_the_search_finds_every_disguise() -> None:
    number = "4929123456789013"
    searcher = Searcher({number: "it"})
    for needle in _disguises(number):
        assert searcher.search(b"some\x00bytes" + needle + b"and more") == {"it"}, needle
    for separator in (" ", "-", "  ", "\u00a0", "\ufffd", "_", "\r\n"):
        assert searcher.search(f"x {_grouped(number, separator)} y".encode()) == {"it"}, separator
    assert searcher.search(b"4929123456789012 49291234 9013 " * 50) == set()


def test_the_scene_is_worth_a_search(scene: Scene) -> None:
    assert scene.requests > 2500
    assert {200, 400, 401, 402, 403, 404, 405, 413, 415, 422} <= set(scene.statuses)
    assert len(scene.running["sandbox.db-wal"]) > 100_000
    assert len(scene.running["server.log"].splitlines()) > 2500
    # All files of the database were searched. Where a row stands, in the main file or in the
    # write-ahead log, depends on when SQLite copied it; a stopped server may leave both.
    assert scene.running.keys() >= DATABASE_FILES
    assert b'"requestId":"req_' in scene.running["sandbox.db-wal"]
    assert "sandbox.db" in scene.stopped
    # What may be kept of a card was kept, and what was hidden in free fields was masked.
    kept = b"".join(data for name, data in scene.running.items() if name.startswith("sandbox.db"))
    for number, place in scene.numbers.items():
        if place == "cardNumber with a wrong month":
            continue
        if place == "cardNumber" and len(number) == 16 and number.startswith("51"):
            assert f'"bin":"{number[:8]}","lastFour":"{number[-4:]}"'.encode() in kept
            break
    assert kept.count(b"order [card] x") >= AT_EACH_PLACE
    assert scene.running["server.log"].count(b'"traceId":"trace-[card]-x"') >= AT_EACH_PLACE
    assert scene.shown["audit show"].strip()
    # People were really kept and compared, and what may be kept of a comparison was.
    assert b"40 added" in scene.shown["identities import"]
    assert kept.count(b'"emailDomain":"example.net"') > 100
    answered = b"".join(scene.transcript)
    for word in (b'"MATCH"', b'"NO_MATCH"', b'"UNKNOWN"', b"cardHolderIds.X####"):
        assert word in answered


def _leaks_of(leaks: dict[str, set[str]], *places: str) -> dict[str, set[str]]:
    return {place: leaks[place] for place in places if place in leaks}


def test_a_card_number_is_found_nowhere_again(leaks: dict[str, set[str]]) -> None:
    assert _leaks_of(leaks, "cardNumber", *PLACES, *COMMANDS) == {}


def test_a_persons_data_is_found_nowhere_again(leaks: dict[str, set[str]]) -> None:
    recorded = ("a person on record", "a person whose record is refused")
    assert _leaks_of(leaks, *recorded, *PEOPLE) == {}


def test_an_answer_to_every_request_was_an_envelope(scene: Scene) -> None:
    assert not [status for status in scene.statuses if status >= 500]
    for line in scene.transcript:
        if line.startswith(b'{"') and b"\n{" in line and b'"isSuccess"' in line:
            body = line.partition(b"\n")[2]
            errors = json.loads(body)["errors"]
            if errors is None:
                envelope(200, body)


def _scalars(value: Any, skip: frozenset[str]) -> Iterator[Any]:
    """All names and plain values in a piece of JSON, but not those under the given names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name not in skip:
                yield from _scalars(inner, skip)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner, skip)
    else:
        yield value


# Times differ from request to request and hit any four digits now and then.
_TIMES = frozenset({"durationMs", "durationMicroseconds", "at"})
_CODE = re.compile(rf"(?<![0-9A-Za-z]){AMEX_CODE}5?(?![0-9A-Za-z])")


def _mentions_code(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return any(_CODE.search(str(scalar)) for scalar in _scalars(value, _TIMES))


def test_a_security_code_is_kept_nowhere(scene: Scene, tmp_path: Path) -> None:
    for name, data in (*scene.running.items(), *scene.stopped.items(), *scene.shown.items()):
        assert b"Cvv2Value" not in data, name
        assert f'"{AMEX_CODE}"'.encode() not in data, name
        assert f'"{AMEX_CODE}5"'.encode() not in data, name
        for algorithm in ("md5", "sha1", "sha256", "blake2b"):
            digest = hashlib.new(algorithm, AMEX_CODE.encode())
            assert digest.digest() not in data, (name, algorithm)
            assert digest.hexdigest().encode() not in data, (name, algorithm)
    for written in scene.running["server.log"].decode().splitlines():
        assert not _mentions_code(written), written
    for answer in scene.transcript:
        for part in answer.decode().splitlines():
            assert not _mentions_code(part), part
    for name in ("sandbox.db", "sandbox.db-wal"):
        (tmp_path / name).write_bytes(scene.stopped.get(name, b""))
    with contextlib.closing(sqlite3.connect(tmp_path / "sandbox.db")) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master "
                                                       "WHERE type = 'table'")]  # fmt: skip
        assert {"decisions", "idempotency", "ledger_entries"} <= set(tables)
        for table in tables:
            for row in database.execute(f"SELECT * FROM {table}"):
                for cell in row:
                    assert not (isinstance(cell, str) and _mentions_code(cell)), (table, row)


def test_what_is_kept_does_not_depend_on_the_security_code(sqlite_home: Home) -> None:
    with sqlite_home.server() as server, server.client(sandbox_key(sqlite_home)) as client:
        records = []
        for code in ("7391", "7392"):
            body = BODY | {"cardNumber": "378282246310005", "cardCvv2Value": code}
            headers = {"Idempotency-Key": "one-key"}
            answer = client.post("/api/v1/precheck", json=body, headers=headers)
            assert answer.status_code == 200
            plain = client.post("/api/v1/precheck", json=body).json()
            path = f"/api/v1/decisions/{plain['requestId']}"
            records.append(client.get(path).json()["decisionResponse"])
        # The fingerprint of a body leaves the code out: with another code it is the same request.
        assert answer.headers["idempotent-replayed"] == "true"
    for record in records:
        del record["requestId"], record["at"], record["stages"][0]["durationMicroseconds"]
    assert records[0] == records[1]


def test_an_api_key_is_found_nowhere_again(leaks: dict[str, set[str]]) -> None:
    assert _leaks_of(leaks, "a key", "a poor key", "an unknown key") == {}


@pytest.mark.parametrize(
    ("secret", "file"), [("the demo key", "demo-key"), ("the root secret", "root-secret")]
)
def test_the_sandboxs_own_secrets_are_only_in_their_files(
    scene: Scene, leaks: dict[str, set[str]], secret: str, file: str
) -> None:
    assert leaks[secret] == {f"{file} (running)", f"{file} (stopped)"}
    for name in (file, "sandbox.db"):
        assert (scene.home.path / name).stat().st_mode & 0o077 == 0, name
