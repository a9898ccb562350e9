"""The quickstart for TypeScript is run as a reader would run it, and prints what it shows."""

import os
from dataclasses import replace
from pathlib import Path
from unittest import mock

from tests.clients.typescript_build import built_client, needs_npm
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps, checkout
from tests.harness import free_port

_PAGE = (ROOT / "docs/quickstart-typescript.md").read_text()


@needs_npm
def test_the_quickstart_prints_what_the_page_shows_twice_on_a_sandbox_with_a_past(
    tmp_path: Path,
) -> None:
    folder = tmp_path
    (folder / "clients").mkdir()
    (folder / "clients/typescript").symlink_to(built_client())
    walk = list(steps(_PAGE))
    assert len(walk) >= 7
    with mock.patch.dict(os.environ, {"PORT": str(free_port())}):
        with checkout(folder, past=True) as server:
            again = replace(walk[0], command=f"cd ..\n{walk[0].command}")
            check_steps([*walk, again, *walk[1:]], folder, server, with_errors=True)
