"""Builds what is packed about browsers: the days on which their major versions came out, and the
patterns that read a browser's name from a user agent. Reads the packages that hold the sources
(none of their code is run), reduces them, proves the result, and only then writes it.

    python scripts/build_browsers.py [--releases caniuse-lite-….tgz] [--patterns ua_parser_….whl]

Without the two paths the packages are fetched with npm and pip.
"""

import argparse
import ast
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from ua_parser_rs import UserAgentExtractor

from gatehouse.intel.agents.browsers import (
    PATTERNS_FILE,
    RELEASES_FILE,
    FamilyPattern,
    Packed,
    ReleaseDays,
    read_patterns,
    read_releases,
)
from gatehouse.intel.agents.programs import find_program
from gatehouse.intel.packed import PackageSource

OUT: Final = Path(__file__).resolve().parents[1] / "src" / "gatehouse" / "intel" / "data"
DAY: Final = 86_400


class Package(NamedTuple):
    """A pinned package and what is to be said about it."""

    name: str
    version: str
    released: str
    sha256: str
    upstream: str
    licence: str
    licence_url: str
    attribution: str


RELEASES: Final = Package(
    name="caniuse-lite",
    version="1.0.30001823",
    released="2026-11-06",
    sha256="fa09f6d5b5a00428d184086d3bf67f305627c695e96673fd17f2e8c8cfbec887",
    upstream="https://github.com/Fyrd/caniuse",
    licence="CC-BY-4.0",
    licence_url="https://creativecommons.org/licenses/by/4.0/",
    attribution="Release dates from caniuse.com by Alexis Deveria, reduced for Gatehouse",
)
PATTERNS: Final = Package(
    name="ua-parser-builtins",
    version="202610",
    released="2026-10-01",  # the version names no day
    sha256="ed4b7c4c665323a5f4b2f118af86369412a9bb92e349a120f58f210127e30586",
    upstream="https://github.com/ua-parser/uap-core",
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    attribution="Patterns from uap-core by the ua-parser authors, reduced for Gatehouse",
)

# Both write into the folder in which they are run.
NPM: Final = ["npm", "pack", "--silent", f"{RELEASES.name}@{RELEASES.version}"]
PIP: Final = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
PIP_PACKAGE: Final = ["--only-binary=:all:", f"{PATTERNS.name}=={PATTERNS.version}"]

FAMILIES: Final = {
    "chrome": "Chrome",
    "edge": "Edge",
    "firefox": "Firefox",
    "ie": "IE",
    "ios_saf": "Mobile Safari",
    "opera": "Opera",
    "safari": "Safari",
    "samsung": "Samsung Internet",
}
"""The source's names of the browsers that are kept, and ours."""

LAST_IE: Final = 11

# Names in a plain list of alternatives, as in (Midori|Iron|SomeBot)/(\d+).
ALTERNATIVES: Final = re.compile(r"^(\\b)?\(([^()|]+(?:\|[^()|]+)+)\)")
# A name that must stand at the very beginning, where a browser says Mozilla or Opera.
OPENS_WITH_NAME: Final = re.compile(r"^\^\(?(?!\.|Mozilla|Opera)")


def release_days(browsers: Any, versions: Any, agents: Any) -> ReleaseDays:
    """The days by family, from the tables of the source, whose keys are abbreviated."""
    found: dict[str, dict[int, int]] = {}
    for key, about in agents.items():
        family = FAMILIES.get(browsers[key])
        if family is None:
            continue
        days = found.setdefault(family, {})
        for short, second in about["F"].items():
            label = re.match(r"\d+", versions[short])
            if label is not None and second:
                major, day = int(label[0]), int(second) // DAY
                days[major] = min(day, days.get(major, day))
    # Internet Explorer was not succeeded by a version of its own, but by Edge.
    found["IE"][LAST_IE + 1] = min(found["Edge"].values())
    return {family: settle(days) for family, days in sorted(found.items())}


def settle(days: dict[int, int]) -> list[tuple[int, int]]:
    """The versions from old to new; one dated after its successor takes the successor's day."""
    rows: list[tuple[int, int]] = []
    for major in sorted(days, reverse=True):
        rows.append((major, min(days[major], rows[-1][1]) if rows else days[major]))
    return rows[::-1]


def read_script(text: str) -> Any:
    """The value of a script that consists of one object literal."""
    literal = text.strip().removeprefix("module.exports=").removesuffix(";")
    return json.loads(re.sub(r"([{,])([A-Za-z_$][\w$]*):", r'\1"\2":', literal))


def family_patterns(module: str) -> list[FamilyPattern]:
    """The patterns for browsers, from the source text of the module that lists them."""
    [listed] = [
        node.value
        for node in ast.parse(module).body
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) == "MATCHERS"
    ]
    assert isinstance(listed, ast.Tuple)
    agents = listed.elts[0]
    assert isinstance(agents, ast.List)
    found: list[FamilyPattern] = []
    for call in agents.elts:
        assert isinstance(call, ast.Call)
        row = [ast.literal_eval(argument) for argument in call.args]
        expression, family, major = (*row, None, None)[:3]
        kept = reduce_pattern(expression)
        if kept is not None:
            found.append((kept, family, major))
    return found


