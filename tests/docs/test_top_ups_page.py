"""docs/top-ups.md is followed against the reference host, which stores the card and charges it."""

from pathlib import Path

from gatehouse.admin.top_ups.types import AutoTopUpReason, AutoTopUpWanted, TopUpState
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_on_ports

_PAGE = (ROOT / "docs/top-ups.md").read_text()


def test_the_commands_print_what_the_page_shows(tmp_path: Path, ports: dict[str, str]) -> None:
    walk = [*steps(_PAGE)]
    assert len(walk) == 9
    check_on_ports(walk, tmp_path, ports)


def test_every_state_setting_and_reason_is_explained() -> None:
    assert all(f"`{each}`" in _PAGE for each in TopUpState)
    assert all(f"| `{each}` |" in _PAGE for each in AutoTopUpReason)
    assert all(f"| `{name}` |" in _PAGE for name in AutoTopUpWanted.__struct_encode_fields__)
