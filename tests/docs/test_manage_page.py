"""The commands of docs/manage.md are run as a reader would run them, its job by a real process."""

from pathlib import Path

from gatehouse.access.keys import MANAGE_SCOPES
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

PAGE = (ROOT / "docs/manage.md").read_text()


def test_the_guide_shows_what_the_service_answers(checkout_at: tuple[Path, Server]) -> None:
    shown = list(steps(PAGE))
    assert len(shown) == 12
    check_steps(shown, *checkout_at, with_errors=False)


def test_every_scope_is_explained() -> None:
    assert [scope for scope in MANAGE_SCOPES if f"| `{scope}` |" not in PAGE] == []
