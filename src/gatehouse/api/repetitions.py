"""How repeated requests are recognised: what is kept of an idempotency key and of its body.

Values of fields that nothing reads are left out, because one may be a misspelt security code. Which
fields these are depends on the version. So a mark of each is kept beside the hash: a server that
reads more of them, or fewer, leaves out the same ones before it compares.
"""

from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.reading.custom_inputs import take_codes
from gatehouse.core.reading.request_reader import read_json
from gatehouse.core.reading.validation import join_path
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.pipeline.settlement import Claim

canonical: Final = msgspec.json.Encoder(order="sorted").encode
"""The same text for the same JSON, whatever the order of its fields."""
_NEVER_KEPT: Final = ("cardCvv2Value", "authenticationValue")
_CONTAINERS: Final = frozenset((dict, list))
_MOST_MARKS: Final = 20
_MARK_DIGITS: Final = 16

LeaveOut = Callable[[Any], list[str]]
"""Takes the values of fields that nothing reads out of a body, and tells their paths."""


class Repetitions(NamedTuple):
    """How repeated requests are recognised, and for how long."""

    key: bytes
    kept_ms: int

    def claim(self, scoped: bytes, content: bytes, now_ms: int) -> Claim:
        """What is kept of an idempotency key in its scope, and of what was sent with it."""
        return Claim(
            claim_id=keyed_hash(self.key, b"key " + scoped),
            body=self._hash(scoped, content),
            expires_at_ms=now_ms + self.kept_ms,
        )

    def body_claim(self, scoped: bytes, body: bytes, leave_out: LeaveOut, now_ms: int) -> Claim:
        """The same for the body of an operation; `RecursionError` if it is nested too deeply."""
        given = _without_codes(body)
        unread = leave_out(given)
        claim = self.claim(scoped, canonical(given), now_ms)
        hashed = claim.body

        def is_kept_as(kept: str) -> bool:
            first, *marks = kept.split(" ")
            # Earlier versions kept no marks.
            return (first == hashed and not marks) or self._is_same(scoped, body, first, marks)

        marks = sorted(self._mark(scoped, path) for path in unread)[:_MOST_MARKS]
        return msgspec.structs.replace(
            claim, body=" ".join((hashed, *marks)), is_kept_as=is_kept_as
        )

    def _is_same(self, scoped: bytes, body: bytes, hashed: str, marks: Collection[str]) -> bool:
        """Whether a body has this hash, without the values of the fields with these marks."""
        given = _without_codes(body)
        if marks:
            _blank(given, lambda path: self._mark(scoped, path) in marks)
        content = canonical(given)
        # Version 0.1.0 did not bind the hash to account and key.
        return hashed in (self._hash(scoped, content), keyed_hash(self.key, b"body " + content))

    def _hash(self, scoped: bytes, content: bytes) -> str:
        # Bound to the account and the key: bodies with card numbers in them must not be
        # comparable between accounts by those who read the database.
        return keyed_hash(self.key, b"body of " + scoped + b"\n" + content)

    def _mark(self, scoped: bytes, path: str) -> str:
        named = b"field of " + scoped + b"\n" + path.encode()
        return keyed_hash(self.key, named)[:_MARK_DIGITS]


def _without_codes(body: bytes) -> Any:
    """A body without its security codes: not even a hash of one is ever kept."""
    given = read_json(body)
    _drop_codes(given)
    return given


def _drop_codes(value: dict[str, Any] | list[Any]) -> None:
    if isinstance(value, dict):
        for name in _NEVER_KEPT:
            value.pop(name, None)
        if isinstance(inputs := value.get("customInputs"), dict):
            take_codes(inputs)
    elements = value.values() if isinstance(value, dict) else value
    # Most objects and arrays hold plain values, of which an array may have very many.
    if not _CONTAINERS.isdisjoint(map(type, elements)):
        for inner in elements:
            if isinstance(inner, (dict, list)):
                _drop_codes(inner)


def _blank(given: Any, is_left_out: Callable[[str], bool]) -> None:
    """Take the values at some paths out of a body; without recursion, however deep it is."""
    waiting: list[tuple[str, Any]] = [("", given)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, list):
            waiting += [(f"{path}[{index}]", each) for index, each in enumerate(value)]
        elif isinstance(value, dict):
            for key, inner in value.items():
                place = join_path(path, key)
                if is_left_out(place):
                    value[key] = None
                else:
                    waiting.append((place, inner))
