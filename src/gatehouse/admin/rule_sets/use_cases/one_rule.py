"""One rule of a rule set: shown with its history, switched off, to shadow or live."""

from typing import TYPE_CHECKING, Annotated, Final

from gatehouse.access.roles import Permission
from gatehouse.admin.configurations.types import VersionApplied
from gatehouse.admin.rule_sets.types import RuleShown, RuleSwitch, RuleVersion
from gatehouse.core.api_values import doc
from gatehouse.core.clock import Moment
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition, Tagged, use_case
from gatehouse.store.configured import configurations

if TYPE_CHECKING:
    from gatehouse.admin.configurations.use_cases.configurations import NewVersion
    from gatehouse.rules.changing import RuleChange

_MOST_VERSIONS: Final = 30
"""Versions that are looked through for changes of a rule."""
SetName = Annotated[str, doc("Name of the rule set.", "checkout")]
RuleNamed = Annotated[str, doc("Name of the rule.", "large-order")]


@use_case(
    "GET /rules/{name}/rules/{rule}",
    scope="manage:rules",
    permission=Permission.SEE,
    operation="getRule",
    answers="ruleResponse",
)
def show_rule(
    session: AdminSession, account_id: str, name: SetName, rule: RuleNamed
) -> Tagged[RuleShown]:
    """Show one rule.

    A rule of the version in force, in words and as written, with the versions in which it changed.
    """
    from gatehouse.admin.rule_sets.use_cases import rule_sets
    from gatehouse.conditions.plain_words import rule_in_words
    from gatehouse.rules.changing import rule_named

    found = rule_sets.get(session, account_id, name)
    one = rule_named(found.definition, rule)
    shown = RuleShown(
        rule_set=name,
        version=found.version,
        name=one.name,
        place=found.definition.rules.index(one) + 1,
        state=one.state,
        outcome=one.outcome,
        final=one.final,
        sentence=rule_in_words(one.outcome, one.condition),
        condition=one.condition.text.strip(),
        description=one.description,
        tags=list(one.tags),
        signals=list(one.condition.signals),
        changes=_changes(session, account_id, name, rule),
    )
    return Tagged(shown, found.version)


@use_case(
    "POST /rules/{name}/rules/{rule}/state",
    scope="manage:rules",
    permission=Permission.CONFIGURE,
    answers="applyResponse",
)
def switch_rule(
    session: AdminSession,
    account_id: str,
    name: SetName,
    rule: RuleNamed,
    given: RuleSwitch,
    dry_run: bool = False,
    seen: Precondition = ANY_VERSION,
) -> Tagged[VersionApplied]:
    """Switch a rule.

    Makes a version of the rule set in which the rule is off, only watches, or decides, and puts it
    in force. With `If-Match`, only if that version is in force.
    """
    import msgspec

    from gatehouse.admin.rule_sets.use_cases import rule_sets
    from gatehouse.rules.changing import RuleChange

    new = changed_version(session, account_id, name, rule, RuleChange(given.state))
    base = new.base if seen.version is None else seen.version
    new = msgspec.structs.replace(new, base=base, note=given.note, dry_run=dry_run)
    done = rule_sets.apply(session, account_id, new)
    return Tagged(done, done.version)


def changed_version(
    session: AdminSession, account_id: str, name: str, rule: str, change: "RuleChange"
) -> "NewVersion":
    """The version in force with one rule changed, to apply or to propose."""
    from gatehouse.admin.configurations.use_cases.configurations import NewVersion
    from gatehouse.admin.rule_sets.use_cases import rule_sets
    from gatehouse.rules.changing import with_changed_rule

    session.actor.check_account(account_id)
    found = rule_sets.get(session, account_id, name)
    changed = with_changed_rule(found.document, rule, change)
    return NewVersion(changed.encode(), found.version)


def _changes(session: AdminSession, account_id: str, name: str, rule: str) -> list[RuleVersion]:
    """The newest versions in which the rule is not what it was before."""
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
    from gatehouse.rules.authoring import rule_differences

    key = RULE_SETS.key(account_id, name)
    with session.account_reading(account_id) as connection:
        lines = configurations.history(connection, key)[: _MOST_VERSIONS + 1]
        stored = [configurations.get(connection, key, each.version) for each in lines]
    configurations.check_versions(session.signer, stored)
    rules = [
        next((one for one in RULE_SETS.decode(each.program).rules if one.name == rule), None)
        for each in stored
    ]
    is_whole = len(lines) <= _MOST_VERSIONS
    found = []
    for number, line in enumerate(lines[:_MOST_VERSIONS]):
        before = rules[number + 1] if number + 1 < len(rules) else None
        differences = rule_differences(before, rules[number])
        if differences and (before is not None or is_whole or number + 1 < len(rules)):
            at = Moment(line.created_at_ms)
            found.append(RuleVersion(line.version, at, line.actor, line.note, differences))
    return found
