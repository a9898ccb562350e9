"""Whether the constants of a dialect, and those that an operator chooses, fit where they go."""

from collections.abc import Iterator, Mapping
from typing import Final

from gatehouse.connectors.iso8583.definition import DialectDefinition
from gatehouse.connectors.iso8583.layout.field_layout import FieldLayout, leaves_of
from gatehouse.connectors.iso8583.layout.fields import FieldCompiler
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.wording.sentences import Phrase, said_by

_FIELD: Final = Phrase("document.iso_field", "field {number}")
_MISFIT: Final = Phrase("document.iso_misfit", "does not fit: {problem}")
_NOT_AS_HELD: Final = Phrase(
    "document.iso_not_as_held",
    "must be written as the field holds it: all its characters, no blanks around it",
)


def parameter_problems(
    definition: DialectDefinition, parameters: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with parameters that an operator chose: the name and what is to be done."""
    for name in parameters:
        if name not in definition.parameters:
            # Imported here: a server that starts reads no files, and need not load their readers.
            from gatehouse.core.documents.reading import unknown_word

            yield name, unknown_word(name, definition.parameters)
    compiler = FieldCompiler(definition.encoding, parameters, {})
    for number, leaf in _leaves(definition):
        if leaf.parameter is not None and leaf.parameter in parameters:
            problem = _write_problem(compiler, _FIELD(number=number), leaf)
            if problem is not None:
                yield leaf.parameter, _MISFIT(problem=problem)


def constant_problems(definition: DialectDefinition) -> Iterator[tuple[str, str]]:
    """What is wrong with the constants of a dialect: the path in its file, and a message."""
    defaults = {name: each.default for name, each in definition.parameters.items()}
    for name, problem in parameter_problems(definition, defaults):
        yield f"parameters.{name}.default", problem
    compiler = FieldCompiler(definition.encoding, defaults, definition.codes)
    for number, leaf in _leaves(definition):
        if leaf.value is not None:
            wrong = _write_problem(compiler, _FIELD(number=number), leaf)
            if wrong is not None:
                yield f"fields.{number}", wrong
    for place, fields, role, value in _own_values(definition):
        for number in fields:
            for leaf in leaves_of(definition.fields[number]):
                wrong = _own_value_problem(compiler, leaf, role, value)
                if wrong is not None:
                    yield f"{place}.{role}", wrong


def _own_values(
    definition: DialectDefinition,
) -> Iterator[tuple[str, tuple[str, ...], Role, str]]:
    """Each value that messages have of their own: its place in the file, and in which fields."""
    authorize = definition.messages.get(MessageKind.AUTHORIZE)
    places = [
        (f"messages.{kind}.values", message.fields, message.values)
        for kind, message in definition.messages.items()
    ]
    if authorize is not None:
        said = definition.stored_credentials.items()
        places += [(f"stored_credentials.{each}", authorize.fields, own) for each, own in said]
    for place, fields, values in places:
        for role, value in values.items():
            yield place, fields, role, value


def _leaves(definition: DialectDefinition) -> Iterator[tuple[str, FieldLayout]]:
    for number, layout in definition.fields.items():
        for leaf in leaves_of(layout):
            yield number, leaf


def _write_problem(compiler: FieldCompiler, name: str, leaf: FieldLayout) -> str | None:
    try:
        compiler.enclosed(name, leaf).write({})
    except MalformedMessage as error:
        return said_by(error)
    return None


def _own_value_problem(
    compiler: FieldCompiler, leaf: FieldLayout, role: Role, value: str
) -> str | None:
    """A value that tells kinds apart must come back as it was written."""
    if leaf.role is not role:
        return None
    found: dict[Role, str] = {}
    try:
        field = compiler.field("the field", leaf)
        raw = field.write({role: value})
        field.read(raw or b"", 0, found)
    except MalformedMessage as error:
        return _MISFIT(problem=said_by(error))
    if found.get(role) != value:
        return _NOT_AS_HELD()
    return None
