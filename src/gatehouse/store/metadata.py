"""What all declarations of tables share: the metadata that migrations, copies and backups walk."""

from typing import Any, Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()


def declare(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    """A table of the database."""
    return sa.Table(name, METADATA, *parts, **options)
