"""Where workloads, reports and jobs are kept: SQLAlchemy, Alembic, Parquet."""
