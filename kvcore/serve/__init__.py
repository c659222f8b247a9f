"""Many requests on one engine: the scheduler, what a request is and what is reported of it."""
