"""Reads the query of a request: which parameters there are, and the page that they ask for."""

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from gatehouse.api.problems import Problem
from gatehouse.core.api_values import DEFAULT_PAGE, LARGEST_PAGE
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.ids import is_id
from gatehouse.core.reading.field_hints import FieldHints
from gatehouse.core.reading.validation import shown_key
from gatehouse.pipeline.settlement import Search

PAGE_PARAMETERS: Final = ("limit", "startingAfter")
_MOST_PARAMETERS: Final = 20


class Query(msgspec.Struct, frozen=True):
    """The parameters of a query, each given once and known, and what is wrong with the others."""

    values: dict[str, str]
    wrong: dict[str, list[str]]


def read_query(query_string: bytes, known: Collection[str]) -> Query:
    """The parameters of a query; raises a `Problem` when there are too many."""
    try:
        text = query_string.decode("latin-1")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        most = f"at most {_MOST_PARAMETERS} query parameters"
        raise Problem("invalid_request", details=[most]) from None
    values: dict[str, str] = {}
    wrong: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in known:
            wrong[shown_key(name)] = [_unknown(name, known)]
        elif name in values:
            wrong[name] = ["is given more than once"]
        values[name] = value
    return Query(values, wrong)


def refuse_parameters(query_string: bytes) -> None:
    """Refuse a query where none is read."""
    wrong = read_query(query_string, ()).wrong
    if wrong:
        raise Problem("invalid_request", fields=wrong)


def read_search(query: Query, wrong_already: Mapping[str, list[str]]) -> Search:
    """The page that a query asks for, or a `Problem` that names every wrong parameter."""
    wrong: dict[str, list[str]] = {}
    reference = query.values.get("clientReferenceId")
    if reference is not None and len(reference) > 128:
        wrong["clientReferenceId"] = ["must have at most 128 characters"]
    before = query.values.get("startingAfter")
    if before is not None and not is_id(before, "req"):
        wrong["startingAfter"] = ["must be a requestId, as in the last decision of a page"]
    limit = query.values.get("limit", str(DEFAULT_PAGE))
    well_formed = limit.isascii() and limit.isdigit() and len(limit) <= len(str(LARGEST_PAGE))
    if not (well_formed and 1 <= int(limit) <= LARGEST_PAGE):
        wrong["limit"] = [f"must be a number from 1 to {LARGEST_PAGE}"]
    wrong |= {**wrong_already, **query.wrong}
    if wrong:
        raise Problem("invalid_request", fields=wrong)
    kept = None if reference is None else recordable(reference)
    return Search(kept, before, int(limit))


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return "is not known; there are no query parameters here"
    near = ""
    if shown_key(name) == name:
        near = FieldHints(("", each) for each in known).hint("", name)
    return "is not a known query parameter" + (near or f"; there are {', '.join(known)}")
