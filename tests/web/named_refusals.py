"""Which refusals the code of a use case names, itself or in what it calls.

It is found in the code as Python has compiled it: every name that a function reads from its module,
or from a module that it names, is followed. What is called by a method of an object is not seen.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gatehouse.core.errors import GatehouseError
from gatehouse.store.admin.use_case import UseCase


def refusals_named_by(function: Callable[..., Any]) -> set[type[GatehouseError]]:
    """Every kind of refusal that can be reached from a function."""
    found: set[type[GatehouseError]] = set()
    waiting: list[Any] = [function]
    seen: set[FunctionType] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, type):
            if issubclass(each, GatehouseError):
                found.add(each)
            else:
                waiting += filter(None, map(_function, vars(each).values()))
        elif (plain := _function(each)) is not None and plain not in seen:
            seen.add(plain)
            waiting += _named(plain)
    return found


def _function(thing: Any) -> FunctionType | None:
    """The function in a method, a property, a use case or a context manager."""
    if isinstance(thing, UseCase):
        thing = thing.function
    if isinstance(thing, property):
        thing = thing.fget
    thing = getattr(thing, "__func__", thing)
    thing = inspect.unwrap(thing) if callable(thing) else thing
    return thing if isinstance(thing, FunctionType) else None


def _named(function: FunctionType) -> Iterable[Any]:
    """What of ours a function names."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    own = [function.__globals__[name] for name in names if name in function.__globals__]
    modules = [each for each in own if isinstance(each, ModuleType)]
    others = [vars(each)[name] for each in modules for name in names if name in vars(each)]
    return [each for each in own + others if _is_ours(each)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("gatehouse.")
