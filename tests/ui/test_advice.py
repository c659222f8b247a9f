"""What to change: one line a model, settings only where they are known."""

from __future__ import annotations

from dataclasses import replace

from econ.money import Amount
from econ.policy_plans import POLICIES
from econ.report import CostReport, Provenance
from econ.report_params import ReportParams
from jobs import flows
from messages.catalogue import LANGUAGES, t
from messages.errors import Message
from tests.pages.test_pages import opened, plain
from ui import advice


def report(choices: dict[str, str], reachable_e13: int | None = 5) -> CostReport:
    """The example's report with other best policies."""
    known = flows.report(flows.example_id(), ReportParams(), "advice")
    amount = None if reachable_e13 is None else Amount.exactly(reachable_e13)
    best = Provenance(formula=Message("report.formula_best_reachable"), inputs=choices)
    return replace(
        known,
        saving=replace(known.saving, reachable=amount),
        figures={**known.figures, "best_reachable": best},
    )


def test_the_example_says_which_setting_each_model_needs() -> None:
    known = flows.report(flows.example_id(), ReportParams(), "advice")
    changes = {change.model: change for change in advice.changes_of(known)}
    assert changes["claude-opus-5"].settings == (advice.ONE_HOUR, advice.FIVE_MINUTES)
    assert changes["claude-opus-5-5"].settings == (advice.ONE_HOUR,)
    assert changes["claude-opus-5-5"].place == "shared"


def test_nothing_is_advised_where_nothing_more_is_reachable_or_known() -> None:
    assert advice.changes_of(report({"anthropic m": "5m, shared"}, 0)) == ()
    assert advice.changes_of(report({"anthropic m": "5m, shared"}, None)) == ()
    assert advice.changes_of(report({"anthropic m": "as-billed"})) == ()


def test_a_provider_whose_setting_is_not_known_gets_words_alone() -> None:
    (change,) = advice.changes_of(report({"google gemini-3.1-pro-preview": "explicit, shared"}))
    assert (change.settings, change.place) == ((), "explicit")


def test_every_place_has_words_in_both_languages() -> None:
    places = [*advice.WITHOUT_PLACE, "shared", "end", "end-block", "every", "lifetime"]
    for language in LANGUAGES:
        for place in places:
            key = f"advice.place_{place.replace('-', '_')}"
            assert t(language, key) != key


def test_the_sentence_starts_with_the_money_and_holds_no_code() -> None:
    at = opened("overview")
    said = next(plain(m.value) for m in at.markdown if "can be saved" in m.value)
    assert said.startswith("**Another $")
    assert "a month" in said
    assert "on 3 models" in said
    assert "on claude-opus-5-5" in said
    assert "`" not in said
    assert "cache_control" not in said


def test_the_popover_names_every_model_and_holds_each_setting_once_for_equal_changes() -> None:
    at = opened("overview")
    settings = [code.value for code in at.code]
    assert settings == [advice.ONE_HOUR, advice.FIVE_MINUTES, advice.ONE_HOUR]
    said = [plain(m.value) for m in at.markdown]
    named = next(line for line in said if "claude-sonnet-5" in line)
    assert "claude-haiku-4-5" in named


def test_every_policy_has_plain_words_in_both_languages() -> None:
    for language in LANGUAGES:
        for policy in set(POLICIES) - advice.UNCHANGED:
            key = f"advice.do_{policy.replace('-', '_')}"
            assert t(language, key, models="m") != key


def test_a_file_that_says_nothing_of_a_cache_is_advised_against_no_caching() -> None:
    known = report({"anthropic claude-opus-5": "5m, shared"}, None)
    baselines = replace(
        known.baselines,
        billed=None,
        no_cache=Amount.exactly(9),
        best_reachable=Amount(low_e13=3, high_e13=4),
    )
    saving = advice.saving_of(replace(known, baselines=baselines))
    assert saving == Amount(low_e13=5, high_e13=6)
