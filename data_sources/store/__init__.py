"""Where what came in is kept: the ledger database, workload files, saved reports, jobs."""
