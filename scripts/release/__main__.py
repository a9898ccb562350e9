"""`make release`: everything that is published of a version, in one folder, with signed hashes."""

import argparse
import datetime
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tests.installed_programs import pip_programs

from scripts.release.building import (
    build_npm,
    build_python,
    check_metadata,
    sign,
    write_parts,
    write_sums,
)
from scripts.release.staging import stage, with_links
from scripts.release.versions import notes_of, set_version, version_of

ROOT: Final = Path(__file__).parents[2]


def main() -> None:
    """Build a release, or write a new version everywhere."""
    options = _options()
    if options.set_version:
        day = datetime.datetime.now(datetime.UTC).date().isoformat()
        return set_version(ROOT, options.set_version, day)
    version = version_of(ROOT)
    notes = notes_of((ROOT / "CHANGELOG.md").read_text(), version, draft=options.draft)
    changed = _git("status", "--porcelain")
    if changed and not options.draft:
        raise SystemExit(f"A release is made of a commit; these are not committed:\n{changed}")
    out = options.out.resolve()
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"{out} is not empty: remove it, or choose another with --out.")
    out.mkdir(parents=True, exist_ok=True)
    url = options.url and options.url.rstrip("/")
    tools = pip_programs("release", ROOT / "requirements/release.lock")
    with tempfile.TemporaryDirectory(prefix="gatehouse-release-") as folder:
        staged = Path(folder)
        stage(ROOT, staged, version, url)
        build_python(staged, out, int(_git("log", "-1", "--format=%ct")))
        build_npm(staged, out)
        write_parts(staged, out, tools, version)
    check_metadata(out)
    (out / "NOTES.md").write_text(with_links(notes, "", version, url))
    write_sums(out)
    if options.key:
        sign(out, options.key.resolve())
    else:
        print("SHA256SUMS is not signed: name a key of OpenSSH with KEY=FILE.")
    if not options.url:
        print("The packages name no repository: say where it is with URL=https://...")
    print(f"Release {version} is in {out}:")
    for path in sorted(out.iterdir()):
        print(f"  {path.stat().st_size:>12,}  {path.name}")
    return None


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist/release", help="an empty folder")
    parser.add_argument("--url", help="the address of the repository, for links and metadata")
    parser.add_argument("--key", type=Path, help="a private key of OpenSSH that signs the hashes")
    parser.add_argument("--draft", action="store_true", help="also of what is not committed")
    parser.add_argument("--set-version", metavar="VERSION", help="write a version everywhere")
    return parser.parse_args()


if __name__ == "__main__":
    main()
