"""Whatever is installed is pinned by hashes: in pages, messages, scripts and the Makefile."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
# An installation is text up to the end of its line, or of the code in a sentence.
_COMMAND = re.compile(r"\bpip3? +(?:install|download|wheel|sync)\b[^\n`;&|]*")
_UNPINNED = re.compile(
    r"\b(?:pipx +(?:install|run)|uvx\b|uv +(?:tool|add|sync|run)|easy_install|conda +install"
    r"|npm +(?:install|i|add)\b|npx\b|yarn +add|pnpm +(?:add|install))"
)
_PINNED = re.compile(r"[a-z0-9][a-z0-9._-]*(?:\[[a-z,]+\])?==\S+( ; .+)? \\")
_NAME = re.compile(r"^([A-Za-z0-9._-]+)", re.MULTILINE)
# Here readers install a client into a program of their own, which no lock of ours can cover.
_PROGRAMS_OF_READERS = {"docs/quickstart-python.md", "docs/quickstart-typescript.md"}
# Here readers install files whose signed hashes they have proven, or try them for a moment.
_PROVEN_FILES = {"docs/releases.md"}


def _texts() -> Iterator[tuple[Path, str]]:
    files = [*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]
    files += (path for path in (ROOT / "deploy").rglob("*") if path.is_file())
    for folder, endings in (("docs", "md"), ("scripts", "py"), ("src", "py")):
        files += (ROOT / folder).rglob(f"*.{endings}")
    for file in files:
        if str(file.relative_to(ROOT)) in _PROGRAMS_OF_READERS | _PROVEN_FILES:
            continue
        # A command may go on in the next line, and a message in the next literal.
        text = re.sub(r"\\+\n\s*", " ", file.read_text())
        yield file.relative_to(ROOT), re.sub(r'"\n\s*f?"', "", text)


def _installations() -> list[tuple[Path, str]]:
    return [(file, command) for file, text in _texts() for command in _COMMAND.findall(text)]


def _is_pinned(command: str) -> bool:
    if "--require-hashes" in command:
        return all((ROOT / lock).exists() for lock in re.findall(r"-r +(\S+\.lock)", command))
    return "--no-deps" in command and "--no-build-isolation" in command


def test_every_installation_that_is_named_takes_only_what_has_a_known_hash() -> None:
    found = _installations()
    assert len(found) >= 8
    assert [(str(file), command) for file, command in found if not _is_pinned(command)] == []


def test_nothing_says_to_install_in_another_way() -> None:
    assert [
        (str(file), _UNPINNED.findall(text)) for file, text in _texts() if _UNPINNED.search(text)
    ] == []


@pytest.mark.parametrize(
    "command",
    [
        "pip install gatehouse",
        "pip install '.[learning]'",
        "pip install --no-deps .",
        "pip wheel .",
    ],
)
def test_an_installation_without_hashes_would_be_found(command: str) -> None:
    [found] = _COMMAND.findall(f"$ venv/bin/{command}\n")
    assert not _is_pinned(found)


def _entries(lock: Path) -> dict[str, set[str]]:
    """The lines of each package in a lock, without what is only a comment."""
    entries: dict[str, set[str]] = {}
    name = ""
    for line in lock.read_text().splitlines():
        if line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            name = line.partition("==")[0]
        entries.setdefault(name, set()).add(line.strip())
    return entries


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_entry_of_a_lock_has_one_version_and_hashes_and_names_no_host(lock: Path) -> None:
    entries = _entries(lock)
    assert entries
    for name, lines in entries.items():
        pins = [line for line in lines if not line.startswith("--hash=")]
        hashes = [line.rstrip(" \\") for line in lines if line.startswith("--hash=")]
        assert all(_PINNED.fullmatch(pin) for pin in pins), (name, pins)
        assert hashes, name
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes), name
    assert not re.search(r"://|--(?:extra-)?index-url|--find-links|/tmp/|/opt/", lock.read_text())


@pytest.mark.parametrize("other", ["runtime", "build"])
def test_locks_that_are_installed_together_agree(other: str) -> None:
    learning = _entries(ROOT / "requirements/learning.lock")
    entries = _entries(ROOT / f"requirements/{other}.lock")
    shared = learning.keys() & entries.keys()
    assert shared
    assert other == "build" or shared == entries.keys()
    for name in shared:
        assert _versions(learning[name]) == _versions(entries[name]), name


def _versions(lines: set[str]) -> set[str]:
    return {line.split()[0] for line in lines if not line.startswith("--hash=")}


def test_what_the_project_names_is_in_its_lock() -> None:
    groups, extras = PROJECT["dependency-groups"], PROJECT["project"]["optional-dependencies"]
    assert {*PROJECT["build-system"]["requires"]} <= {*groups["build"]}
    wanted = {
        "runtime": PROJECT["project"]["dependencies"],
        "learning": [*PROJECT["project"]["dependencies"], *extras["learning"]],
        "otel": [*PROJECT["project"]["dependencies"], *extras["otel"]],
        "s3": [*PROJECT["project"]["dependencies"], *extras["s3"]],
        "spark": [*PROJECT["project"]["dependencies"], *extras["spark"]],
        "build": groups["build"],
        "clients": groups["clients"],
        "data": groups["data"],
        "deploy": groups["deploy"],
        "helm": groups["helm"],
        "invoices": groups["invoices"],
        "release": groups["release"],
        "dev": [one for one in groups["dev"] if isinstance(one, str)],
    }
    assert set(wanted) == {lock.stem for lock in LOCKS}
    for stem, requirements in wanted.items():
        held = {name.partition("[")[0] for name in _entries(ROOT / f"requirements/{stem}.lock")}
        names = {match[1] for one in requirements if (match := _NAME.match(one))}
        assert names <= held, (stem, names - held)
