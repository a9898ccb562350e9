"""What all declarations of tables share: the metadata that migrations, copies and backups walk."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.wording.notes import noted, read_note

METADATA: Final = sa.MetaData()


class Note(sa.TypeDecorator[str]):
    """Texts for people, in which sentences keep their keys and values."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """As it is stored."""
        return None if value is None else noted(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """As it was given."""
        return None if value is None else read_note(value)


def declare(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    """A table of the database."""
    return sa.Table(name, METADATA, *parts, **options)
