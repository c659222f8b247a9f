"""A model out of whatever says its shape: a config.json, a GGUF header or a safetensors header."""

from __future__ import annotations

from dataclasses import replace

from econ.gguf_config import gguf_fields
from econ.gguf_header import gguf_header, is_gguf
from econ.kv_config import ReadConfig, read_config, read_fields
from econ.kv_config_fields import refused
from econ.safetensors_config import is_safetensors, read_safetensors

MOST_BYTES = 64 * 2**20
"""More of a file is never needed: a GGUF's keys and a safetensors' header stand at its start."""


def read_model(data: bytes, *, name: str, as_of: str = "") -> ReadConfig:
    """The model that the first bytes of a file describe, recognised by the bytes and not by the
    name. DataError with one sentence where they describe none."""
    if is_gguf(data):
        fields, assumed = gguf_fields(gguf_header(data, name), name)
        found = read_fields(fields, name=name, as_of=as_of)
        spec = replace(found.spec, source="GGUF header")
        return ReadConfig(spec, (*assumed, *found.assumptions))
    if is_safetensors(data):
        spec, assumptions = read_safetensors(data, name=name, as_of=as_of)
        return ReadConfig(replace(spec, source="safetensors header"), assumptions)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(name, "", "model_file", None) from error
    return read_config(text, name=name, as_of=as_of)
