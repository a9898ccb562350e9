"""The version of a release: read where it is written, and written anew everywhere at once."""

import re
from pathlib import Path
from typing import Final

PLACES: Final = {
    "pyproject.toml": r'^version = "(.*)"',
    "src/gatehouse/__init__.py": r'^__version__ = "(.*)"',
    "clients/python/pyproject.toml": r'^version = "(.*)"',
    "clients/python/src/gatehouse_client/_version.py": r'^__version__ = "(.*)"',
    "clients/typescript/package.json": r'^  "version": "(.*)"',
    "clients/typescript/package-lock.json": r'^  "version": "(.*)"',
    "clients/typescript/src/version.ts": r'VERSION = "(.*)"',
    "clients/browser/package.json": r'^  "version": "(.*)"',
    "deploy/helm/gatehouse/Chart.yaml": r"^version: (.*)",
    "deploy/compose/compose.yaml": r"image: \$\{IMAGE:-gatehouse:(.*)\}",
}
"""Where the version stands: the first match of each pattern."""
CHANGELOGS: Final = (
    *("CHANGELOG.md", "clients/python/CHANGELOG.md", "clients/typescript/CHANGELOG.md"),
)
_CHART: Final = "deploy/helm/gatehouse/Chart.yaml"
_SEMANTIC: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
_UNRELEASED: Final = "## [Unreleased]\n"


def version_of(root: Path) -> str:
    """The version, which all places agree on."""
    found = {place: _read(root / place, pattern) for place, pattern in PLACES.items()}
    if len({*found.values()}) != 1:
        told = "\n".join(f"  {version}  {place}" for place, version in found.items())
        raise SystemExit(f"The places of the version do not agree:\n{told}")
    return found["pyproject.toml"]


def set_version(root: Path, version: str, day: str) -> None:
    """Write a new version everywhere, and give what the changelog tells as unreleased to it."""
    if not _SEMANTIC.fullmatch(version):
        raise SystemExit(f"{version} is no semantic version such as 1.0.0 or 1.0.0-rc.1.")
    before = version_of(root)
    for place, pattern in PLACES.items():
        path = root / place
        text = path.read_text()
        found = re.search(pattern, text, re.MULTILINE)
        assert found is not None
        text = f"{text[: found.start(1)]}{version}{text[found.end(1) :]}"
        if place == _CHART:
            text = text.replace(f'appVersion: "{before}"', f'appVersion: "{version}"')
        if place.endswith("package-lock.json"):
            text = text.replace(f'"version": "{before}"', f'"version": "{version}"', 1)
        path.write_text(text)
    headed = f"{_UNRELEASED}\n## [{version}] - {day}\n"
    for place in CHANGELOGS:
        changes = root / place
        changes.write_text(changes.read_text().replace(_UNRELEASED, headed, 1))


def notes_of(changelog: str, version: str, *, draft: bool) -> str:
    """What the changelog says of a version; of a draft, what is unreleased."""
    for heading in (version, "Unreleased") if draft else (version,):
        pattern = rf"^## \[{re.escape(heading)}\][^\n]*\n(.*?)(?=^## \[|\Z)"
        if found := re.search(pattern, changelog, re.MULTILINE | re.DOTALL):
            return found[1].strip() + "\n"
    raise SystemExit(
        f"CHANGELOG.md has no section for {version}: "
        f"`python -m scripts.release --set-version {version}` makes one."
    )


def _read(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path} does not tell its version.")
    return found[1]
