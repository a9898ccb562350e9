"""The TypeScript client: its types fit our description, and it works against a real server."""

import json
from pathlib import Path
from typing import Final

import pytest
from scripts.generate_typescript import render, written

from gatehouse.connectors.sandbox.people import all_holders
from gatehouse.connectors.sandbox.triggers import all_triggers
from tests.clients.typescript_build import CLIENT, built_client, needs_npm, node
from tests.harness import Server
from tests.web.test_openapi import DOCUMENT

OPERATIONS: Final = ("precheck", "rules", "pipeline", "decisions", "reviews", "events")


@pytest.fixture(scope="module")
def folder() -> Path:
    return built_client()


@pytest.fixture(scope="module")
def environ(shared: Server) -> dict[str, str]:
    """Where the server is, and a key of an account of its own for each group of tests."""
    home = shared.home
    keys = {
        name: home.key(home.account("100"), "--rate-limit", "0")
        for name in ("tour", "pages", "waiting", "retries", "hidden")
    }
    every = [word for scope in ("manage", *OPERATIONS) for word in ("--scope", scope)]
    keys["office"] = home.key(home.account("100"), "--rate-limit", "0", *every)
    keys["poor"] = home.key(home.account("0.01"), "--rate-limit", "0")
    keys["narrow"] = home.key(home.account("1"), "--scope", "decisions")
    keys["limited"] = home.key(home.account("1"), "--rate-limit", "1")
    return {"GATEHOUSE_BASE_URL": shared.base, "GATEHOUSE_TEST_KEYS": json.dumps(keys)}


def test_the_types_are_those_of_the_description() -> None:
    stale = [path.name for path, text in written(DOCUMENT).items() if path.read_text() != text]
    assert not stale, "run: make types"


def test_words_of_answers_are_open_and_words_of_requests_are_closed() -> None:
    written = render(DOCUMENT)
    assert 'export type Advice = "ACCEPT" | "DECLINE"' in written
    [advice] = [line for line in written.splitlines() if line.startswith("export type Advice ")]
    [verdict] = [line for line in written.splitlines() if "type ReviewVerdict " in line]
    assert advice.endswith("| (string & {});")
    assert verdict == 'export type ReviewVerdict = "APPROVE" | "DECLINE";'


def test_the_sandbox_cards_are_cards_of_the_sandbox() -> None:
    known = {row.value for row in all_triggers()} | {row.card for row in all_holders()}
    source = (CLIENT / "src/sandbox.ts").read_text()
    cards = [part.split('"')[0] for part in source.split(': card("')[1:]]
    addresses = [
        part.split('"')[0] for part in source.partition("Addresses = ")[2].split(': "')[1:]
    ]
    assert len(cards) > 15
    assert len(addresses) == 3
    assert {*cards, *addresses} <= known


def test_the_package_needs_no_other_and_its_lock_names_no_host() -> None:
    package = json.loads((CLIENT / "package.json").read_text())
    lock = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    assert "dependencies" not in package
    assert f'"{package["version"]}"' in (CLIENT / "src/version.ts").read_text()
    for name, entry in lock.items():
        assert "resolved" not in entry, name
        assert not name or entry["integrity"].startswith("sha512-"), name


@needs_npm
def test_the_client_does_what_its_own_tests_say(folder: Path, environ: dict[str, str]) -> None:
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("test/*.test.*"))
    assert len(files) == 6
    node(["--test", *files], folder, **environ)
