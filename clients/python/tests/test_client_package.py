"""The package itself: it follows our OpenAPI document, needs no server, and can be built."""

import ast
import os
import subprocess
import sys
import zipfile
from importlib.metadata import metadata
from pathlib import Path
from typing import Final

import msgspec
import pytest
from gatehouse.connectors.sandbox.triggers import all_triggers
from scripts.generate_python_client import written
from tests.web.test_openapi import DOCUMENT

import gatehouse_client
from gatehouse_client import AsyncGatehouse, Gatehouse, models, sandbox

HERE: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = sorted((HERE / "src").rglob("*.py"))


def test_structs_and_methods_are_those_of_the_api() -> None:
    stale = [path.name for path, text in written(DOCUMENT).items() if path.read_text() != text]
    assert not stale, "run: make docs"


def test_every_operation_has_a_method() -> None:
    text = (HERE / "src/gatehouse_client/_methods.py").read_text()
    assert text.count("self._send(\n") == sum(len(item) for item in DOCUMENT["paths"].values())


def test_the_examples_of_the_document_can_be_read() -> None:
    read = 0
    for item in DOCUMENT["paths"].values():
        for one in item.values():
            shown = one["responses"]["200"]["content"]["application/json"]
            for example in shown.get("examples", {}).values():
                fields = [name for name in example["value"] if name.endswith("Response")]
                schema = DOCUMENT["components"]["schemas"][shown["schema"]["$ref"].split("/")[-1]]
                for name in fields:
                    found = schema["properties"][name]
                    refs = [found, *found.get("anyOf", ())]
                    kind = next(ref["$ref"].split("/")[-1] for ref in refs if "$ref" in ref)
                    value = example["value"][name]
                    if value is not None:
                        msgspec.convert(value, getattr(models, kind))
                        read += 1
    assert read >= 7


def test_nothing_of_the_server_is_imported() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 10))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not [one for one in names if one.split(".")[0] == "gatehouse"], path


def test_an_unknown_field_and_an_unknown_word_are_no_error() -> None:
    body = b'{"status":"ASK","matchedRules":[],"new":{"a":1}}'
    read = msgspec.json.decode(body, type=models.RulesResponse)
    assert (read.status, str(read.status), read.status.is_known) == ("ASK", "ASK", False)
    assert read.status not in (models.Outcome.ACCEPT, models.Outcome.DECLINE)
    known = msgspec.json.decode(body.replace(b"ASK", b"REVIEW"), type=models.RulesResponse)
    assert known.status is models.Outcome.REVIEW
    assert known.status.is_known
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body.replace(b'"ASK"', b"1"), type=models.RulesResponse)


def test_structs_cannot_be_changed_and_take_names_only() -> None:
    with pytest.raises(AttributeError):
        sandbox.card().card_number = "x"  # type: ignore[misc]  # it is frozen
    with pytest.raises(TypeError):
        models.Device("203.0.113.1")  # type: ignore[call-arg]  # by keyword only


def test_what_people_type_into_free_fields_is_hidden_too() -> None:
    shown = repr(models.SentryRequest(custom_inputs={"note": "card 4242 4242 4242 4242 please"}))
    assert "4242" not in shown
    assert repr(models.Device(ip_address="203.0.113.1")).startswith("Device(ip_address='203.0.113")


def test_the_cards_of_the_sandbox_are_those_of_the_server() -> None:
    known = {one.value for one in all_triggers()}
    ordinary = {sandbox.APPROVED, sandbox.APPROVED_MASTERCARD, sandbox.APPROVED_AMEX}
    given = {value for name, value in vars(sandbox).items() if name.isupper()}
    assert given - known - ordinary - {sandbox.EXPIRY, sandbox.CVV2} == set()


@pytest.mark.parametrize("kind", [Gatehouse, AsyncGatehouse])
def test_a_client_is_made_only_for_an_address_where_cards_are_safe(kind: type[Gatehouse]) -> None:
    kind("k", "http://gatehouse:8080", allow_plain_http=True)
    for wrong in (
        "http://gatehouse.example",
        "gatehouse.example",
        "https://a:b@c.example",
        "ftp://x",
    ):
        with pytest.raises(ValueError):
            kind("k", wrong)
    for key in ("", "with space", "a\nb"):
        with pytest.raises(ValueError, match="API key"):
            kind(key)
    with pytest.raises(ValueError, match="timeout_s"):
        kind("k", timeout_s=0)


@pytest.mark.parametrize("kind", [Gatehouse, AsyncGatehouse])
def test_a_client_can_be_made_of_the_environment(kind: type[Gatehouse]) -> None:
    made = kind.from_env({"GATEHOUSE_API_KEY": "k", "GATEHOUSE_URL": "https://pay.example/"})
    assert "https://pay.example" in repr(made)
    assert "127.0.0.1:8080" in repr(kind.from_env({"GATEHOUSE_API_KEY": "k"}))
    with pytest.raises(ValueError, match="GATEHOUSE_API_KEY"):
        kind.from_env({})


def test_the_wheel_holds_the_package_and_says_what_it_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=HERE, check=True, timeout=600, capture_output=True)
    [wheel] = tmp_path.glob("gatehouse_client-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        packed.extractall(tmp_path / "out")
        [about] = [packed.read(name).decode() for name in names if name.endswith("/METADATA")]
    own = {str(path.relative_to(HERE / "src")) for path in SOURCES}
    assert own | {"gatehouse_client/py.typed"} <= set(names)
    assert "Requires-Python: >=3.10" in about
    assert "License-Expression: Apache-2.0" in about
    assert f"Version: {gatehouse_client.__version__}\n" in about
    needed = metadata("gatehouse-client").get_all("Requires-Dist") or []
    assert [one.split(";")[0].split("<")[0].split(">")[0] for one in needed] == [
        "httpx2", "msgspec", "cryptography",
    ]  # fmt: skip
    code = (
        "import gatehouse_client, sys; print(gatehouse_client.__file__, 'gatehouse' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path / "out"), "PATH": os.environ["PATH"]},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [str(tmp_path / "out/gatehouse_client/__init__.py"), "False"]
