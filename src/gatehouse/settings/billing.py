"""The settings of prices and of money that is added to balances."""

from dataclasses import dataclass
from pathlib import Path

from gatehouse.core.money import parse_amount
from gatehouse.settings.kinds import setting, text


def _not_negative(text: str) -> int:
    micros = parse_amount(text)
    if micros < 0:
        raise ValueError
    return micros


@dataclass(frozen=True)
class BillingSettings:
    """What an operator can choose about prices and balances."""

    prices_file: Path | None = setting(
        None,
        "Price list by currency and day, as TOML; see docs/billing.md. Read when a server starts: "
        "write prices into it before their day. Unset: the defaults.",
        Path,
        "path",
    )
    top_up_connector: str = text(
        "",
        "The connector on whose payment pages accounts top up by card; its mapping needs `page` "
        "and `page_status`, and the money arrives at the merchant account of its options. Empty: "
        "top-ups by card are not offered. See docs/top-ups.md.",
        "name of a connector",
    )
    second_operator_above: int | None = setting(
        None,
        "An operator who adds more than this to a balance, or takes more from it, needs a second "
        "operator, who approves it. Each top-up and each correction counts by itself. "
        "Unset: the accounts alone decide what needs two pairs of eyes.",
        _not_negative,
        "an amount in units of the account's currency, such as `500` or `99.50`",
    )
