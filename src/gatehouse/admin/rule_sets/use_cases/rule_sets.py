"""Rule sets of an account: checked, applied, listed, shown and rolled back."""

from typing import Final

from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.configurations.types import VersionApplied
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import (
    ConfigurationType,
    ConfigurationVersion,
    NewVersion,
)
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.authoring import differences, list_problems, read_rule_set
from gatehouse.rules.ruleset import RuleSet, decode_program, encode_program
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.configurations import RULES, names

_WHICH: Final = Phrase("refused.which_rule_set", "say which rule set; there are: {known}")
_NONE: Final = Phrase("refused.which_none", "none")

RULE_SETS: Final = ConfigurationType(
    kind=RULES,
    label="rule set",
    read=lambda _, __, content: (read_rule_set(content), []),
    name_of=lambda rule_set: rule_set.name,
    parts=lambda rule_set: len(rule_set.rules),
    encode=encode_program,
    decode=decode_program,
    problems=lambda _, connection, account_id, rule_set: list_problems(
        rule_set, list_reading.kinds(connection, account_id)
    ),
    differences=differences,
    approval=ApprovalKind.RULES,
)


def apply(session: AdminSession, account_id: str, new: NewVersion) -> VersionApplied:
    """Make a file the next version of its rule set."""
    return configurations.apply(session, account_id, RULE_SETS, new)


def get(
    session: AdminSession, account_id: str, name: str | None, version: int | None = None
) -> ConfigurationVersion[RuleSet]:
    """One version of a rule set, by default of the only one the account has."""
    if name is None:
        with session.account_reading(account_id) as connection:
            known = names(connection, account_id, RULES)
        if len(known) != 1:
            raise InvalidInput(_WHICH(known=", ".join(known) or _NONE()))
        [name] = known
    return configurations.get(session, account_id, RULE_SETS, name, version)


def lists_of(rule_set: RuleSet) -> list[str]:
    """The lists that rules look things up on, by name."""
    return sorted({name for rule in rule_set.rules for _, name in rule.condition.lists})
