"""One door to every model: the packaged one, a local folder or file, or random weights."""

from __future__ import annotations

from pathlib import Path

import torch

from kvcore import optional
from kvcore.errors import KvcoreError
from kvcore.model.gguf_file import GgufFile, gguf_shape, gguf_weights
from kvcore.model.random_weights import random_weights
from kvcore.model.safetensors_folder import folder_weights, read_json
from kvcore.model.shape import SMOLLM2, ModelShape
from kvcore.model.tokenizer import folder_tokenizer, gguf_tokenizer
from kvcore.model.weights import Model

SMOLLM2_SOURCE = "smollm2"


def load_model(
    source: str | Path | ModelShape,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    seed: int = 0,
) -> Model:
    """A model ready to run, its matrices in dtype on device, its norms in fp32.

    source: "smollm2" (the packaged SmolLM2-135M-Instruct), the path of a GGUF file or of a
    Hugging Face folder, or a ModelShape for random weights drawn with seed. Raises KvcoreError
    where the source is absent, damaged or not a model that the engine computes.
    """
    place = str(device)
    if isinstance(source, ModelShape):
        return _random(source, dtype, place, seed)
    if source == SMOLLM2_SOURCE:
        return _gguf(_packaged_path(), dtype, place, name=SMOLLM2.name)
    path = Path(source)
    if path.is_dir():
        return _folder(path, dtype, place)
    if path.is_file():
        return _gguf(path, dtype, place, name="")
    raise KvcoreError(
        "kvcore.model_not_found",
        "{path} is neither a model folder nor a GGUF file.",
        {"path": str(source)},
    )


def default_model(
    *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu", seed: int = 0
) -> Model:
    """SmolLM2 where its package is, else random weights of its shape; is_random tells which."""
    if optional.smollm2_path() is not None:
        return load_model(SMOLLM2_SOURCE, dtype=dtype, device=device)
    return load_model(SMOLLM2, dtype=dtype, device=device, seed=seed)


def _packaged_path() -> Path:
    path = optional.smollm2_path()
    if path is None:
        raise KvcoreError(
            "kvcore.smollm2_absent",
            "The packaged model is not installed: {command}",
            {"command": optional.SMOLLM2_INSTALL},
        )
    return path


def _random(shape: ModelShape, dtype: torch.dtype, device: str, seed: int) -> Model:
    return Model(
        shape=shape,
        weights=random_weights(shape, seed=seed, dtype=dtype, device=device),
        tokenizer=None,
        name=shape.name,
        source=f"random weights, seed {seed}",
        weight_dtype=dtype,
        is_random=True,
        tokenizer_problem="random weights have no vocabulary",
    )


def _gguf(path: Path, dtype: torch.dtype, device: str, *, name: str) -> Model:
    file = GgufFile(path)
    shape = gguf_shape(file)
    tokenizer, problem = gguf_tokenizer(file)
    return Model(
        shape=shape,
        weights=gguf_weights(file, shape, dtype=dtype, device=device),
        tokenizer=tokenizer,
        name=name or shape.name,
        source=f"{path.name}, dequantised from {file.quantisations()}",
        weight_dtype=dtype,
        tokenizer_problem=problem,
    )


def _folder(path: Path, dtype: torch.dtype, device: str) -> Model:
    config = read_json(path / "config.json")
    shape = ModelShape.from_config(config, name=path.name)
    # DeepSeek-V2 always pairs neighbours; V3 says so in a field whose default is yes.
    interleaved = bool(config.get("rope_interleave", True))
    tokenizer, problem = folder_tokenizer(path)
    return Model(
        shape=shape,
        weights=folder_weights(path, shape, interleaved=interleaved, dtype=dtype, device=device),
        tokenizer=tokenizer,
        name=path.name,
        source=f"{path.name}, safetensors",
        weight_dtype=dtype,
        tokenizer_problem=problem,
    )
