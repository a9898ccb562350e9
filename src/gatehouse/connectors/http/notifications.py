"""Proves and reads the messages that a party sends by itself. Nothing of their text is logged."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from gatehouse.connectors.http.answers import AnswerUnusable, Read, WordKind, compile_reading
from gatehouse.connectors.http.authentication import ByteEncoding
from gatehouse.connectors.http.json_paths import UnexpectedShape, compile_node, compile_path
from gatehouse.connectors.http.notification_mapping import (
    NotificationMapping,
    NotificationSignature,
)
from gatehouse.connectors.http.reader import Reading
from gatehouse.connectors.http.signing import key_bytes
from gatehouse.connectors.http.templates import Environment, compile_template, parse_template
from gatehouse.core.cards.redaction import LONGEST_NUMBER, recordable
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import SettingsError
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.notifying import (
    ABOUT_OUTCOMES,
    NotificationRefused,
    NotifiedEvent,
    ProviderNotification,
)

MOST_TOLD: Final = 100
"""Notifications in one message."""
_FEWEST_KEY_BYTES: Final = 16
_MOST_SIGNATURES: Final = 10
_LONGEST_TIME: Final = 12
_LONGEST_HEADER: Final = 4_096
_SHORT_KEY: Final = Phrase(
    "connector.short_key",
    "a key of notifications has fewer than {fewest} bytes, so that it could be guessed",
)
SIGNED_PARTS: Final = re.compile(r"\{(body|time|header\.[A-Za-z0-9-]{1,64})\}")
_MILLISECONDS: Final = 100_000_000_000
"""A number of seconds as large as this is one of milliseconds."""
_UNPROVED: Final = "the signature is not right"
_READ: Final = {
    "payment_id": WordKind.ID,
    "reference": WordKind.ID,
    "operation": WordKind.ID,
    "operation_id": WordKind.ID,
    "amount": WordKind.MINOR,
    "currency": WordKind.CURRENCY,
    "response_code": WordKind.GATEWAY_CODE,
    "at": WordKind.MOMENT,
    "id": WordKind.ID,
}
_READ_OF_CASES: Final = {
    "id": WordKind.CASE,
    "at": WordKind.MOMENT,
    "network": WordKind.NETWORK,
    "reason": WordKind.REASON,
    "stage": WordKind.STAGE,
    "result": WordKind.ENDING,
    "respond_by": WordKind.MOMENT,
}


def readings_of(mapping: NotificationMapping) -> Iterator[tuple[str, Reading | None, WordKind]]:
    """Every value that is read: its place in the mapping, how, and what it must be."""
    yield "event", mapping.event, WordKind.EVENT
    for name, kind in _READ.items():
        yield name, getattr(mapping, name), kind
    if mapping.case is not None:
        for name, kind in _READ_OF_CASES.items():
            yield f"case.{name}", getattr(mapping.case, name), kind


class HttpNotifications:
    """Reads what one party sends."""

    def __init__(self, mapping: NotificationMapping, environment: Environment) -> None:
        self._proof = _Proof(mapping.signature, environment)
        self._items = None if mapping.list is None else compile_node(mapping.list)
        self._reads = {
            name: compile_reading(reading, kind, environment.tables)
            for name, reading, kind in readings_of(mapping)
            if reading is not None
        }

    def read(
        self, headers: Mapping[bytes, bytes], body: bytes, now_s: float
    ) -> list[ProviderNotification]:
        """What a message tells, none where it is of no concern; or `NotificationRefused`."""
        if not self._proof.of_body(headers, body, now_s):
            raise NotificationRefused(_UNPROVED, proved=False)
        try:
            message = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError):
            said = "the message is not JSON"
            raise NotificationRefused(said, proved=self._proof.is_whole) from None
        items = [message] if self._items is None else self._items(message)
        if not isinstance(items, list) or len(items) > MOST_TOLD:
            said = f"the message holds no list of at most {MOST_TOLD} notifications"
            raise NotificationRefused(said, proved=self._proof.is_whole)
        if not all(self._proof.of_item(headers, each) for each in items):
            raise NotificationRefused(_UNPROVED, proved=False)
        told, said = [], ""
        for each in items:
            try:
                told.append(self._told(each))
            except UnexpectedShape:
                said = "the message holds an object or a list where a value belongs"
            except AnswerUnusable as error:
                said = str(error)
        found = [each for each in told if each is not None]
        if said:
            raise NotificationRefused(said, proved=True, told=found)
        return found

    def _told(self, item: Any) -> ProviderNotification | None:
        event = self._word("event", item)
        if event is None:
            return None
        at = _milliseconds(self._word("at", item))
        amount, currency = self._word("amount", item), self._word("currency", item)
        told = ProviderNotification(
            event=NotifiedEvent(event),
            payment_id=_name(self._word("payment_id", item)),
            reference=_name(self._word("reference", item)),
            operation=_name(self._word("operation", item)),
            operation_id=_name(self._word("operation_id", item)),
            amount_minor=None if amount is None else int(amount),
            currency=None if currency is None else currency.upper(),
            response_code=_kept(self._word("response_code", item)),
        )
        if told.event in ABOUT_OUTCOMES:
            told = msgspec.structs.replace(
                told,
                case=_name(self._word("case.id", item)),
                case_at_ms=_milliseconds(self._word("case.at", item)),
                network=self._word("case.network", item),
                reason=_kept(self._word("case.reason", item)),
                stage=self._word("case.stage", item),
                result=self._word("case.result", item),
                respond_by_ms=_milliseconds(self._word("case.respond_by", item)),
            )
        name = _name(self._word("id", item))
        # Without an id of its own, what is told is its name: told again, it is the same.
        name = name or hashlib.sha256(msgspec.json.encode(told)).hexdigest()
        return msgspec.structs.replace(told, name=name, at_ms=at)

    def _word(self, name: str, item: Any) -> str | None:
        read: Read | None = self._reads.get(name)
        return None if read is None else read(item, None)


class _Proof:
    """Compares signatures, in a time that does not depend on how they differ."""

    def __init__(self, written: NotificationSignature, environment: Environment) -> None:
        self._keys = [*_keys(written, environment)]
        self._algorithm = written.algorithm.value
        self._decode = _DECODERS[written.encoding]
        self._header = None if written.header is None else written.header.lower().encode()
        self._part, self._time = written.part, written.time
        self._tolerance_s = written.tolerance_s
        self._sign = SIGNED_PARTS.split(written.sign)
        self._found = None if written.path is None else compile_path(written.path)
        paths = written.sign_paths
        self._signed = None if paths is None else [compile_path(each) for each in paths]
        self.is_whole = paths is None
        """Whether the message is signed, and not each of its notifications."""

    def of_body(self, headers: Mapping[bytes, bytes], body: bytes, now_s: float) -> bool:
        """Whether the message is signed as a whole; true where its notifications are."""
        if self._time is not None and not self._is_timely(headers, now_s):
            return False
        if not self.is_whole:
            return True
        return self._holds(self._given(headers), self._content(headers, body))

    def of_item(self, headers: Mapping[bytes, bytes], item: Any) -> bool:
        """Whether one notification is signed; true where the message is."""
        if self._signed is None:
            return True
        try:
            content = ":".join(find(item) or "" for find in self._signed).encode()
            given = None if self._found is None else self._found(item)
        except UnexpectedShape:
            return False
        if self._found is None:
            return self._holds(self._given(headers), content)
        return given is not None and self._holds([given], content)

    def _holds(self, given: list[str], content: bytes) -> bool:
        wanted = [hmac.new(key, content, self._algorithm).digest() for key in self._keys]
        found = False
        for text in given[:_MOST_SIGNATURES]:
            try:
                signature = self._decode(text)
            except (ValueError, binascii.Error):
                continue
            for each in wanted:
                found |= hmac.compare_digest(each, signature)
        return found

    def _given(self, headers: Mapping[bytes, bytes]) -> list[str]:
        assert self._header is not None
        return _parts(headers.get(self._header, b"").decode("latin-1"), self._part)

    def _content(self, headers: Mapping[bytes, bytes], body: bytes) -> bytes:
        made = []
        for index, part in enumerate(self._sign):
            if index % 2 == 0:
                made.append(part.encode())
            elif part == "body":
                made.append(body)
            elif part == "time":
                made.append(self._moment(headers).encode("latin-1"))
            else:
                made.append(headers.get(part.removeprefix("header.").lower().encode(), b""))
        return b"".join(made)

    def _moment(self, headers: Mapping[bytes, bytes]) -> str:
        assert self._time is not None
        text = headers.get(self._time.header.lower().encode(), b"").decode("latin-1")
        return next(iter(_parts(text, self._time.part)), "")

    def _is_timely(self, headers: Mapping[bytes, bytes], now_s: float) -> bool:
        text = self._moment(headers)
        is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_TIME
        return is_number and abs(now_s - int(text)) <= self._tolerance_s


def _parts(text: str, name: str | None) -> list[str]:
    """The values of a name in a header such as `t=1,v1=ab,v1=cd`; without a name, all of it."""
    if name is None:
        return [text.strip()] if text.strip() else []
    found = (each.strip() for each in re.split(r"[,;]", text[:_LONGEST_HEADER]))
    return [each[len(name) + 1 :] for each in found if each.startswith(f"{name}=")]


def _keys(written: NotificationSignature, environment: Environment) -> Iterator[bytes]:
    """The keys that are given; the next one of a rotation may be left out."""
    for text in written.keys:
        made = compile_template(parse_template(text), environment)
        if made is None or callable(made):
            continue
        key = key_bytes(str(made), written.key_encoding)
        if len(key) < _FEWEST_KEY_BYTES:
            raise SettingsError(_SHORT_KEY(fewest=_FEWEST_KEY_BYTES))
        yield key


def has_keys(written: NotificationSignature, environment: Environment) -> bool:
    """Whether the configuration gives a key, so that messages can be proved."""
    return any(_keys(written, environment))


_DECODERS: Final[dict[ByteEncoding, Callable[[str], bytes]]] = {
    ByteEncoding.BASE64: lambda text: base64.b64decode(text, validate=True),
    ByteEncoding.HEX: bytes.fromhex,
}


def _name(text: str | None) -> str | None:
    """A name that is not like the number of a card; masked, it would name others as well.

    A number of more digits than any card has is the party's own.
    """
    if text is None or (len(text) > LONGEST_NUMBER and text.isdigit() and text.isascii()):
        return text
    return text if recordable(text) == text else None


def _kept(text: str | None) -> str | None:
    """A word without what may be the number of a card."""
    return None if text is None else recordable(text)


def _milliseconds(text: str | None) -> int | None:
    """A moment in milliseconds since 1970; one without a zone is UTC."""
    if text is None:
        return None
    if text.replace(".", "", 1).isdigit():
        number = float(text)
        return int(number if number >= _MILLISECONDS else number * 1000)
    try:
        at_ms = parse_time(text)
    except ValueError:
        return None
    # Some say that there is none by a date of long ago, for which no id can be made.
    return at_ms if at_ms >= 0 else None
