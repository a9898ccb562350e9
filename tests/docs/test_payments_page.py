"""docs/payments.md is run as a merchant's developer would run it."""

from pathlib import Path

from gatehouse.store.payments.operations import OperationState
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/payments.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 5
    check_steps(walk, *checkout_at, with_errors=True)


def test_every_state_of_an_operation_is_explained() -> None:
    assert all(f"`{each}`" in _PAGE for each in OperationState)
