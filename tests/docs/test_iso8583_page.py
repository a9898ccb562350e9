"""docs/iso8583.md: its dialects are read, its program is run, and it knows every key."""

import contextlib
import io
from pathlib import Path

import msgspec
import pytest

from gatehouse.connectors.iso8583.definition import (
    DialectDefinition,
    EncodingLayout,
    FramingLayout,
    MessageLayout,
    ParameterLayout,
)
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.field_layout import BitmapLayout, FieldLayout, TagLayout
from gatehouse.connectors.iso8583.reading import read_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.documents.reading import DocumentRefused
from tests.docs.pages import ROOT, blocks

_PAGE = (ROOT / "docs/iso8583.md").read_text()
_YAML = [block.text for block in blocks(_PAGE) if block.kind == "yaml"]
_TEXT = [block.text for block in blocks(_PAGE) if block.kind == "text"]
_PYTHON = [block.text for block in blocks(_PAGE) if block.kind == "python"]
_SMALL = _YAML[0]


def test_the_program_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.yaml").write_text(_SMALL)
    monkeypatch.chdir(tmp_path)
    [program] = _PYTHON
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(program, "docs/iso8583.md", "exec"), {})
    assert shown.getvalue() == _TEXT[0]


def test_mistakes_are_reported_as_the_page_shows() -> None:
    wrong = _SMALL.replace("n..19", "n.19").replace("role: stan}", "role: stann}")
    with pytest.raises(DocumentRefused) as caught:
        read_dialect(wrong.encode())
    reported, shown = str(caught.value).splitlines(), _TEXT[1].splitlines()
    assert len(reported) == len(shown)
    for line, told in zip(reported, shown, strict=True):
        assert line.startswith(told.removesuffix("..."))


@pytest.mark.parametrize("sample", [each for each in _YAML if each.startswith("format:")])
def test_every_field_on_the_page_can_be_part_of_a_dialect(sample: str) -> None:
    inside = "".join(f"    {line}\n" for line in sample.splitlines())
    definition = read_dialect(f"{_SMALL}  63:\n{inside}".encode())
    assert Dialect(definition).definition.fields["63"].format in sample


def test_the_codes_on_the_page_can_be_part_of_a_dialect() -> None:
    longer = _SMALL.replace("39: {format: an2", "39: {format: an3")
    assert read_dialect((longer + _YAML[-1]).encode()).codes[Role.RESPONSE_CODE]["116"] == "51"


def test_the_page_knows_every_key_role_and_kind() -> None:
    structs = (DialectDefinition, EncodingLayout, FramingLayout, MessageLayout, ParameterLayout,
               FieldLayout, TagLayout, BitmapLayout)  # fmt: skip
    keys = {field.name for struct in structs for field in msgspec.structs.fields(struct)}
    words = keys - {"dialect"} | set(Role) | set(MessageKind)
    assert [word for word in sorted(words) if f"`{word}`" not in _PAGE] == []
