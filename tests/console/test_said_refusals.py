"""Refusals that a page can show are sentences, which the console says in each language.

A module counts when the console imports it, directly or through others. What only commands reach is
named with the reason.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from pathlib import Path

from gatehouse.console.words.translation import LANGUAGES
from tests.harness.phrases import all_phrases, sentences

SOURCE = Path(__file__).parent.parent.parent / "src"
_FOR_OTHERS = {
    "gatehouse.admin.events.use_cases.events": "the API and a command read events; pages do not",
    "gatehouse.admin.acquirer_files.use_cases.import_files": "a job reads the file",
    "gatehouse.admin.import_engine": "the same",
    "gatehouse.admin.models.use_cases.replays": "only a command replays files",
    "gatehouse.admin.top_ups.queries": "a worker is told, which charges the card later",
    "gatehouse.archive": "a job reads an archive",
    "gatehouse.backtest.export": "only a command writes files of records",
    "gatehouse.operations.installation": "ends a command or a server when it starts",
    "gatehouse.store.migrate": "the same",
    "gatehouse.training.replay": "commands and jobs read such lines",
    "gatehouse.figures.copies": "another process has the file; figures are said not to be ready",
    "gatehouse.gateway.operating": "a worker is told; people see the state of the operation",
    "gatehouse.connectors.http": "what a stage is told while it asks becomes a result of the stage",
    "gatehouse.connectors.iso8583": "the same; problems that servers report are phrases",
    "gatehouse.connectors.routing": "the same",
    "gatehouse.connectors.sandbox": "the same",
    "gatehouse.core.files.records": "only commands and jobs of the API read such files",
    "gatehouse.core.cards.network_ids": "tampered data, whose id is shown as missing",
    "gatehouse.core.secrets.sealing": "tampered data: a defect, of which no page tells more",
    "gatehouse.gateway.sending": "a worker is told; people see the state of the operation",
    "gatehouse.gateway.port": "what a stage is told becomes a result of the stage",
    "gatehouse.store.events.wishes": "the account of a page is known to exist",
    "gatehouse.store.identities": "a stage looks holders up, and makes a result of it",
    "gatehouse.store.requests": "requests and commands about payments, not pages",
}
"""Modules whose plain texts no page shows, each with the reason."""
_AT_TERMINALS = {
    "gatehouse.admin.models.use_cases.replays": "only a command replays files",
    "gatehouse.archive.days": "a job reads an archive, and says so to an operator",
    "gatehouse.archive.s3_place": "the same",
    "gatehouse.backtest.export": "only a command writes files of records",
    "gatehouse.core.files.records": "a call of the API names the format",
}
"""Modules whose plain texts name commands that only a terminal shows, each with the reason."""
_COMMAND = re.compile(r"gatehouse [a-z]|--[a-z]")
_NEVER_SHOWN = {
    "SettingsError": "ends a command or a server when it starts",
    "PeriodRefused": "the console says in its own words how a month is written",
    "PeriodClash": "the console never sends both",
}


@cache
def _tree(module: str) -> ast.Module | None:
    path = SOURCE.joinpath(*module.split("."))
    found = [each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()]
    return ast.parse(found[0].read_text()) if found else None


def _imported(tree: ast.Module) -> set[str]:
    """Modules of ours that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gatehouse"):
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names if each.name.startswith("gatehouse")}
    return {each for each in found if _tree(each) is not None}


def _faces(name: str) -> Iterator[str]:
    """The modules of every subject with this face, which the shells find by their folders."""
    for file in (SOURCE / "gatehouse" / "admin").glob(f"*/{name}*"):
        for each in file.rglob("*.py") if file.is_dir() else [file]:
            yield ".".join(each.relative_to(SOURCE).with_suffix("").parts)


@cache
def _reached(*faces: str) -> dict[str, ast.Module]:
    """Modules that pages, or other faces, import directly or through others."""
    waiting = ["gatehouse.console.routes", *(each for face in faces for each in _faces(face))]
    found: dict[str, ast.Module] = {}
    while waiting:
        module = waiting.pop()
        tree = _tree(module)
        if module not in found and tree is not None:
            found[module] = tree
            waiting += _imported(tree)
    return found


def _errors(trees: Iterable[ast.Module]) -> set[str]:
    """The names of our errors."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    known: set[str] = {"GatehouseError"}
    while True:
        more = {each.name for each in classes if known & _names(each.bases)} - known
        if not more:
            return known
        known |= more


def _names(nodes: Iterable[ast.expr]) -> set[str]:
    return {each.id for each in nodes if isinstance(each, ast.Name)}


def _plain(tree: ast.Module, errors: Set[str]) -> Iterator[str]:
    """English texts that errors are made with."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(called, ast.Name) and called.id in errors:
            yield from (ast.unparse(each) for each in node.args if _is_text(each))


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and " " in node.value
    return isinstance(node, ast.JoinedStr)


@cache
def _said() -> dict[str, list[str]]:
    """The plain texts that errors are made with, by the modules that pages and the API reach."""
    trees = _reached("pages", "routes")
    errors = _errors(trees.values()) - set(_NEVER_SHOWN)
    return {module: list(_plain(tree, errors)) for module, tree in trees.items()}


def test_what_pages_refuse_can_be_said_in_each_language() -> None:
    plain = {module for module in _reached("pages") if _said()[module]}
    assert {module for module in plain if not module.startswith(tuple(_FOR_OTHERS))} == set()


def test_no_exception_is_named_in_vain() -> None:
    plain = {module for module in _reached("pages") if _said()[module]}
    for start in _FOR_OTHERS:
        assert any(module.startswith(start) for module in plain), start


def test_what_pages_and_the_api_refuse_names_no_command() -> None:
    named = {module for module, texts in _said().items() if any(map(_COMMAND.search, texts))}
    assert named == set(_AT_TERMINALS)
    phrases = all_phrases()
    assert [key for key, each in phrases.items() if _COMMAND.search(each.english)] == []
    for language in LANGUAGES[1:]:
        said = sentences(language)
        assert [key for key, each in said.items() if _COMMAND.search(each)] == []
