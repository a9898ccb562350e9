"""The quickstart for TypeScript is run as a reader would run it, and prints what it shows."""

import os
from pathlib import Path
from unittest import mock

from tests.clients.typescript_build import built_client, needs_npm
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server, free_port

_PAGE = (ROOT / "docs/quickstart-typescript.md").read_text()


@needs_npm
def test_the_quickstart_prints_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    folder, server = checkout_at
    (folder / "clients").mkdir()
    (folder / "clients/typescript").symlink_to(built_client())
    walk = list(steps(_PAGE))
    assert len(walk) >= 7
    with mock.patch.dict(os.environ, {"PORT": str(free_port())}):
        check_steps(walk, folder, server, with_errors=True)
