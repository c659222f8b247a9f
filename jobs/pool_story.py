"""The step-through of the block pool on the bundled workload: a job, made once and kept."""

from __future__ import annotations

import json
from typing import Any

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from econ.method import METHOD_VERSION
from econ.pool_steps import POOL_BLOCKS, REQUESTS, PoolStory, record, story_from_json, story_to_json
from jobs import tasks
from jobs.lifespan import current_runner
from jobs.progress import Progress
from jobs.shelf import example

KIND = "pool_story"
NAME = f"{KIND}-{METHOD_VERSION}-{REQUESTS}-{POOL_BLOCKS}.json"
tasks.register(KIND, "jobs.pool_story:story_task")


def pool_story() -> PoolStory | None:
    """The story if it has been made before, else None: then `start_story` makes it."""
    text = computed(current_store(), example().id, NAME)
    try:
        return None if text is None else story_from_json(json.loads(text))
    except (ValueError, KeyError, TypeError):  # half a file is no story: it is made again
        return None


def start_story(owner: str) -> str:
    """Start making it; returns the job's id. InputError: too many unfinished jobs."""
    return current_runner().submit(KIND, {}, owner)


def story_task(params: dict[str, Any], progress: Progress) -> str:
    """The job. The pool's compiled loops are loaded here, not in the server."""
    progress(0.0, "open")
    text = json.dumps(story_to_json(record(example().workload)))
    keep_computed(current_store(), example().id, NAME, text)
    return NAME
