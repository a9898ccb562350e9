"""No use case forgets to ask what its actor may touch: held by reading the code."""

import ast
from pathlib import Path
from typing import Final, NamedTuple

import gatehouse.admin

ADMIN: Final = Path(gatehouse.admin.__file__).parent
CHECKS: Final = {
    "account_reading",
    "account_change",
    "installation_reading",
    "installation_change",
    *("check_account", "check_reads"),
    "check_installation",
    # What is declared with it is called through a check.
    "use_case",
    # These check the account when they are made.
    *("NamedCards", "DecisionFinder"),
    # This reads as the actor before it makes a copy.
    "columns_for_now",
}


class Function(NamedTuple):
    """A function of the administration layer."""

    where: str
    name: str
    takes_session: bool
    calls: frozenset[str]


def functions() -> list[Function]:
    return [
        Function(
            f"{path.relative_to(ADMIN)}:{node.lineno} {node.name}",
            node.name,
            "AdminSession" in ast.unparse(node.args),
            frozenset(_called(node)),
        )
        for path in sorted(ADMIN.rglob("*.py"))
        if path.name not in ("scopes.py", "opening.py") and "queries" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _called(function: ast.AST) -> list[str]:
    """Names of the functions that are called: plain ones, own methods, and the checks."""
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    names = []
    for call in called:
        if isinstance(call, ast.Name):
            names.append(call.id)
        elif isinstance(call, ast.Attribute):
            own = isinstance(call.value, ast.Name) and call.value.id == "self"
            if own or call.attr in CHECKS:
                names.append(call.attr)
    return names


def test_every_use_case_checks_its_actor_itself_or_by_one_that_it_calls() -> None:
    known = functions()
    checking = set(CHECKS)
    while more := {each.name for each in known if each.calls & checking} - checking:
        checking |= more
    public = [each for each in known if each.takes_session and not each.name.startswith("_")]
    assert len(public) > 50
    assert [each.where for each in public if each.name not in checking] == []
