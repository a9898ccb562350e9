"""What every new account begins with: the starter rule set, its lists, and two pipelines."""

from typing import Final

import sqlalchemy as sa

from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.starter import STARTER_LISTS, STARTER_NAME, starter_document, starter_program
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.account_signature import signed_change
from gatehouse.store.configured.configurations import (
    KINDS,
    PIPELINE,
    RULES,
    ConfigurationKey,
    VersionContent,
    insert_first_unsigned,
    names,
)
from gatehouse.store.configured.list_plans import ListKey
from gatehouse.store.configured.open_list import new_list
from gatehouse.store.tables import LISTS

_STARTER_NOTE: Final = "given to every new account"


def is_complete(connection: sa.Connection, account_id: str) -> bool:
    """Whether an account has rule sets and pipelines."""
    return all(names(connection, account_id, kind) for kind in KINDS)


def seed_defaults(change: Change, account_id: str) -> list[str]:
    """Give an account what every new one has, as far as it has none; the names of what it got."""
    made = insert_defaults(change, account_id)
    if made:
        change.audit("account.furnish", account_id, made=made)
    return made


def insert_defaults(change: Change, account_id: str) -> list[str]:
    """The same without an audit line, for a change that writes its own."""
    wanted = []
    without_rules = not names(change.connection, account_id, RULES)
    if without_rules:
        wanted.append((RULES, STARTER_NAME, starter_document(), starter_program()))
    if not names(change.connection, account_id, PIPELINE):
        wanted += [(PIPELINE, *pipeline) for pipeline in starter_pipelines()]
    if not wanted:
        return []
    with signed_change(change, account_id):
        made = _insert_lists(change, account_id) if without_rules else []
        for kind, name, document, program in wanted:
            key = ConfigurationKey(account_id, kind, name)
            content = VersionContent(document, program)
            insert_first_unsigned(change, key, content, _STARTER_NOTE)
            made.append(f"{key.label} {name}")
    return made


def _insert_lists(change: Change, account_id: str) -> list[str]:
    """The empty lists that the starter rule set looks things up on."""
    query = sa.select(LISTS.c.name).where(LISTS.c.account_id == account_id)
    there = set(change.connection.scalars(query))
    missing = [each for each in STARTER_LISTS if each.name not in there]
    rows = [
        new_list(change, ListKey(account_id, each.name), each.kind, each.about) for each in missing
    ]
    if rows:
        change.connection.execute(LISTS.insert(), rows)
    return [f"list {each.name}" for each in missing]
