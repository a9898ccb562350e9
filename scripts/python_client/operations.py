"""The operations of our OpenAPI document, as methods of the Python client."""

import keyword
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

_REF: Final = "#/components/schemas/"
_OWN_HEADERS: Final = {"Idempotency-Key", "Prefer", "X-Request-Id"}
"""Headers that the client fills in itself."""
_HARMLESS: Final = {"searchDecisions", "searchEntries", "searchIdentities", "searchReviews"}
_NAMES: Final = {
    "precheck": "precheck",
    "idverify": "id_verify",
    "sentry": "sentry",
    "rules": "rules",
    "pipeline": "pipeline",
    "listPipelines": "pipelines",
    "getBalance": "balance",
    "getStatement": "statement",
    "listDecisions": "decisions.list",
    "getDecision": "decisions.get",
    "searchDecisions": "decisions.search",
    "listReviews": "reviews.list",
    "getReview": "reviews.get",
    "searchReviews": "reviews.search",
    "resolveReview": "reviews.resolve",
    "resolveReviews": "reviews.resolve_many",
    "assignReview": "reviews.assign",
    "noteReview": "reviews.note",
    "correctReview": "reviews.correct",
    "giveFeedback": "feedback.give",
    "getFeedback": "feedback.get",
    "listEvents": "events.list",
    "getEvent": "events.get",
    "tryRuleSet": "manage.rules.try_out",
    "startBacktest": "manage.rules.backtest",
    "searchEntries": "manage.lists.search",
    "removeEntries": "manage.lists.remove_entries",
    "importFeedback": "manage.feedback.import_many",
    "importIdentities": "manage.identities.import_many",
    "erasePerson": "manage.privacy.erase",
    "startTraining": "manage.models.train",
}
"""What the methods are called; an operation of the management API is called by its path."""
_KEYS: Final = ("requestId", "id", "version", "jobId")
"""Fields by which the next page is found."""


def snake(name: str) -> str:
    """A field's name as Python writes it."""
    if name.isupper():
        return name.lower()
    spaced = re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])", r"_\1\2", name)
    plain = re.sub(r"\W", "_", spaced).lower()
    return plain + "_" if keyword.iskeyword(plain) else plain


class TypeSource(Protocol):
    """Gives annotations of Python for schemas."""

    schemas: Mapping[str, Any]
    sent: set[str]

    def of(self, name: str, schema: Mapping[str, Any], *, sent: bool) -> str:
        """The annotation of a field."""


class ApiOperation:
    """One operation as a method."""

    def __init__(self, path: str, verb: str, spec: Mapping[str, Any], types: TypeSource) -> None:
        self.verb, self.spec, self.types = verb, spec, types
        self.name: str = spec["operationId"]
        self.path = path
        found = list(spec.get("parameters", ()))
        self.path_names = [one for one in found if one["in"] == "path"]
        self.query = [one for one in found if one["in"] == "query"]
        headers = [one for one in found if one["in"] == "header"]
        self.headers = [one for one in headers if one["name"] not in _OWN_HEADERS]
        self.is_keyed = any(one["name"] == "Idempotency-Key" for one in headers)
        content = spec.get("requestBody", {}).get("content", {}).get("application/json")
        self.body = content["schema"]["$ref"].removeprefix(_REF) if content else None
        good = next(one for status, one in spec["responses"].items() if status.startswith("2"))
        envelope = good["content"]["application/json"]["schema"]["$ref"].removeprefix(_REF)
        fields: Mapping[str, Any] = types.schemas[envelope]["properties"]
        [self.field] = [one for one in fields if one.endswith("Response")]
        shape = fields[self.field]
        shape = next((one for one in shape.get("anyOf", ()) if "$ref" in one), shape)
        self.answer = shape["$ref"].removeprefix(_REF)

    @property
    def repeat(self) -> str:
        """Whether it may be sent again when nobody knows if it was processed."""
        if self.is_keyed:
            return "Repeat.KEYED"
        harmless = self.verb in ("get", "put", "delete") or self.name in _HARMLESS
        return "Repeat.HARMLESS" if harmless else "Repeat.NEVER"

    @property
    def body_fields(self) -> Mapping[str, Any]:
        """The fields of its body."""
        found: Mapping[str, Any] = self.types.schemas[self.body]["properties"] if self.body else {}
        return found

    @property
    def paging(self) -> "Paging | None":
        """How to go on after a page, if the answer is one."""
        fields = self.types.schemas[self.answer].get("properties", {})
        lists = [name for name, one in fields.items() if one.get("type") == "array"]
        takes = {one["name"] for one in self.query} | set(self.body_fields)
        if not lists:
            return None
        if {"after", "wait"} <= takes and "cursor" in fields:
            # One that waits for what comes next goes on for ever.
            return Paging(lists[0], "after", "cursor", "not page.has_more and not wait")
        if "cursor" in takes and "nextCursor" in fields:
            return Paging(lists[0], "cursor", "next_cursor", "page.next_cursor is None")
        shown = fields[lists[0]]["items"].get("$ref", "").removeprefix(_REF)
        keys = [
            one for one in self.types.schemas.get(shown, {}).get("properties", ()) if one in _KEYS
        ]
        if "startingAfter" in takes and "hasMore" in fields and keys:
            last = f"{snake(lists[0])}[-1].{snake(keys[0])}"
            return Paging(
                lists[0], "starting_after", last, f"not page.has_more or not page.{snake(lists[0])}"
            )
        return None


class Paging(NamedTuple):
    """How the pages of an operation follow each other."""

    items: str
    """The field that holds them."""
    parameter: str
    """What a call takes to go on."""
    source: str
    """Where a page has its value."""
    ends: str
    """The condition that there are no more."""


def dotted_name(operation: ApiOperation) -> str:
    """Where the method is found, from the client on."""
    if operation.name in _NAMES:
        return _NAMES[operation.name]
    parts = operation.path.removeprefix("/api/v1/").split("/")
    words = [re.sub(r"\W", "_", one) for one in parts if not one.startswith("{")]
    group = words[: 2 if words[0] == "manage" else 1]
    verb = re.match("[a-z]+", operation.name)
    rest = words[len(group) :]
    last = verb[0] if verb else operation.name
    if rest and rest[-1].startswith(last):
        last = "_".join(rest)
    elif rest:
        last = "_".join([last, *rest])
    return ".".join([*group, last])
