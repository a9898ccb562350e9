"""The store: tables, migrations and the group-commit writer; SQLite and PostgreSQL, one door."""
