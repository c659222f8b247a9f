"""The ledger on each database, as the store's own tests have it."""

from tests.data_sources.store.conftest import ledger_settings as ledger_settings
from tests.data_sources.store.conftest import postgres_settings as postgres_settings
from tests.data_sources.store.conftest import postgres_url as postgres_url
