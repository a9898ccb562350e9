"""Reads the query of a request: which parameters there are."""

from collections.abc import Collection
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from gatehouse.api.problems import Problem
from gatehouse.core.reading.field_hints import FieldHints
from gatehouse.core.reading.validation import shown_key

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


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return "is not known; there are no query parameters here"
    near = ""
    if shown_key(name) == name:
        near = FieldHints(("", each) for each in known).hint("", name)
    return "is not a known query parameter" + (near or f"; there are {', '.join(known)}")
