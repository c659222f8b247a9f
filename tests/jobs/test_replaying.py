"""A study of the cache: made once, kept beside the workload, gone with it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import Store, current_store
from data_sources.store.workloads import save_workload
from econ.cache_study import study, study_from_json, study_to_json
from econ.example import example_workload
from econ.receipt import Receipt
from jobs import flows, replaying, shelf
from jobs.shelf import opened
from messages.errors import InputError, NotFoundError
from tests.econ_replay.made import made

OWNER = "a" * 32
ASKED = flows.StudyParams()


def kept() -> str:
    """A small workload of this owner: its id."""
    workload = made([[0, 1], [0, 2], [0, 1]], team=["x", "y", "x"], block_tokens=16)
    receipt = Receipt(files=(), rows_read=3, rows_kept=3)
    return save_workload(current_store(), workload, receipt, OWNER)


def test_a_study_is_made_by_a_job_and_found_again() -> None:
    workload_id = kept()
    assert flows.cache_scopes(workload_id, OWNER) == ("file", "team")
    assert flows.cache_study(workload_id, ASKED, OWNER) is None
    job = flows.job(flows.start_study(workload_id, ASKED, OWNER), OWNER)
    assert (job.state, job.error) == ("done", None)
    found = flows.cache_study(workload_id, ASKED, OWNER)
    assert found is not None
    assert found.main.hit_blocks[-1] == 3  # 0, then 0 and 1
    assert found.main.footprint_blocks == 3
    assert [row.scope for row in found.shared] == ["file", "team"]
    assert found.shared[1].unlimited["block"] == 2 / 6


def test_another_process_finds_it_on_disk_and_half_a_file_is_made_anew() -> None:
    workload_id = kept()
    flows.start_study(workload_id, ASKED, OWNER)
    key = opened(workload_id, OWNER).key
    shelf.close(key)
    assert flows.cache_study(workload_id, ASKED, OWNER) is not None
    name = replaying._name(ASKED)
    for damaged in ("{", "[]", '{"layout": 99}', '{"layout": 1}'):
        keep_computed(current_store(), key, name, damaged)
        shelf.close(key)
        assert flows.cache_study(workload_id, ASKED, OWNER) is None
    flows.start_study(workload_id, ASKED, OWNER)
    assert flows.cache_study(workload_id, ASKED, OWNER) is not None


def test_it_goes_with_its_workload() -> None:
    workload_id = kept()
    flows.start_study(workload_id, ASKED, OWNER)
    key = opened(workload_id, OWNER).key
    flows.delete_workload(workload_id, OWNER)
    assert computed(current_store(), key, replaying._name(ASKED)) is None
    with pytest.raises(NotFoundError):
        flows.cache_study(workload_id, ASKED, OWNER)


def test_somebody_else_sees_no_study() -> None:
    workload_id = kept()
    flows.start_study(workload_id, ASKED, OWNER)
    with pytest.raises(NotFoundError):
        flows.cache_study(workload_id, ASKED, "b" * 32)


def test_a_disk_that_refuses_is_no_error(tmp_path: Path) -> None:
    place = tmp_path / "a file where the folder should be"
    place.write_text("", encoding="utf-8")
    store = cast(Store, SimpleNamespace(files_url=str(place)))
    keep_computed(store, "0" * 64, "x.json", "{}")
    assert computed(store, "0" * 64, "x.json") is None


def test_a_study_is_the_same_after_json() -> None:
    found = study(example_workload(), "engine", "user", lambda fraction, stage: None)
    data = json.loads(json.dumps(study_to_json(found)))
    again = study_from_json(data)
    assert again is not None
    assert study_to_json(again) == study_to_json(found)
    assert not again.equal_blocks


def test_a_job_on_a_workload_without_blocks_fails_with_its_sentence() -> None:
    from econ.workload import Workload

    bare = Workload(name="bare", format="made", rows=0, columns={})
    workload_id = save_workload(
        current_store(), bare, Receipt(files=(), rows_read=0, rows_kept=0), OWNER
    )
    assert flows.cache_scopes(workload_id, OWNER) == ()
    job = flows.job(flows.start_study(workload_id, ASKED, OWNER), OWNER)
    assert job.state == "failed"
    assert job.error is not None
    assert job.error.id == "replay.no_blocks"
    with pytest.raises(InputError):
        study(bare, "trace", "file", lambda fraction, stage: None)
