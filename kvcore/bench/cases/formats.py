"""Error and size of every KV format, with this model's own trained weights on English text."""

from __future__ import annotations

import argparse
import doctest
import inspect
import optparse
import statistics
from collections.abc import Iterator
from types import ModuleType

from kvcore.bench.context import TIME_BUDGET, Bench, counted, missing
from kvcore.model.kv_formats import FORMATS, format_errors
from kvcore.profile import CaseResult, Param

TEXT = "docstrings of Python's standard library"
MODULES: tuple[ModuleType, ...] = (statistics, argparse, doctest, optparse)
SEQUENCE_TOKENS = 256
PREFIX_TOKENS = 192
PASSES = 4 * len(FORMATS) / 10
"""What the formats of one sequence cost, in cold prefills of it: measured once, for room only."""


def format_error(bench: Bench) -> Iterator[CaseResult]:
    """KL divergence and agreement of the most likely token against unquantised keys and values.

    The first 192 tokens of every text are kept in the format, those after them are scored. Nothing
    is measured with random weights: their errors say nothing about a trained model's.
    """
    tokenizer = bench.model.tokenizer
    if bench.model.is_random or tokenizer is None:
        reason = "no trained weights" if bench.model.is_random else "no tokenizer"
        yield missing("kv_error_kl", reason)
        return
    if not bench.has_time(PASSES * bench.prefill_s(SEQUENCE_TOKENS)):
        yield missing("kv_error_kl", TIME_BUDGET)
        return
    sequences = [
        tokenizer.encode(inspect.getdoc(module) or "")[:SEQUENCE_TOKENS]
        for module in (MODULES[:2] if bench.quick else MODULES)
    ]
    long_enough = [tokens for tokens in sequences if len(tokens) == SEQUENCE_TOKENS]
    for found in format_errors(bench.model, long_enough, prefix_tokens=PREFIX_TOKENS):
        params: dict[str, Param] = {
            "format": found.format,
            "positions": found.positions,
            "text": TEXT,
        }
        yield counted("kv_error_kl", max(0.0, found.kl_nats), **params)
        yield counted("kv_error_top1", found.top1_agreement, **params)
        yield counted("kv_format_bits", found.bits_per_element, format=found.format)
