"""The image: linted, made of what is there, and its commands run without a container."""

import shlex
from itertools import pairwise
from pathlib import Path
from typing import Final

from tests.deploy.dockerfile import instructions
from tests.harness import Home, Server, free_port
from tests.harness.commands import fork_command
from tests.installed_programs import ROOT, run

FILE: Final = ROOT / "deploy/Dockerfile"
STEPS: Final = instructions(FILE)


def _all(word: str) -> list[str]:
    return [step.text for step in STEPS if step.word == word]


def _command(word: str) -> list[str]:
    [found] = [step.words for step in STEPS if step.word == word]
    return found


def test_the_linter_finds_nothing(tools: Path) -> None:
    run([tools / "hadolint", "--failure-threshold", "style", FILE], ROOT)


def test_the_builder_is_sent_what_is_copied_and_nothing_else() -> None:
    allowed = [
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    ]
    copied = [
        source
        for text in _all("COPY")
        if not text.startswith("--from")
        for source in text.split()[:-1]
    ]
    assert sorted(copied) == sorted(allowed)
    assert [one for one in copied if not (ROOT / one).exists()] == []


def test_packages_come_from_the_locks_as_they_do_for_developers() -> None:
    installs = [
        shlex.split(part)
        for text in _all("RUN")
        for part in text.split("&&")
        if " install " in part and "pip" in part
    ]
    locked = [words for words in installs if "--require-hashes" in words]
    assert {lock for words in locked for option, lock in pairwise(words) if option == "-r"} == {
        "requirements/otel.lock",
        # Without it, no container could archive decisions to S3.
        "requirements/s3.lock",
        "requirements/build.lock",
    }
    rest = [words for words in installs if words not in locked]
    assert all({"--no-deps", "--no-build-isolation"} <= set(words) for words in rest)


def test_it_runs_as_nobody_in_particular() -> None:
    assert _all("USER") == ["10001:10001"]
    assert len(_all("FROM")) == 2
    assert not any("SECRET" in text for text in (*_all("ENV"), *_all("ARG")))


def test_its_command_serves_and_its_health_check_sees_that(sqlite_home: Home) -> None:
    """With the variables of the image, except where it keeps its data and listens."""
    given = dict(word.split("=", 1) for word in shlex.split(_all("ENV")[-1]))
    named = {name: value for name, value in given.items() if name.startswith("GATEHOUSE_")}
    port = free_port()
    here = {"GATEHOUSE_HOME": str(sqlite_home.path), "GATEHOUSE_PORT": str(port)}
    home = Home(sqlite_home.path, settings=named | here)
    assert _command("ENTRYPOINT") == ["gatehouse"]
    program, *check = _command("HEALTHCHECK")
    assert program == "gatehouse"
    assert home.run(*check).code == 1
    with (home.path / "server.log").open("ab") as log:
        server = Server(port, fork_command(_command("CMD"), home.environ(), log, log), home)
    try:
        server.wait()
        assert home.run(*check).code == 0
        assert home.run(*check, "--ready", "--json").json["said"].startswith("200 ")
    finally:
        assert server.stop() == 0
