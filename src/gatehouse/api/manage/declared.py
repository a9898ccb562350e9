"""Endpoints of use cases: their parameters, read from a call, and described as the API does it."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from gatehouse.api.manage.endpoints import (
    DRY_RUN,
    LONGEST_CURSOR,
    ManageCall,
    ManageEndpoint,
    Parameter,
    read_flag,
    short_text,
    whole_number,
)
from gatehouse.api.openapi.generator_schemas import for_generators
from gatehouse.core.api_values import camel
from gatehouse.core.reading.validation import ONE_OF
from gatehouse.core.wording.sentences import any_of
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.admin.use_case import Precondition, Tagged, UseCase

Reads = Callable[[ManageCall], Any]


def endpoint_of(case: UseCase[..., Any]) -> ManageEndpoint:
    """The endpoint that offers a use case."""
    hints = get_type_hints(case.function, include_extras=True)
    answer = hints.pop("return")
    body: Any = None
    query: list[Parameter] = []
    reads: list[Reads] = []
    abouts: dict[str, str] = {}
    examples: dict[str, str] = {}
    for name in list(inspect.signature(case.function).parameters)[2:]:
        hint, meta = _bare(hints[name])
        place = camel(name)
        if f"{{{place}}}" in case.path:
            abouts[place] = meta.description or ""
            examples.update((place, one) for one in (meta.examples or ())[:1])
            reads.append(_from_path(place))
        elif name == "dry_run":
            query.append(DRY_RUN)
            reads.append(lambda call: call.dry_run)
        elif hint is Precondition:
            reads.append(lambda call: call.precondition)
        elif name == "given":
            body = hint
            reads.append(lambda call: call.body)
        else:
            query += parameters_of(hint)
            reads.append(_from_query(hint))
    tagged = get_origin(answer) is Tagged

    def run(call: ManageCall) -> Any:
        return case(call.session, call.account_id, *(read(call) for read in reads))

    return ManageEndpoint(
        method=case.method,
        path=case.path,
        scope=case.terms.scope,
        rights=case.terms.rights,
        operation=case.terms.operation,
        summary=case.summary,
        about=case.about,
        field=case.terms.answers,
        answer=get_args(answer)[0] if tagged else answer,
        run=run,
        waits=inspect.iscoroutinefunction(case.function),
        one_change=case.takes is Change,
        body=body,
        body_example=case.terms.example,
        query=tuple(query),
        path_about=abouts,
        path_examples=examples,
        tagged=tagged,
        guarded=Precondition in map(_kind, hints.values()),
        most_bytes=case.terms.most_bytes,
        names_cards=case.terms.names_cards,
        reads=case.terms.reads,
        unseen=case.terms.unseen,
        codes=case.terms.codes,
    )


def parameters_of(kind: type[msgspec.Struct]) -> list[Parameter]:
    """The parameters of a query that a struct describes."""
    _, schemas = msgspec.json.schema_components([kind])
    described = for_generators(schemas[kind.__name__]["properties"])
    return [
        _parameter(each.encode_name, described[each.encode_name], each)
        for each in msgspec.structs.fields(kind)
    ]


def _parameter(name: str, schema: dict[str, Any], field: msgspec.structs.FieldInfo) -> Parameter:
    about = schema.pop("description")
    for choice in schema.pop("anyOf", ()):
        if choice != {"type": "null"}:
            schema |= choice
    words = _words(field.type)
    if words is not None:
        schema.pop("$ref", None)
        schema |= {"type": "string", "enum": [each.value for each in words]}
    default = None if field.default is msgspec.NODEFAULT else field.default
    if default is None or default is False:
        schema.pop("default", None)
    reader = _reader(schema) if words is None else partial(_word, words)
    return Parameter(name, about, schema, reader, default)


def _words(hint: Any) -> type[StrEnum] | None:
    """The words that a parameter can have, if it is one of some."""
    kinds = (_kind(hint), *map(_kind, get_args(_kind(hint))))
    return next((e for e in kinds if isinstance(e, type) and issubclass(e, StrEnum)), None)


def _word(words: type[StrEnum], text: str) -> StrEnum:
    try:
        return words(text)
    except ValueError:
        raise ValueError(ONE_OF(known=any_of([each.value for each in words]))) from None


def _reader(schema: dict[str, Any]) -> Callable[[str], Any]:
    if schema["type"] == "integer":
        return whole_number(schema["minimum"], schema["maximum"])
    if schema["type"] == "boolean":
        return read_flag
    return short_text(schema.get("maxLength", LONGEST_CURSOR), schema.get("pattern", ""))


def _from_path(place: str) -> Reads:
    return lambda call: call.path[place]


def _from_query(kind: type[msgspec.Struct]) -> Reads:
    fields = msgspec.structs.fields(kind)
    return lambda call: kind(**{each.name: call.query[each.encode_name] for each in fields})


def _bare(hint: Any) -> tuple[Any, Meta]:
    """A type, and what is said about it."""
    if get_origin(hint) is not Annotated:
        return hint, Meta()
    kind, *said = get_args(hint)
    return kind, next((one for one in said if isinstance(one, Meta)), Meta())


def _kind(hint: Any) -> Any:
    return _bare(hint)[0]
