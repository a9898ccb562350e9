"""docs/collector.md is run as a reader would run it: its commands, and its script for a shop."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_steps
from tests.harness import Server
from tests.installed_programs import run

_PAGE = (ROOT / "docs/collector.md").read_text()
_CLIENT = ROOT / "clients/browser"
# What a browser has and Node has not, and the order of a shop before and after consent.
_BROWSER = """
const kept = {};
globalThis.localStorage = {
  getItem: (key) => kept[key] ?? null,
  setItem: (key, value) => { kept[key] = value; },
  removeItem: (key) => delete kept[key],
};
"""
_ORDERS = """
const sent = [];
globalThis.fetch = (url, { body }) => sent.push(JSON.parse(body).collected.device);
placeOrder([]); onConsent(true); placeOrder([]); onConsent(false); placeOrder([]);
console.log(JSON.stringify(sent));
"""


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 4
    check_steps(walk, *checkout_at, with_errors=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="NODE IS MISSING: no sample was run")
def test_the_script_of_a_shop_sends_a_device_while_there_is_consent(tmp_path: Path) -> None:
    [sample] = [block.text for block in blocks(_PAGE) if block.kind == "js"]
    collector = (_CLIENT / "gatehouse-collector.js").read_text()
    (tmp_path / "shop.js").write_text(_BROWSER + collector + sample + _ORDERS)
    before, during, after = json.loads(run(["node", "shop.js"], tmp_path))
    assert before == after == {}
    assert during["deviceId"].startswith("gd_")


def test_every_option_is_told_and_none_that_does_not_exist() -> None:
    told = set(re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", _PAGE, re.MULTILINE))
    types = (_CLIENT / "gatehouse-collector.d.ts").read_text()
    options = types.partition("GatehouseCollectorOptions {")[2].partition("\n}")[0]
    assert told == set(re.findall(r"^  (\w+)\?:", options, re.MULTILINE))
    script = (_CLIENT / "gatehouse-collector.js").read_text()
    assert all(f"given.{name}" in script for name in told)
