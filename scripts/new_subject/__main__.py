"""Writes a new subject: `python -m scripts.new_subject notes [--root DIR]`.

It has one table with its migration, three use cases, commands, a page in each language, and tests.
The template is such a subject about notes. Change what it says; that it works is tested.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_TEMPLATE: Final = Path(__file__).parent / "template"
_NAME: Final = re.compile(r"[a-z]{3,20}s")
_VERSIONS: Final = "src/gatehouse/store/migrations/versions"


class NewFile(NamedTuple):
    """A file to write, below the root of the project."""

    path: str
    text: str


def new_files(name: str, root: Path) -> Iterator[NewFile]:
    """The files of a subject of this name, which is a plural."""
    numbers = sorted(each.name[:4] for each in (root / _VERSIONS).glob("[0-9]*.py"))
    before, number = numbers[-1], f"{int(numbers[-1]) + 1:04d}"
    places = {
        "subject": f"src/gatehouse/admin/{name}",
        "tests": f"tests/admin/{name}",
        "migration": _VERSIONS,
    }
    for file in sorted(_TEMPLATE.rglob("*.txt")):
        part, _, rest = file.relative_to(_TEMPLATE).as_posix().removesuffix(".txt").partition("/")
        text = file.read_text(encoding="utf-8").replace("@NUMBER@", number)
        text = _renamed(text.replace("@BEFORE@", before), name)
        rest = f"{number}_{name}.py" if part == "migration" else _renamed(rest, name)
        yield NewFile(f"{places[part]}/{rest}", text)


def _renamed(text: str, name: str) -> str:
    """The template with another name: notes, a note, Notes, NOTES."""
    single = name.removesuffix("s")
    for old, new in (("notes", name), ("note", single)):
        text = text.replace(old.upper(), new.upper()).replace(old.capitalize(), new.capitalize())
        text = text.replace(old, new)
    return text


def main() -> int:
    """Write the files, unless there is such a subject."""
    parser = argparse.ArgumentParser(prog="make new-subject")
    parser.add_argument("name", help="what it is about: one word, a plural, such as notes")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2])
    given = parser.parse_args()
    if not _NAME.fullmatch(given.name):
        parser.error("the name is one plural of small letters, such as notes")
    files = list(new_files(given.name, given.root))
    taken = [each.path for each in files if (given.root / each.path).exists()]
    if taken or (given.root / f"src/gatehouse/admin/{given.name}").exists():
        parser.error(f"there is something already: {', '.join(taken) or given.name}")
    for path, text in files:
        file = given.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(path)
    (given.root / f"tests/admin/{given.name}/__init__.py").touch()
    # Where lines break and imports stand depends on the name.
    written = [str(given.root / each.path) for each in files if each.path.endswith(".py")]
    for tool in (("check", "--fix", "--quiet"), ("format", "--quiet")):
        subprocess.run([sys.executable, "-m", "ruff", *tool, *written], check=True, cwd=given.root)
    print("Then: make docs, and RECORD=yes for tests/web/test_openapi_snapshot.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
