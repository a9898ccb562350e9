"""A copy of the checkout whose readmes and metadata are fit for package registries.

A registry shows a readme apart from its repository, so links to other files lead to the
repository there; where nobody says its address, they become plain words.
"""

import json
import posixpath
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

_LINK: Final = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")
_READMES: Final = (
    "README.md",
    "clients/python/README.md",
    "clients/typescript/README.md",
    "clients/browser/README.md",
)
_PROJECTS: Final = ("pyproject.toml", "clients/python/pyproject.toml")
_PACKAGES: Final = ("clients/typescript", "clients/browser")


def stage(root: Path, folder: Path, version: str, url: str | None) -> None:
    """Copy what git knows of a checkout, as it stands, and point its links to the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        source, wanted = root / name, folder / name
        if not source.exists() or source.is_dir():
            continue
        wanted.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, wanted)
    for name in _READMES:
        path = folder / name
        base = posixpath.dirname(name)
        path.write_text(with_links(path.read_text(), base, version, url))
    if url is not None:
        _write_addresses(folder, url, version)


def with_links(text: str, base: str, version: str, url: str | None) -> str:
    """A readme with links that work wherever it is shown."""

    def changed(link: re.Match[str]) -> str:
        image, words, to = link["image"], link["text"], link["to"]
        if ":" in to or to.startswith("#"):
            return link[0]
        if url is None:
            return "" if image else words
        place = posixpath.normpath(posixpath.join(base, to))
        return f"{image}[{words}]({url}/{'raw' if image else 'blob'}/v{version}/{place})"

    return _LINK.sub(changed, text)


def _write_addresses(folder: Path, url: str, version: str) -> None:
    addresses = {
        "Homepage": url,
        "Documentation": f"{url}/blob/v{version}/docs/README.md",
        "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
        "Source": url,
        "Issues": f"{url}/issues",
    }
    lines = [f'{name} = "{address}"' for name, address in addresses.items()]
    for name in _PROJECTS:
        with (folder / name).open("a") as file:
            file.write("\n[project.urls]\n" + "\n".join(lines) + "\n")
    for name in _PACKAGES:
        path = folder / name / "package.json"
        package = json.loads(path.read_text())
        package["homepage"] = addresses["Documentation"]
        package["repository"] = {"type": "git", "url": f"git+{url}.git", "directory": name}
        package["bugs"] = addresses["Issues"]
        path.write_text(json.dumps(package, indent=2) + "\n")
