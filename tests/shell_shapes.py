"""The shapes that `--json` prints, key by key: a shape is checked, not only looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Check = Callable[[Any], None]
MONEY = re.compile(r"-?\d+(\.\d+)?")
RATIO_DIGITS = 6


def text(value: Any) -> None:
    assert isinstance(value, str)


def words(value: Any) -> None:
    """A sentence: words, and no message id in place of them."""
    assert isinstance(value, str)
    assert value.strip()
    assert not re.fullmatch(r"[a-z_]+(\.[a-z_0-9]+)+.*", value), f"{value!r} is a message id"


def count(value: Any) -> None:
    assert type(value) is int
    assert value >= 0


def ratio(value: Any) -> None:
    assert type(value) is float
    assert value == round(value, RATIO_DIGITS)


def number(value: Any) -> None:
    """A count, a float, or money as a decimal string."""
    if isinstance(value, str):
        assert MONEY.fullmatch(value), value
    else:
        assert type(value) in (int, float)


def money(value: Any) -> None:
    """A decimal string in USD, or a range whose value is null."""
    if isinstance(value, Mapping):
        assert set(value) == {"value", "low", "high"}
        assert value["value"] is None
        money(value["low"])
        money(value["high"])
        assert Decimal(value["low"]) <= Decimal(value["high"])
    else:
        assert isinstance(value, str)
        assert MONEY.fullmatch(value), value


def ratio_or_range(value: Any) -> None:
    if isinstance(value, Mapping):
        assert set(value) == {"value", "low", "high"}
        ratio(value["low"])
        ratio(value["high"])
    else:
        ratio(value)


def null(value: Any) -> None:
    assert value is None


def maybe(check: Check) -> Check:
    """Null where it is not known."""

    def checked(value: Any) -> None:
        if value is not None:
            check(value)

    return checked


def each(check: Check) -> Check:
    """A list of such values."""

    def checked(value: Any) -> None:
        assert isinstance(value, list)
        for item in value:
            check(item)

    return checked


def named(check: Check) -> Check:
    """An object of any keys with such values."""

    def checked(value: Any) -> None:
        assert isinstance(value, Mapping)
        for key, item in value.items():
            text(key)
            check(item)

    return checked


def shape(**keys: Check) -> Check:
    """An object with exactly these keys."""

    def checked(value: Any) -> None:
        assert isinstance(value, Mapping)
        assert set(value) == set(keys)
        for key, check in keys.items():
            try:
                check(value[key])
            except AssertionError as error:
                raise AssertionError(f"{key}: {error}") from error

    return checked


def either(check: Check) -> Check:
    """Of each bucket, or a low and a high of each bucket."""

    def checked(value: Any) -> None:
        if set(value) == {"low", "high"}:
            named(check)(value["low"])
            named(check)(value["high"])
        else:
            named(check)(value)

    return checked


RECEIPT = shape(
    rows_read=count,
    rows_kept=count,
    rows_collapsed=count,
    rows_rejected=count,
    rows_ignored=count,
    rejected=each(shape(file=text, line=count, reason=words)),
    rejected_by_reason=named(count),
    ignored=each(shape(reason=words, rows=count)),
    assumptions=each(words),
)
STATS = (
    "rows",
    "total_input_tokens",
    "total_output_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_write_30m_tokens",
    "cache_write_12h_tokens",
    "duration_s",
    "models",
    "sessions",
)
BLOCK_STATS = ("total_blocks", "unique_blocks", "mean_request_hit_ratio")
INSPECT = shape(
    format=text,
    files=each(shape(path=text, sha256=text, format=text, encoding=text)),
    receipt=RECEIPT,
    stats=named(lambda value: None),
    format_stats=named(lambda value: None),
)
GROUP = shape(
    by=text,
    key=text,
    requests=maybe(count),
    tokens=named(count),
    no_cache_usd=maybe(money),
    billed_usd=maybe(money),
)
POLICY_ROW = shape(
    provider=maybe(text),
    surface=maybe(text),
    model=maybe(text),
    mode=maybe(text),
    policy=text,
    placement=maybe(text),
    status=text,
    reason=maybe(words),
    usd=maybe(money),
    saving_usd=maybe(money),
    tokens=either(count),
    usd_by_bucket=either(money),
    hit_ratio=maybe(ratio_or_range),
    pings=maybe(count),
    storage_mtok_hours=maybe(text),
    assumptions=each(words),
    source=maybe(text),
    as_of=maybe(text),
)
CHANGE = shape(
    **{"from": text, "to": text},
    volume_usd=money,
    mix_usd=money,
    caching_usd=money,
    price_usd=money,
    total_usd=money,
)
RECONCILIATION = shape(
    stated_usd=money,
    computed_usd=money,
    difference_usd=money,
    parts=named(money),
    fitted=each(shape(model=text, usd_per_mtok=named(text))),
)
OWN_FIGURE = shape(
    section=text,
    item=text,
    key=maybe(text),
    provider=maybe(text),
    model=maybe(text),
    value=maybe(number),
    low=maybe(number),
    high=maybe(number),
    unit=maybe(text),
    basis=text,
    state=maybe(text),
    n=maybe(count),
    source=maybe(text),
    as_of=maybe(text),
)
OWN_HARDWARE = shape(
    model=text,
    device=text,
    choice=named(text),
    figures=each(OWN_FIGURE),
    rate=maybe(shape(usd_per_hour=money, tokens_per_s=money, busy_usd_per_mtok=money)),
    load=maybe(ratio),
    break_even=each(
        shape(
            provider=text,
            surface=text,
            model=text,
            policy=text,
            api_usd_per_mtok=money,
            low_usd_per_mtok=money,
            utilisation_ratio=ratio,
            tokens_per_day=maybe(count),
            source=maybe(text),
            as_of=maybe(text),
        )
    ),
    assumptions=each(words),
    missing=each(words),
    sources=each(shape(basis=text, text=text)),
)
REPORT = shape(
    report_id=text,
    method_version=count,
    price_book_version=text,
    workload_sha256=text,
    assumptions=each(words),
    workload=shape(
        name=text,
        requests=maybe(count),
        rows=count,
        first_utc=maybe(text),
        last_utc=maybe(text),
        days_utc=maybe(count),
    ),
    baselines=shape(
        no_cache_usd=maybe(money),
        billed_usd=maybe(money),
        best_reachable_usd=maybe(money),
        reasons=named(words),
    ),
    best=maybe(shape(provider=text, surface=text, model=text, policy=text, placement=maybe(text))),
    saving=shape(earned_usd=maybe(money), earned_ratio=maybe(ratio), reachable_usd=maybe(money)),
    not_cacheable_usd=maybe(money),
    ratios=shape(
        token_hit=maybe(ratio),
        request_hit=maybe(ratio),
        usd_weighted_hit=maybe(ratio),
        n=count,
    ),
    groups=each(GROUP),
    reconciliation=maybe(RECONCILIATION),
    change=maybe(CHANGE),
    month=maybe(
        shape(factor=ratio, source=words, billed_usd=maybe(money), reachable_usd=maybe(money))
    ),
    rates=each(shape(currency=text, per_usd=text, date=maybe(text), source=text)),
    break_even=each(
        shape(
            provider=text, model=text, policy=text, token_hit_ratio=maybe(ratio), uses=maybe(count)
        )
    ),
    unpriced=each(shape(model=text, rows=count, reason=words)),
    observed_cost_usd=maybe(money),
    rows=each(POLICY_ROW),
    invoices=each(
        shape(
            provider=text,
            stated_usd=money,
            by_day=named(text),
            reconciliation=maybe(RECONCILIATION),
        )
    ),
    adjusted=each(
        shape(
            provider=text,
            of=text,
            discount_ratio=text,
            tax_ratio=text,
            list_price_usd=money,
            discount_usd=money,
            tax_usd=money,
            net_usd=money,
        )
    ),
    own_hardware=maybe(OWN_HARDWARE),
)
PRICES_SHOW = shape(
    matches=each(
        shape(
            provider=text,
            surface=text,
            model=text,
            matched_by=text,
            valid_from=maybe(text),
            valid_to=maybe(text),
            mode=text,
            tier=text,
            above_tokens=count,
            usd_per_mtok=named(money),
            source=text,
            as_of=text,
            status=text,
            second_source=maybe(text),
            via=maybe(text),
            note=maybe(text),
            factors=each(text),
            peak_usd_per_mtok=maybe(named(money)),
            assumptions=each(words),
        )
    ),
    unpriced_reason=maybe(words),
)
PRICES_CHECK = shape(
    tables=each(
        shape(provider=text, models=count, oldest_as_of=text, age_days=count, errors=each(words))
    ),
    own=maybe(
        shape(
            file=text,
            models=count,
            oldest_as_of=maybe(text),
            age_days=maybe(count),
            adjustments=named(shape(discount_ratio=text, tax_ratio=text)),
            errors=each(words),
        )
    ),
    changes_ahead=each(shape(**{"from": text}, provider=text, model=text, what=words)),
)
REPORTS_LIST = shape(
    reports=each(shape(report_id=text, name=text, created_utc=text, price_book_version=text))
)


KV = shape(
    model=text,
    dtype=text,
    context_tokens=count,
    sequences=count,
    tensor_parallel=count,
    block_tokens=count,
    bytes_per_token=count,
    bytes_per_token_long_context=count,
    bytes_min=count,
    bytes_reserved=count,
    bytes_per_rank=count,
    bytes_mha_style=maybe(count),
    groups=each(
        shape(
            kind=text,
            layers=count,
            window_tokens=maybe(count),
            bytes_per_token=count,
            state_bytes=count,
        )
    ),
    capacity=maybe(
        shape(
            free_bytes=count,
            overhead_bytes=count,
            overhead_source=text,
            blocks=count,
            tokens=count,
            sequences=count,
            residual_bytes=count,
        )
    ),
    source=text,
    as_of=maybe(text),
)


def number(value: Any) -> None:
    assert type(value) in (int, float)
    assert value >= 0


def count_or_range(value: Any) -> None:
    if isinstance(value, Mapping):
        assert set(value) == {"value", "low", "high"}
        count(value["low"])
        count(value["high"])
    else:
        count(value)


TIERS = shape(
    model=text,
    prefix_tokens=count,
    kv_bytes=count,
    recompute_s=number,
    linear_flop=count,
    attention_flop=count,
    break_even_bytes_per_s=count,
    tiers=each(
        shape(
            tier=text,
            bytes_per_s=count,
            transfer_s=number,
            choice=text,
            capacity_blocks=maybe(count),
            hit_tokens=maybe(count),
            not_worth_loading_tokens=maybe(count),
            usd_per_gb_hour=maybe(money),
        )
    ),
    implied=each(
        shape(
            provider=text,
            model=text,
            premium=text,
            lifetime_s=count,
            usd_per_gb_hour=money,
            bytes_per_token=count_or_range,
        )
    ),
)


def utilisation_prices(value: Any) -> None:
    """[[utilisation, USD a million tokens], ...]"""
    for pair in value:
        assert len(pair) == 2
        ratio(pair[0])
        money(pair[1])


BREAKEVEN = shape(
    own=shape(
        usd_per_hour=money, tokens_per_s=number, reuse_ratio=maybe(ratio), usd_per_mtok_busy=money
    ),
    rows=each(
        shape(
            provider=maybe(text),
            surface=maybe(text),
            model=maybe(text),
            policy=text,
            api_usd_per_mtok=money,
            utilisation_ratio=ratio,
            tokens_per_day=maybe(count),
            own_usd_per_mtok_at=utilisation_prices,
        )
    ),
)
