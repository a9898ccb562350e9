"""Counts rows."""

import sqlalchemy as sa


def count_rows(
    connection: sa.Connection, table: sa.FromClause, *where: sa.ColumnElement[bool]
) -> int:
    """How many rows of a table fulfil all conditions."""
    query = sa.select(sa.func.count()).select_from(table).where(*where)
    return connection.scalar(query) or 0