def reduce_pattern(expression: str) -> str | None:
    """The expression without the programs that are told by our own words; None when none is left.

    Agents of such programs are never asked for their browser, nor are those that do not open as a
    browser does.
    """
    if OPENS_WITH_NAME.match(expression):
        return None
    listed = ALTERNATIVES.match(expression)
    if listed is None:
        return None if is_program(expression) else expression
    kept = [name for name in listed[2].split("|") if not is_program(name)]
    if not kept or is_program(expression[listed.end() :]):
        return None
    return f"{listed[1] or ''}({'|'.join(kept)}){expression[listed.end() :]}"


def is_program(expression: str) -> bool:
    """Whether the letters of an expression name a program that our words know."""
    both_cases = re.sub(r"\[([A-Za-z])([A-Za-z])\]", lambda pair: pair[1], expression)
    letters = re.sub(r"\\[a-zA-Z]|\\", "", both_cases)
    return find_program(letters, letters.lower()) is not None


def pack(data: ReleaseDays | list[FamilyPattern], rows: int, package: Package) -> bytes:
    """Write the data together with the description of where it came from."""
    raw = msgspec.json.encode(data)
    source = PackageSource(
        package=package.name,
        version=package.version,
        upstream=package.upstream,
        licence=package.licence,
        licence_url=package.licence_url,
        attribution=package.attribution,
        date=package.released,
        rows=rows,
        sha256=hashlib.sha256(raw).hexdigest(),
    )
    return msgspec.json.encode(Packed(source, msgspec.Raw(raw))) + b"\n"


def prove_releases(content: bytes, days: ReleaseDays) -> None:
    """Fail unless the packed file answers for every version as the given days do."""
    read = read_releases(content)
    for family, rows in days.items():
        for (major, _), (_, next_day) in pairwise(rows):
            if read[family].superseded_on(major) != next_day:
                raise RuntimeError(f"the packed file is wrong about {family} {major}")


def prove_patterns(content: bytes) -> None:
    """Fail unless the packed patterns compile and read agents whose answer is known."""
    rows = [(*row, None, None, None) for row in read_patterns(content)]
    extractor = UserAgentExtractor(rows)
    webkit = "AppleWebKit/537.36 (KHTML, like Gecko)"
    windows, android = "Mozilla/5.0 (Windows NT 10.0)", "Mozilla/5.0 (Linux; Android 10; K)"
    for agent, expected in (
        (f"{windows} {webkit} Chrome/145.0.0.0 Safari/537.36", ("Chrome", "145")),
        (f"{windows} {webkit} Chrome/145.0.0.0 Safari/537.36 Edg/144.0.0.0", ("Edge", "144")),
        (f"{android} {webkit} SamsungBrowser/28.0 Chrome/130.0.0.0", ("Samsung Internet", "28")),
        (f"{windows[:-1]}; rv:150.0) Gecko/20100101 Firefox/150.0", ("Firefox", "150")),
    ):
        read = extractor.extract(agent)
        if read is None or (read.family, read.major) != expected:
            raise RuntimeError(f"the packed patterns do not read {expected[0]}")


def fetched(package: Package, given: Path | None, command: list[str]) -> bytes:
    """The bytes of a package's file, given or fetched, if it is the one that is pinned."""
    if given is not None:
        content = given.read_bytes()
    else:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
            [file] = Path(folder).iterdir()
            content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != package.sha256:
        sys.exit(f"{package.name} {package.version} is not as expected: its digest is {digest}")
    return content


def build_releases(content: bytes) -> bytes:
    """The packed release dates, from the bytes of the package."""
    with tempfile.SpooledTemporaryFile() as file:
        file.write(content)
        file.seek(0)
        with tarfile.open(fileobj=file) as archive:
            tables = []
            for name in ("browsers", "browserVersions", "agents"):
                member = archive.extractfile(f"package/data/{name}.js")
                assert member is not None
                tables.append(read_script(member.read().decode()))
    days = release_days(*tables)
    for family, rows in days.items():
        newest = datetime.fromtimestamp(rows[-1][1] * DAY, UTC).date()
        print(f"{family:>18}: {len(rows)} versions, {rows[0][0]} to {rows[-1][0]} of {newest}")
    packed = pack(days, sum(map(len, days.values())), RELEASES)
    prove_releases(packed, days)
    return packed


def build_patterns(content: bytes) -> bytes:
    """The packed patterns, from the bytes of the package."""
    with tempfile.SpooledTemporaryFile() as file:
        file.write(content)
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            patterns = family_patterns(archive.read("ua_parser_builtins/lazy.py").decode())
    print(f"kept {len(patterns)} patterns")
    packed = pack(patterns, len(patterns), PATTERNS)
    prove_patterns(packed)
    return packed


def main() -> None:
    """Build both files and write them beside the code that reads them."""
    options = argparse.ArgumentParser(description="Rebuild what is packed about browsers.")
    options.add_argument("--releases", type=Path, help=f"the tarball of {RELEASES.name}")
    options.add_argument("--patterns", type=Path, help=f"the wheel of {PATTERNS.name}")
    options.add_argument("--out", type=Path, default=OUT, help="the folder to write to")
    chosen = options.parse_args()

    releases = build_releases(fetched(RELEASES, chosen.releases, NPM))
    patterns = build_patterns(fetched(PATTERNS, chosen.patterns, [*PIP, *PIP_PACKAGE]))
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, content in ((RELEASES_FILE, releases), (PATTERNS_FILE, patterns)):
        (chosen.out / name).write_bytes(content)
        print(f"wrote {len(content):,} bytes to {name}")


if __name__ == "__main__":
    main()
