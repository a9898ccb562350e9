"""Compares plain data with a msgspec type, reports every difference at once, and builds the value.

Bodies of requests (`core.request_reader`) and files that people write (`core.documents`) are both
validated here. They differ in what a scalar looks like and in their wording.
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Final

from msgspec import NODEFAULT, inspect

from gatehouse.core.wording.sentences import Phrase, said_by

_ENTRIES_FEW_ONE: Final = Phrase("invalid.entries_few_one", "needs at least 1 entry")
_ENTRIES_FEW: Final = Phrase("invalid.entries_few", "needs at least {least} entries")

_NULL: Final = Phrase("invalid.null", "must not be null")
_REQUIRED: Final = Phrase("invalid.required", "is required")
_KEY: Final = Phrase("invalid.key", "the key {why}")
_STRING: Final = Phrase("invalid.string", "must be a string")
ONE_OF: Final = Phrase("invalid.one_of", "must be one of {known}")
_FORM: Final = Phrase("invalid.form", "must be {form}")
_PATTERN: Final = Phrase("invalid.pattern", "must match {pattern}")
_EMPTY: Final = Phrase("invalid.empty", "must not be empty")
_SHORTER: Final = Phrase("invalid.shorter", "must have {least} or more characters")
LONGER: Final = Phrase("invalid.longer", "must have at most {most} characters")
_RANGE: Final = Phrase("invalid.range", "is out of range")
_AT_LEAST: Final = Phrase("invalid.at_least", "must be at least {least}")
_AT_MOST: Final = Phrase("invalid.at_most", "must be at most {most}")
_MORE_THAN: Final = Phrase("invalid.more_than", "must be more than {bound}")
_LESS_THAN: Final = Phrase("invalid.less_than", "must be less than {bound}")
ENTRIES_MANY: Final = Phrase(
    "invalid.entries_many", "must have at most {most} entries, and has {count}"
)

INVALID: Final = object()
"""Stands for a value with a problem that was reported."""

_LONGEST_KEY: Final = 64
_MANY_DIGITS: Final = 3


class TypeWalk(ABC):
    """Walks over data and its type side by side."""

    @abstractmethod
    def report(self, path: str, message: str, key: str | None = None) -> None:
        """Note a problem with the value of a path, or with a key inside it."""

    @abstractmethod
    def key_path(self, path: str, key: str) -> str:
        """The path of a key that the author chose."""

    @abstractmethod
    def is_scalar(self, info: inspect.Type, data: Any) -> bool:
        """Whether the data can be a scalar of this type."""

    @abstractmethod
    def read_scalar(self, info: inspect.Type, data: Any) -> Any:
        """The scalar as the type wants it, or `ValueError`."""

    @abstractmethod
    def expected(self, infos: Sequence[inspect.Type]) -> str:
        """What to say about data that is of none of these types."""

    @abstractmethod
    def unknown_problem(self, info: inspect.StructType, key: str) -> str | None:
        """What to say about a key that a struct does not have; None when it may be there."""

    def unchecked(self, _info: inspect.DictType) -> frozenset[type]:
        """The types of values that are right in any entry of a map, whatever the key."""
        return frozenset()

    def convert(self, info: inspect.Type, data: Any, path: str) -> Any:
        """The value, or INVALID after a problem was reported."""
        bare, described = bare_type(info)
        if isinstance(bare, inspect.UnionType):
            return self._union(bare, data, path)
        if isinstance(bare, inspect.AnyType | inspect.RawType):
            return data
        if not self._fits(bare, data):
            return self._invalid(path, self.expected([bare]))
        match bare:
            case inspect.StructType():
                return self._struct(bare, data, path)
            case inspect.ListType() | inspect.VarTupleType():
                return self._list(bare, data, path)
            case inspect.DictType():
                return self._dict(bare, data, path)
        try:
            return _checked(bare, self.read_scalar(bare, data), described)
        except ValueError as error:
            return self._invalid(path, said_by(error))

    def _invalid(self, path: str, message: str) -> Any:
        self.report(path, message)
        return INVALID

    def _fits(self, info: inspect.Type, data: Any) -> bool:
        match info:
            case inspect.StructType() | inspect.DictType():
                return isinstance(data, dict)
            case inspect.ListType() | inspect.VarTupleType():
                return isinstance(data, list)
        return self.is_scalar(info, data)

    def _union(self, info: inspect.UnionType, data: Any, path: str) -> Any:
        others = [each for each in info.types if not isinstance(each, inspect.NoneType)]
        if data is None:
            nullable = len(others) < len(info.types)
            return None if nullable else self._invalid(path, _NULL())
        if len(others) == 1:
            return self.convert(others[0], data, path)
        for member in others:
            if self._fits(bare_type(member)[0], data):
                return self.convert(member, data, path)
        return self._invalid(path, self.expected([bare_type(member)[0] for member in others]))

    def _struct(self, info: inspect.StructType, data: dict[str, Any], path: str) -> Any:
        values: dict[str, Any] = {}
        for field in info.fields:
            here = join_path(path, field.encode_name)
            if field.encode_name in data:
                values[field.name] = self.convert(field.type, data[field.encode_name], here)
            elif field.required:
                values[field.name] = self._invalid(here, _REQUIRED())
            elif field.default_factory is not NODEFAULT:
                values[field.name] = field.default_factory()
            else:
                values[field.name] = field.default
        fine = not any(value is INVALID for value in values.values())
        known = {field.encode_name for field in info.fields}
        for key in data:
            problem = None if key in known else self.unknown_problem(info, key)
            if problem is not None:
                self.report(path, problem, key)
                fine = False
        # The struct's own check sees the good fields; one that is not good equals nothing it tests.
        own = getattr(info.cls, "problems", None)
        for name, message in own(SimpleNamespace(**values)) if own is not None else ():
            self.report(join_path(path, name) if name else path, message)
            fine = False
        return info.cls(**values) if fine else INVALID

    def _list(
        self, info: inspect.ListType | inspect.VarTupleType, data: list[Any], path: str
    ) -> Any:
        problem = _length_problem(info, len(data))
        if problem is not None:
            return self._invalid(path, problem)
        values = [
            self.convert(info.item_type, value, f"{path}[{index}]")
            for index, value in enumerate(data)
        ]
        if any(value is INVALID for value in values):
            return INVALID
        return tuple(values) if isinstance(info, inspect.VarTupleType) else values

    def _dict(self, info: inspect.DictType, data: dict[str, Any], path: str) -> Any:
        problem = _length_problem(info, len(data))
        if problem is not None:
            return self._invalid(path, problem)
        key_type, described = bare_type(info.key_type)
        values: dict[str, Any] = {}
        fine = True
        unchecked = self.unchecked(info)
        for key, value in data.items():
            if type(value) in unchecked:
                values[key] = value
                continue
            try:
                _checked(key_type, key, described)
            except ValueError as error:
                self.report(path, _KEY(why=said_by(error)), key)
                fine = False
            values[key] = self.convert(info.value_type, value, self.key_path(path, key))
            fine &= values[key] is not INVALID
        return values if fine else INVALID


class Checked:
    """A base of structs whose fields must also fit together; `problems` says what does not."""

    __slots__ = ()

    def problems(self) -> Iterable[tuple[str, str]]:
        """Each problem: the path of the field below this struct, and a message."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        for _, message in self.problems():
            raise ValueError(message)


