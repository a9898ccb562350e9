"""Every subject has the same shape: held by reading their folders and what they import."""

from functools import cache
from pathlib import Path
from typing import Final

import grimp
import pytest

import gatehouse.admin
from gatehouse.core.subject import Subject, load, subjects

ADMIN: Final = Path(gatehouse.admin.__file__).parent
ORDER: Final = (
    *("types", "tables", "queries", "use_cases", "worker", "routes", "command", "pages"),
    "subject",
)
"""What a subject consists of; each imports from those before it."""
FACES: Final = ("commands", "use_cases", "pages")
MOST_LINES: Final = 3_000
QUERIES_OF_OTHERS: Final = {
    ("approvals", "people"),
    ("backup", "sign_in"),
    ("entities", "search"),
    ("people", "sign_in"),
    ("privacy", "money"),
    ("privacy", "people"),
    ("privacy", "reviews"),
    ("sandbox", "memory"),
    ("search", "reviews"),
    ("sign_in", "people"),
}
"""Subjects that still reach into the rows of another one: this may only become smaller."""
WORKERS_OF_OTHERS: Final = {
    ("installation", "connectors"),
    ("installation", "memory"),
    ("sandbox", "alerts"),
    ("sandbox", "feedback"),
}


@cache
def _imports() -> list[tuple[list[str], list[str]]]:
    """Imports within the administration, each as the parts of both modules below it."""
    graph = grimp.build_graph("gatehouse", cache_dir=None)
    ours = [name for name in graph.modules if name.startswith("gatehouse.admin.")]
    pairs = [(one, other) for one in ours for other in graph.find_modules_directly_imported_by(one)]
    inside = [(one.split(".")[2:], other.split(".")[2:]) for one, other in pairs if other in ours]
    return [(one, other) for one, other in inside if len(one) > 1 and len(other) > 1]


def test_every_folder_is_a_subject() -> None:
    folders = {path.name for path in ADMIN.iterdir() if (path / "__init__.py").exists()}
    assert {subject.name for subject in subjects()} == folders
    assert len(folders) > 30


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_a_subject_has_the_usual_files_and_says_why_a_face_is_missing(subject: Subject) -> None:
    folder = ADMIN / subject.name
    names = {path.stem for path in folder.iterdir() if path.name not in ("__pycache__",)}
    assert names <= {*ORDER, "templates", "texts", "__init__"}
    assert "pages" in names or "templates" not in names
    missing = {face for face in FACES if not getattr(subject, face)}
    if subject.endpoints or subject.operations:
        missing -= {"use_cases"}
    assert {*subject.without} == missing
    assert all(why.endswith(".") for why in subject.without.values())
    for _, place, about in subject.commands:
        assert load(subject.whole(place))
        assert about.endswith(".")
    for place in (*subject.endpoints, *subject.operations, *subject.pages):
        assert load(subject.whole(place))
    lines = sum(path.read_text().count("\n") for path in folder.rglob("*.py"))
    assert lines <= MOST_LINES


def test_files_of_a_subject_import_in_their_order() -> None:
    upward = [
        (".".join(one), ".".join(other))
        for one, other in _imports()
        if one[0] == other[0] and ORDER.index(one[1]) < ORDER.index(other[1])
    ]
    assert upward == []


def test_a_subject_imports_another_by_its_types_and_use_cases() -> None:
    """A face may also build on the same face of another subject."""
    found: dict[str, set[tuple[str, str]]] = {"queries": set(), "worker": set()}
    for one, other in _imports():
        if one[0] == other[0] or other[1] in ("types", "use_cases") or one[1] == other[1]:
            continue
        assert other[1] in found, (one, other)
        found[other[1]].add((one[0], other[0]))
    assert found["queries"] == QUERIES_OF_OTHERS
    assert found["worker"] == WORKERS_OF_OTHERS
