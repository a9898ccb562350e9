"""What programs do with rule sets. The readers of documents are imported when they are needed."""

from typing import Any, Final

from msgspec import Meta

from gatehouse.admin.configurations.types import RULES_EXAMPLE
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType
from gatehouse.admin.configurations.use_cases.declared import Configured, changes, readings


def _kind() -> ConfigurationType[Any]:
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS

    return RULE_SETS


_RULE_SETS: Final = Configured(
    module=__name__,
    path="/rules",
    scope="manage:rules",
    noun="RuleSet",
    words="rule set",
    name=Meta(description="Name of the rule set.", examples=["checkout"]),
    document=RULES_EXAMPLE,
    load=_kind,
)
list_rule_sets, show, history = readings(_RULE_SETS)
check, apply, roll_back = changes(_RULE_SETS)
