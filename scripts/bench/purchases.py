"""Whole purchases for pipelines and Rules, each with its own card, address and transaction."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from scripts.bench.cards import card_number, precheck_body
from scripts.bench.client import NUMBER_MARK
from scripts.bench.servers import GATEHOUSE, Shop
from scripts.bench.visits import sentry_visit

RULES: Final = 50

# Of the kind that the starter set has: comparisons, velocities, lists, countries. Few ever match.
_KINDS: Final = (
    "velocity.ip.distinct_cards_1h > {n} AND velocity.ip.days_30d < 3",
    "velocity.card.count_1h > {n} AND velocity.card.distinct_users_24h > 2",
    "order.amount > {n}000 AND card.country <> ip.country AND NOT ip.mobile",
    "email.disposable AND velocity.email.distinct_cards_24h > {n}",
    "card.fingerprint IN LIST('blocked-cards') AND order.amount > {n}",
    "(ip.tor OR ip.proxy OR ip.hosting) AND sentry.requestConfidence < 0.{n}",
    "card.prepaid AND order.amount > {n}00 AND velocity.user.days_30d IS NULL",
    "velocity.session.declined_cards_1h > {n} OR velocity.device.declines_1h > 1{n}",
    "billing.country NOT IN ('US', 'GB', 'DE', 'FR', 'ES') AND card.months_left < {n}",
    "custom.plan = 'free' AND order.items > 1{n} AND device.kind <> 'browser'",
)


def pipeline_body(index: int) -> bytes:
    """The same as it is sent; the number is filled in at the last moment."""
    visit: dict[str, Any] = sentry_visit(index, NUMBER_MARK.decode())
    checked = json.loads(precheck_body(index))
    reference = checked.pop("clientReferenceId")
    del visit["clientReferenceId"]
    if visit["order"]["currency"] == "JPY":
        # A yen has no fractions.
        visit["order"]["currency"] = "USD"
    body = {
        "pipelineId": 1,
        "clientReferenceId": reference,
        "rulesRequest": _rules_request(index, visit),
        "sentryRequest": visit,
        "preCheckRequest": checked,
    }
    return json.dumps(body, separators=(",", ":")).encode()


def rules_body(index: int) -> bytes:
    """The same purchase as it is sent to Rules alone."""
    visit = sentry_visit(index, "")
    body = {
        "clientReferenceId": visit["clientReferenceId"],
        "amount": visit["order"]["amount"],
        "currency": visit["order"]["currency"],
        "customInputs": visit["customInputs"],
        **_rules_request(index, visit),
    }
    return json.dumps(body, separators=(",", ":")).encode()


def _rules_request(index: int, visit: dict[str, Any]) -> dict[str, Any]:
    return {
        "customerIp": visit["device"]["ipAddress"],
        "cardNumber": card_number(index),
        "userId": visit["account"]["userId"],
        "email": f"{visit['account']['username']}@example.com",
        "billingCountry": "US",
    }


def rule_set(rules: int = RULES) -> str:
    """A rule set of that many rules of the starter kind."""
    lines = ["rule_set: starter", "inputs:", "  plan: text", "rules:"]
    for number in range(rules):
        condition = _KINDS[number % len(_KINDS)].format(n=5 + number // len(_KINDS) % 5)
        lines += [
            f"  - name: rule-{number}",
            f'    condition: "{condition}"',
            f"    outcome: {'REVIEW' if number % 2 else 'DECLINE'}",
            f"    tags: [tag-{number % 7}]",
        ]
    return "\n".join(lines) + "\n"


def apply_rules(shop: Shop, folder: Path) -> None:
    """Put the rule set in force."""
    file = folder / "rules.yaml"
    file.write_text(rule_set(), encoding="utf-8")
    command = [*GATEHOUSE, "rules", "apply", str(file), "--account", shop.account_id]
    subprocess.run(command, env=shop.environment, check=True, capture_output=True)
