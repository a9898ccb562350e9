"""The READMEs of the example shops are run as a reader would run them, and end in a payment."""

import shutil
from pathlib import Path

from tests.clients.typescript_build import built_client, needs_npm
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server, free_port


def _walk(shop: str, port: str) -> str:
    page = (ROOT / f"examples/{shop}/README.md").read_text()
    assert port in page
    return page.replace(port, str(free_port()))


@needs_npm
def test_the_orders_of_the_readmes_are_paid(checkout_at: tuple[Path, Server]) -> None:
    folder, server = checkout_at
    ours = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=ours)
    client = built_client()
    (folder / "examples/node_modules").symlink_to(client / "node_modules")
    (folder / "examples/express-shop/node_modules").mkdir()
    (folder / "examples/express-shop/node_modules/gatehouse-client").symlink_to(client)
    for page in (_walk("fastapi-shop", "9000"), _walk("express-shop", "3000")):
        walk = list(steps(page))
        assert len(walk) == 3
        assert '"paid"' in walk[1].shown[0].text
        check_steps(walk, folder, server, with_errors=True)
