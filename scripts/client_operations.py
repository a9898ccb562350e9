"""The operations of our OpenAPI document, as the methods of both clients need them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from scripts.client_methods import is_listing, method_name

REF: Final = "#/components/schemas/"
_OWN_HEADERS: Final = {"Idempotency-Key", "Prefer", "X-Request-Id"}
"""Headers that the clients fill in themselves."""
_HARMLESS: Final = ("search", "check", "try", "giveFeedback")
"""How the names of operations begin that change nothing although they are no GET, or that change
nothing more when they are done twice."""
_KEYS: Final = ("notificationId", "requestId", "id", "version", "jobId", "line")
"""Fields by which the next page is found, the item's own name before what it is about."""

_PLACES: Final = ("after", "cursor", "startingAfter")
"""Parameters that say where a page begins."""


class Paging(NamedTuple):
    """How the pages of an operation follow each other."""

    items: str
    """The field of a page that holds them."""
    parameter: str | None = None
    """What a call takes to go on; None when there is but one page."""
    cursor: str | None = None
    """The field of a page that has its value."""
    key: str | None = None
    """Or the field of its last item."""
    says_more: bool = True
    """Whether `hasMore` tells of another page; otherwise the cursor does."""
    waits: bool = False
    """Whether it can wait for what comes next, and then goes on for ever."""


class ApiOperation:
    """One operation as a method."""

    def __init__(
        self, path: str, verb: str, spec: Mapping[str, Any], schemas: Mapping[str, Any]
    ) -> None:
        self.verb, self.spec, self.schemas = verb, spec, schemas
        self.name: str = spec["operationId"]
        self.path = path
        found = list(spec.get("parameters", ()))
        self.path_names: list[str] = [one["name"] for one in found if one["in"] == "path"]
        self.query = [one for one in found if one["in"] == "query"]
        headers = [one for one in found if one["in"] == "header"]
        self.headers = [one for one in headers if one["name"] not in _OWN_HEADERS]
        self.is_keyed = any(one["name"] == "Idempotency-Key" for one in headers)
        content = spec.get("requestBody", {}).get("content", {}).get("application/json")
        self.body = content["schema"]["$ref"].removeprefix(REF) if content else None
        good = next(one for status, one in spec["responses"].items() if status.startswith("2"))
        envelope = good["content"]["application/json"]["schema"]["$ref"].removeprefix(REF)
        fields: Mapping[str, Any] = schemas[envelope]["properties"]
        [self.field] = [one for one in fields if one.endswith("Response")]
        shape = fields[self.field]
        shape = next((one for one in shape.get("anyOf", ()) if "$ref" in one), shape)
        self.answer: str = shape["$ref"].removeprefix(REF)

    @property
    def group_and_method(self) -> tuple[str, str]:
        """Where the method is found, and what it is called."""
        group, _, name = method_name(self.name, self.path).rpartition(".")
        return group, name

    @property
    def repeat(self) -> str:
        """Whether it may be sent again when nobody knows if it was processed."""
        if self.is_keyed:
            return "keyed"
        harmless = self.verb in ("get", "put", "delete") or self.name.startswith(_HARMLESS)
        return "harmless" if harmless else "never"

    @property
    def body_fields(self) -> Mapping[str, Any]:
        """The fields of its body."""
        found: Mapping[str, Any] = self.schemas[self.body]["properties"] if self.body else {}
        return found

    @property
    def body_required(self) -> tuple[str, ...]:
        """The fields that its body must have."""
        return tuple(self.schemas[self.body].get("required", ())) if self.body else ()

    @property
    def paging(self) -> Paging | None:
        """How to go on after a page, if the answer is one."""
        fields = self.schemas[self.answer].get("properties", {})
        lists = [name for name, one in fields.items() if one.get("type") == "array"]
        if not lists or not is_listing(method_name(self.name, self.path)):
            return None
        items, says_more = lists[0], "hasMore" in fields
        takes = {one["name"] for one in self.query} | set(self.body_fields)
        shown = fields[items]["items"].get("$ref", "").removeprefix(REF)
        known = self.schemas.get(shown, {}).get("properties", ())
        key = next((one for one in _KEYS if one in known), None)
        cursor = next((one for one in ("nextCursor", "cursor") if one in fields), None)
        parameter = next((one for one in _PLACES if one in takes), None)
        if parameter is None:
            return Paging(items)
        if cursor is None and (key is None or not says_more):
            raise ValueError(f"nobody can tell how the pages of {self.name} go on")
        waits = "wait" in takes
        return Paging(items, parameter, cursor, None if cursor else key, says_more, waits)


def operations(document: Mapping[str, Any]) -> Iterator[ApiOperation]:
    """All operations, in the order of the document."""
    schemas = document["components"]["schemas"]
    for path, item in document["paths"].items():
        for verb, spec in item.items():
            yield ApiOperation(path, verb, spec, schemas)


def event_schemas(document: Mapping[str, Any]) -> dict[str, str]:
    """The names of the schemas of events, by their types."""
    bodies = {kind: item["post"]["requestBody"] for kind, item in document["webhooks"].items()}
    found = {kind: one["content"]["application/json"]["schema"] for kind, one in bodies.items()}
    return {kind: schema["$ref"].removeprefix(REF) for kind, schema in found.items()}


def grouped(document: Mapping[str, Any]) -> dict[str, dict[str, ApiOperation]]:
    """The operations by the group and the name of their methods."""
    groups: dict[str, dict[str, ApiOperation]] = {}
    for one in operations(document):
        group, name = one.group_and_method
        if name in groups.setdefault(group, {}):
            raise ValueError(f"{one.name} needs a name of its own in client_methods.py")
        groups[group][name] = one
    return groups
