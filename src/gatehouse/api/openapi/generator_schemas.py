"""Rewrites schemas so that generators of clients read them as they are meant.

msgspec describes types exactly; generators that nobody here wrote take some of it differently.
"""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.core.reading.validation import shown_pattern

TAGS: Final = {
    "Checks": "Operations that check a request, alone or as a pipeline. Each has its fee.",
    "Pipelines": "Which pipelines there are.",
    "Decisions": "Records of processed requests.",
    "Reviews": "Decisions that wait for a person.",
    "Feedback": "What became of requests.",
    "Events": "What happened to the account.",
    "Manage": "What the account has configured, and its jobs; for keys with a scope for it.",
    "Billing": "What the account has, and what moved its balance.",
}
"""The groups of operations, with what each is about."""

_GROUPS: Final = {"Balance": "Billing", "Statement": "Billing"}
_ERROR_CODE: Final = "ErrorCode"
_ANY_ARRAY: Final = {"type": "array"}


def for_generators(schema: Any) -> Any:
    """The same schema, without what generators stumble over.

    A default of null makes some of them take an optional field for one that is always there, and
    an array that does not say what it holds makes others leave out the whole operation.
    """
    if isinstance(schema, list):
        return [for_generators(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: for_generators(value)
        for key, value in schema.items()
        if not (key == "default" and value is None)
    }
    if isinstance(pattern := kept.get("pattern"), str):
        kept["pattern"] = shown_pattern(pattern)
    if _ANY_ARRAY in kept.get("anyOf", ()):
        # Only values of any kind allow arrays of anything.
        kept["not"] = {"type": "null"}
        del kept["anyOf"]
    return kept


def with_error_codes(schemas: Mapping[str, Any], codes: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas with the error codes as one enumeration."""
    errors = schemas["Errors"]
    code = {"$ref": f"#/components/schemas/{_ERROR_CODE}"}
    listed = {
        "type": "string",
        "description": "Stable machine-readable word; later versions may add some.",
        "enum": sorted(codes),
    }
    properties = {**errors["properties"], "code": code}
    return {**schemas, "Errors": {**errors, "properties": properties}, _ERROR_CODE: listed}


def with_tags(paths: Mapping[str, Any]) -> dict[str, Any]:
    """The paths, each operation in its group: named by its path, or else one of the checks."""
    return {
        path: {
            method: {"tags": [tag_of(path)], **described} for method, described in methods.items()
        }
        for path, methods in paths.items()
    }


def tag_of(path: str) -> str:
    """The group of the operations at a path."""
    subject = path.split("/")[3].capitalize()
    subject = _GROUPS.get(subject, subject)
    return subject if subject in TAGS else "Checks"
