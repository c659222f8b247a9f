"""The installation's secret, with which readers key block hashes so that prompts stay unknown."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from data_sources.store.engine import Store, take_turn
from data_sources.store.tables import installation

SECRET_TURN = 3
SECRET_BYTES = 32


def installation_secret(store: Store) -> bytes:
    """32 random bytes, made once for this database and the same ever after."""
    query = sa.select(installation.c.value).where(installation.c.key == "secret")
    with store.read() as connection:
        found = connection.scalar(query)
    if found is not None:
        return bytes.fromhex(found)
    with store.write() as connection:
        take_turn(connection, SECRET_TURN)
        found = connection.scalar(query)
        if found is None:
            found = secrets.token_hex(SECRET_BYTES)
            connection.execute(sa.insert(installation).values(key="secret", value=found))
    return bytes.fromhex(found)
