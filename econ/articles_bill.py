"""The articles' prices and their contract example, by the price tables and the ordinary bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import numpy as np

from econ.articles_inputs import ARTICLE_DAY, Inputs
from econ.billing import Bill, BillingOptions, bill
from econ.cache_rules import LIFETIME_S, rules_of
from econ.prompt_cache_oracle import LOOKBACK_POSITIONS, MAX_BREAKPOINTS
from econ.workload import Column, Text, Workload
from price_tables.book import STORAGE, RateCard, Segment
from price_tables.lookup import price_at, rate_card

OPUS, FABLE, SONNET, HAIKU = (
    "claude-opus-5",
    "claude-fable-5-1",
    "claude-sonnet-5",
    "claude-haiku-4-5",
)
GPT, GEMINI = "gpt-5.6-sol", "gemini-3.1-pro-preview"
CONTRACT_TOKENS, QUESTIONS = 100_000, 100
HIT_RATIO = 0.75
Compute = Callable[[Inputs], float]


def _card(inputs: Inputs, model: str) -> RateCard:
    found = rate_card(inputs.book, model=model)
    if not isinstance(found, RateCard):
        raise ValueError(f"{model} has no rate card")
    return found


def _row(inputs: Inputs, model: str) -> Segment:
    found = price_at(_card(inputs, model), ARTICLE_DAY, 1_000)
    if not isinstance(found, Segment):
        raise ValueError(f"{model} has no price on the articles' day")
    return found


def _usd(model: str, bucket: str) -> Compute:
    return lambda inputs: float(_row(inputs, model).usd_per_mtok[bucket])


def _over_input(model: str, bucket: str) -> Compute:
    def found(inputs: Inputs) -> float:
        prices = _row(inputs, model).usd_per_mtok
        return float(prices[bucket] / prices["uncached"])

    return found


def _write(inputs: Inputs) -> float:
    prices = _row(inputs, GPT).usd_per_mtok
    return float(prices["write_30m"] / prices["uncached"])


def _minima(inputs: Inputs) -> list[int]:
    """Shortest prefixes that Claude models keep, of those that sell writes."""
    cards = [rate_card(inputs.book, model=m.id) for m in inputs.book.tables["anthropic"].models]
    rules = [rules_of(inputs.book, card) for card in cards if isinstance(card, RateCard)]
    return [rule.min_tokens for rule in rules if rule.lifetimes and rule.min_tokens > 1]


def contract(inputs: Inputs, write_column: str | None) -> Bill:
    """A contract of 100,000 tokens and 100 questions, contract tokens only, a minute apart."""
    later, rows = QUESTIONS - 1, QUESTIONS
    columns = {"input_tokens": [CONTRACT_TOKENS] * rows, "output_tokens": [0] * rows}
    if write_column is not None:
        columns["cached_read_tokens"] = [0] + [CONTRACT_TOKENS] * later
        columns[write_column] = [CONTRACT_TOKENS] + [0] * later
    start = np.datetime64(ARTICLE_DAY.replace(tzinfo=None), "us")
    times = start + np.arange(rows) * np.timedelta64(60_000_000, "us")
    counts = {name: np.asarray(values, dtype=np.int64) for name, values in columns.items()}
    named: dict[str, Column] = {**counts, "arrival_utc": times, "model": Text.constant(OPUS, rows)}
    workload = Workload(name="contract", format="example", rows=rows, columns=named)
    return bill(workload, inputs.book, BillingOptions())


def _contract_usd(bucket: str, write_column: str) -> Compute:
    return lambda inputs: float(contract(inputs, write_column).usd_by_bucket[bucket].usd or 0)


def _contract_total(write_column: str) -> Compute:
    return lambda inputs: float(contract(inputs, write_column).billed.amount.usd or 0)


def _contract_saving(write_column: str) -> Compute:
    def found(inputs: Inputs) -> float:
        made = contract(inputs, write_column)
        return float((made.saving.amount.usd or 0) / (made.no_cache.amount.usd or Decimal(1)))

    return found


def reads_share(inputs: Inputs, hit_ratio: float = HIT_RATIO) -> float:
    """Reads' share of input cost at a hit ratio, the rest at list price."""
    reads = hit_ratio * _over_input(OPUS, "read")(inputs)
    return reads / (reads + 1 - hit_ratio)


def _longest(inputs: Inputs) -> float:
    return float(
        max(LIFETIME_S[name] for name in rules_of(inputs.book, _card(inputs, GPT)).lifetimes)
    )


COMPUTED: Mapping[str, Compute] = {
    "write_5m": _over_input(OPUS, "write_5m"),
    "write_1h": _over_input(OPUS, "write_1h"),
    "read_opus": _over_input(OPUS, "read"),
    "fable_input": _usd(FABLE, "uncached"),
    "fable_5m": _usd(FABLE, "write_5m"),
    "fable_1h": _usd(FABLE, "write_1h"),
    "fable_read": _usd(FABLE, "read"),
    "fable_multiplier": _over_input(FABLE, "read"),
    "opus_input": _usd(OPUS, "uncached"),
    "opus_5m": _usd(OPUS, "write_5m"),
    "opus_1h": _usd(OPUS, "write_1h"),
    "opus_read": _usd(OPUS, "read"),
    "sonnet_read": _usd(SONNET, "read"),
    "haiku_read": _usd(HAIKU, "read"),
    "min_low": lambda inputs: float(min(_minima(inputs))),
    "min_high": lambda inputs: float(max(_minima(inputs))),
    "breakpoints": lambda _: float(MAX_BREAKPOINTS),
    "lookback": lambda _: float(LOOKBACK_POSITIONS),
    "openai_min": lambda i: float(rules_of(i.book, _card(i, GPT)).min_tokens),
    "openai_write": _write,
    "openai_read": _over_input(GPT, "read"),
    "openai_lifetime": _longest,
    "google_read": _over_input(GEMINI, "read"),
    "google_storage": lambda i: float(_row(i, GEMINI).usd_per_mtok[STORAGE]),
    "contract_none": lambda i: float(contract(i, None).no_cache.amount.usd or 0),
    "contract_write_5m": _contract_usd("write_5m", "cache_write_5m_tokens"),
    "contract_write_1h": _contract_usd("write_1h", "cache_write_1h_tokens"),
    "contract_reads": _contract_usd("read", "cache_write_5m_tokens"),
    "contract_5m": _contract_total("cache_write_5m_tokens"),
    "contract_1h": _contract_total("cache_write_1h_tokens"),
    "contract_saving_5m": _contract_saving("cache_write_5m_tokens"),
    "contract_saving_1h": _contract_saving("cache_write_1h_tokens"),
    "reads_most": reads_share,
}
"""By the id of the figure."""
