"""Alembic's entry: runs the tree on the connection that `store.migrate` hands over."""

from alembic import context

from gatehouse.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
