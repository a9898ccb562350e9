"""What stages that run rule sets tell the conditions after them, live and in a backtest."""

from collections.abc import Iterable
from typing import Any

from gatehouse.core.stage_registry import REGISTRY


def runs_rules(stage: str) -> bool:
    """Whether a stage of this name runs one of the account's rule sets."""
    return stage in REGISTRY and REGISTRY[stage].runs_rule_set


def rules_signals(status: str, matched: Iterable[str], completed: bool) -> dict[str, Any]:
    """The signals of the stages with rules so far: the strongest outcome and all that matched."""
    return {
        "rules.status": str(status),
        "rules.matched": list(matched),
        "rules.completed": completed,
    }
