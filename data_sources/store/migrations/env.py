"""Alembic's entry: runs the migrations on the connection that `migrate.py` hands over."""

from __future__ import annotations

from alembic import context
from sqlalchemy.engine import Connection

from data_sources.store.tables import metadata


def run(connection: Connection) -> None:
    """Migrate on `connection`, inside the transaction that its owner has begun."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        # SQLite cannot alter a table in place.
        render_as_batch=connection.dialect.name == "sqlite",
    )
    context.run_migrations()


run(context.config.attributes["connection"])
