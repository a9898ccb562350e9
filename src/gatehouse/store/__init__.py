"""The store: tables, migrations, the group-commit writer; SQLite and PostgreSQL behind one port."""