def join_path(path: str, key: str) -> str:
    """The path of a key inside another path."""
    return f"{path}.{key}" if path else key


def shown_key(key: str) -> str:
    """A key that the caller chose, for a path: it may be a value that went to the wrong place.

    A long one is cut, and many digits are hidden, because they could be a card or an identifier.
    """
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…"
    if sum(map(str.isdecimal, shown)) < _MANY_DIGITS:
        return shown or '""'
    return "".join("#" if char.isdecimal() else char for char in shown)


def shown_pattern(pattern: str) -> str:
    """A pattern as all but Python write it, whose own `$` stands before a line end, too."""
    return pattern.replace(r"\Z", "$")


def parse_own_type(kind: type, value: Any) -> Any:
    """Turn a text into one of our own types; msgspec calls this for types it does not know."""
    if not isinstance(value, str):
        raise ValueError(_STRING())
    return kind.parse(value)  # type: ignore[attr-defined]  # our own types all have it


def bare_type(info: inspect.Type) -> tuple[inspect.Type, str | None]:
    """A type without its `Meta`, and how its form is described: by a phrase, if it has one."""
    described: str | None = None
    form: str | None = None
    while isinstance(info, inspect.Metadata):
        phrase = (info.extra or {}).get("phrase")
        form = form or (None if phrase is None else phrase())
        described = described or (info.extra_json_schema or {}).get("description")
        info = info.type
    return info, form or described


def _checked(info: inspect.Type, value: Any, described: str | None) -> Any:
    """A scalar of the right kind, or `ValueError` when it breaks a constraint of its type."""
    problem = None
    match info:
        case inspect.CustomType(cls=cls):
            return parse_own_type(cls, value)
        case inspect.StrType():
            problem = _text_problem(info, value, described)
        case inspect.IntType() | inspect.FloatType():
            problem = _number_problem(info, value)
        case inspect.EnumType(cls=cls):
            words = [member.value for member in cls]
            if value in words:
                return cls(value)
            problem = ONE_OF(known=", ".join(map(str, words)))
    if problem is not None:
        raise ValueError(problem)
    return value


def _text_problem(info: inspect.StrType, text: str, described: str | None) -> str | None:
    # All patterns are of the whole text.
    if info.pattern is not None and re.fullmatch(info.pattern, text) is None:
        # A pattern says little to people; what describes the field says it in words.
        return _FORM(form=described) if described else _PATTERN(pattern=shown_pattern(info.pattern))
    if info.min_length is not None and len(text) < info.min_length:
        if info.min_length == 1:
            return _EMPTY()
        return _SHORTER(least=info.min_length)
    if info.max_length is not None and len(text) > info.max_length:
        return LONGER(most=info.max_length)
    return None


def _number_problem(info: inspect.IntType | inspect.FloatType, number: float) -> str | None:
    # A whole number may have more digits than a fraction can hold.
    if isinstance(info, inspect.FloatType) and abs(number) > sys.float_info.max:
        return _RANGE()
    if info.ge is not None and number < info.ge:
        return _AT_LEAST(least=info.ge)
    if info.le is not None and number > info.le:
        return _AT_MOST(most=info.le)
    if info.gt is not None and number <= info.gt:
        return _MORE_THAN(bound=info.gt)
    if info.lt is not None and number >= info.lt:
        return _LESS_THAN(bound=info.lt)
    return None


def _length_problem(
    info: inspect.ListType | inspect.VarTupleType | inspect.DictType, length: int
) -> str | None:
    if info.min_length is not None and length < info.min_length:
        return _ENTRIES_FEW_ONE() if info.min_length == 1 else _ENTRIES_FEW(least=info.min_length)
    if info.max_length is not None and length > info.max_length:
        return ENTRIES_MANY(most=info.max_length, count=length)
    return None
