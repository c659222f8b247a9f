"""The article's bandwidth arithmetic beside ours; devices found by name."""

from __future__ import annotations

import pytest

from econ.article_speed import ArticleRow, article_rows
from econ.device_names import find_device
from messages.errors import NotFoundError
from price_tables.hardware_load import load_hardware

HARDWARE = load_hardware()
ROWS = article_rows(HARDWARE)


def row(quantity: str, context: int, sequences: int) -> ArticleRow:
    """The one row of a case."""
    asked = (quantity, context, sequences)
    (found,) = [r for r in ROWS if (r.quantity, r.context_tokens, r.sequences) == asked]
    return found


def test_k2_steps_stand_beside_what_the_article_rounds() -> None:
    steps = {(c, n): row("step", c, n) for c, n in ((8_192, 1), (131_072, 1), (131_072, 4))}
    assert [r.printed for r in steps.values()] == [0.0091, 0.0138, 0.0288]
    assert [round(r.ours * 1e3, 2) for r in steps.values()] == [9.09, 14.12, 30.22]
    assert [r.why for r in steps.values()] == ["none", "kv", "kv"]
    assert round(row("each", 131_072, 4).ours, 1) == 33.1


def test_k3_prefill_has_attention_and_is_over_twice_as_long() -> None:
    whole, linear = row("prefill", 131_072, 1), row("prefill_linear", 131_072, 1)
    assert (round(whole.ours, 1), round(linear.ours, 1)) == (9.1, 4.1)
    assert (whole.printed, whole.why) == (4.0, "attention")


def test_k4_five_fit_on_paper_and_six_do_not() -> None:
    five, six = row("total", 131_072, 5), row("total", 131_072, 6)
    assert (round(five.ours / 1e9, 1), five.fits, five.printed) == (284.7, True, None)
    assert (round(six.ours / 1e9, 1), six.fits) == (327.7, False)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("b300-sxm", "b300-sxm"),
        ("B300 SXM", "b300-sxm"),
        ("b300", "b300-sxm"),
        ("gb200", "gb200"),
        ("GB200 (per GPU)", "gb200"),
        ("h200", "h200-sxm"),
    ],
)
def test_a_device_is_found_by_id_name_or_the_start_of_its_id(asked: str, found: str) -> None:
    assert find_device(HARDWARE.devices, asked).id == found


def test_a_start_that_several_have_is_not_guessed() -> None:
    with pytest.raises(NotFoundError) as refused:
        find_device(HARDWARE.devices, "h100")
    assert "h100-pcie" in str(refused.value.message.values["near"])
    with pytest.raises(NotFoundError):
        find_device(HARDWARE.devices, "")
