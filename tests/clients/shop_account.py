"""An account for the example shops: with one rule alone, no number of orders is doubtful."""

from pathlib import Path
from typing import Final, NamedTuple

from tests.harness import Home

LARGE: Final = 1200
_RULES: Final = """\
rule_set: starter
rules:
  - name: large-order
    condition: order.amount >= 1000
    outcome: REVIEW
"""


class ShopAccount(NamedTuple):
    """An account with 100 USD and a key without a rate limit; large orders are reviewed."""

    account: str
    key: str


def shop_account(home: Home, folder: Path) -> ShopAccount:
    """A new one."""
    account = home.account("100")
    (folder / "rules.yaml").write_text(_RULES)
    home.ok("rules", "apply", str(folder / "rules.yaml"), "--account", account)
    return ShopAccount(account, home.key(account, "--rate-limit", "0"))
