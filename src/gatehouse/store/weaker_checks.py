"""A migration's step that makes a constraint weaker: all rows stay, and servers of before go on."""

from typing import NamedTuple

from alembic.operations import MigrateOperation, Operations


class _Constraint(NamedTuple):
    table: str
    name: str


class WeakerCheck(MigrateOperation):
    """Allows more than before in the rows of a table; for `op.invoke`."""

    def __init__(self, table: str, name: str, *, before: str, now: str) -> None:
        self.constraint = _Constraint(table, name)
        self.before = before
        self.now = now


@Operations.implementation_for(WeakerCheck)
def _weaken(operations: Operations, step: WeakerCheck) -> None:
    """Must follow a step that tells other connections to SQLite of a new schema, as a column does.

    The statements are those that SQLite's manual gives for constraints that become weaker.
    """
    table, name = step.constraint
    if operations.get_bind().dialect.name == "postgresql":
        operations.drop_constraint(name, table)
        operations.create_check_constraint(name, table, step.now)
        return
    operations.execute("PRAGMA writable_schema = ON")
    operations.execute(
        f"UPDATE sqlite_master SET sql = replace(sql, '{step.before}', '{step.now}')"  # noqa: S608
        f" WHERE type = 'table' AND name = '{table}'"
    )
    operations.execute("PRAGMA writable_schema = RESET")
