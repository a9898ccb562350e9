"""Trees that are read from a database: whoever can write there must not be able to run code."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.conditions.compile_python import compile_conditions
from gatehouse.conditions.compile_sql import to_sql
from gatehouse.conditions.functions import BUILTINS
from gatehouse.conditions.nodes import Condition
from gatehouse.conditions.python_source import FunctionSource
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules import ruleset
from gatehouse.rules.starter import starter_program
from tests.conditions.trees import Trees

_HOSTILE: tuple[Any, ...] = (
    *("__import__('os').system('true')", "exec", "open", "__builtins__", "lists.has.__globals__"),
    *("= 1 or __import__('os').abort() or 1 ==", "+ 1) or (", "get", "s0\nimport os", "", "{", "'"),
    *("K0.__class__", "custom.x__", "abs", "LOWER", "words", "=", "+", "call", "%", 7, -1, None),
    *(True, 1e308, [], {}, [[]]),
)
_OURS = {*BUILTINS, "get", "has", "startswith", "endswith"}


class Nobody:
    """Lists without entries."""

    def has(self, name: str, value: str, at_ms: int) -> bool:
        return False


def _with(root: Any) -> str:
    condition = {"text": "x", "root": root, "signals": [], "lists": []}
    rule = {"name": "a", "condition": condition, "outcome": "ACCEPT"}
    program = {"name": "mine", "description": "", "inputs": {}, "rules": [rule]}
    return msgspec.json.encode(program).decode()


_ONE = {"is": "literal", "value": 1.0}
_TEXT = {"is": "literal", "value": "a"}


@pytest.mark.parametrize(
    "root",
    [
        {"is": "call", "function": _HOSTILE[0], "arguments": [_ONE], "type": "number"},
        {"is": "call", "function": "EXEC", "arguments": [_TEXT], "type": "text"},
        {"is": "call", "function": "ABS", "arguments": [_ONE, _ONE], "type": "number"},
        {"is": "compare", "operator": _HOSTILE[5], "left": _ONE, "right": _ONE},
        {"is": "compare", "operator": "==", "left": _ONE, "right": _ONE},
        {"is": "arithmetic", "operator": _HOSTILE[6], "left": _ONE, "right": _ONE},
        {"is": "signal", "name": "a) or exec(b", "type": "boolean"},
        {"is": "signal", "name": "ip.tor\n", "type": "boolean"},
        {"is": "signal", "name": "ip.tor", "type": "code"},
        {"is": "listed", "signal": {"is": "signal", "name": "user.id", "type": "text"}, "list": ""},
        {"is": "like", "value": _TEXT, "pattern": "a", "escape": "ab"},
        {"is": "eval", "value": _TEXT},
    ],
)
def test_a_tree_with_a_word_that_is_not_of_the_language_is_refused(root: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        ruleset.decode_program(_with(root))


def test_a_tree_that_would_take_too_long_is_refused() -> None:
    deep: Any = {"is": "signal", "name": "ip.tor", "type": "boolean"}
    wide = {"is": "and", "parts": [deep] * 2000}
    for _ in range(150):
        deep = {"is": "not", "condition": deep}
    for root in (deep, wide):
        with pytest.raises(msgspec.ValidationError):
            ruleset.decode_program(_with(root))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Callable[..., None]]:
    """Every function that is compiled."""
    return _watch(monkeypatch)


def _watch(monkeypatch: pytest.MonkeyPatch) -> list[Callable[..., None]]:
    found: list[Callable[..., None]] = []
    finish = FunctionSource.finish

    def watched(source: FunctionSource) -> Callable[..., None]:
        found.append(finish(source))
        return found[-1]

    monkeypatch.setattr(FunctionSource, "finish", watched)
    return found


def _assert_only_ours(functions: list[Callable[..., None]]) -> None:
    for function in functions:
        assert function.__globals__["__builtins__"] == {}
        names = {name for name in function.__code__.co_names if not re.fullmatch(r"K\d+", name)}
        assert names <= _OURS


def test_compiled_code_has_no_builtins_and_names_only_our_functions(
    compiled: list[Callable[..., None]],
) -> None:
    rules = ruleset.decode_program(starter_program()).rules
    compile_conditions([rule.condition for rule in rules])
    assert compiled
    _assert_only_ours(compiled)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        keys: Any = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from _places(value[key], (*path, key))


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = value.copy()
    copied[path[0]] = _replaced(value[path[0]], path[1:], new)
    return copied


def _kept_conditions() -> list[Any]:
    program = msgspec.json.decode(starter_program())
    kept = [rule["condition"] for rule in program["rules"]]
    for _, _, text in starter_pipelines():
        for stage in msgspec.json.decode(text)["stages"]:
            kept += [stage[key] for key in ("stop_when", "skip_when") if key in stage]
    return kept


_KEPT = _kept_conditions()
_MADE = Trees(2).conditions


@st.composite
def _mutated(draw: st.DrawFn) -> Any:
    """A kept condition in which something was replaced, by hostile text or another part of one."""
    made = _MADE.map(lambda node: Condition("x", node, ())).map(msgspec.to_builtins)
    tree = draw(st.sampled_from(_KEPT) | made)
    for _ in range(draw(st.integers(1, 4))):
        where = draw(st.sampled_from(list(_places(tree["root"]))))
        donor = draw(st.sampled_from(_KEPT))["root"]
        at = draw(st.sampled_from(list(_places(donor))))
        for key in at:
            donor = donor[key]
        new = draw(st.sampled_from(_HOSTILE) | st.just(donor) | st.text(max_size=8))
        tree = {**tree, "root": _replaced(tree["root"], where, new)}
    return tree


@given(_mutated())
def test_however_a_kept_condition_is_changed_nothing_but_our_functions_is_called(
    tree: Any,
) -> None:
    text = msgspec.json.encode(tree)
    try:
        condition = msgspec.json.decode(text, type=Condition)
    except msgspec.ValidationError:
        return
    with pytest.MonkeyPatch.context() as patch:
        functions = _watch(patch)
        try:
            matcher = compile_conditions([condition])
        except (TypeError, KeyError, ValueError):
            return  # A server logs this and keeps what it had.
        _assert_only_ours(functions)
    outside_quotes = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", to_sql(condition))
    assert not any(each in outside_quotes for each in ("import", "system", "exec", "open"))
    try:
        matcher({}, Nobody(), 0)
    except (TypeError, AttributeError, ValueError):
        return  # Parts of a wrong type: wrong, but nothing that an attacker could use.
