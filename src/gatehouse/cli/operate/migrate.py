"""gatehouse migrate: bring the database up to date."""

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.opening import read_settings
from gatehouse.cli.output import show


def migrate(as_json: AsJson = False) -> None:
    """Create or upgrade the database. A sandbox does this by itself, production never."""
    from gatehouse.installation import migrate_database

    before, after = migrate_database(read_settings())
    text = f"up to date at {after}" if before == after else f"{before or 'empty'} -> {after}"
    show({"before": before, "after": after}, text, as_json=as_json)
