"""Fact answers: what is found is stated, what is not is named, and nothing else is said."""

import pytest

from tests.facts.world import row

FOUND = "revenue of China, FY2025: 112,908.4 CNY m (AR2025)"


def test_a_fact_is_stated_with_its_unit_codes_and_source(ledger):
    reply = ledger.say("revenue of China in FY2025")
    assert (reply["outcome"], reply["reason"], reply["text"]) == ("answer", "", FOUND)
    source = {"doc": "AR2025", "page": "page 12"}
    assert reply["data"] == {
        "facts": [
            {
                "status": "found",
                "value": "112,908.4",
                "unit": "CNY m",
                "source": source,
                "arguments": {"metric": "REVENUE", "place": "CN", "year": "FY2025"},
            }
        ]
    }
    assert [one["source"] for one in reply["sources"]] == [source]
    assert ledger.record["response_source"] == "facts"
    assert ledger.record["response_rule_key"] == "stated"
    assert ledger.record["guard_triggered"] is False
    assert ledger.record["calls"][0]["fact"] == "found"


def test_codes_are_shown_in_the_language_of_the_reader(ledger):
    assert ledger.say("香港2025年的营收")["text"] == "香港2025财年营收：17,902.9 HKD m（AR2025）"


def test_a_long_decimal_is_said_digit_for_digit(ledger):
    assert "123456789012345678901.50" in ledger.say("profit of China FY2025")["text"]


def test_a_fact_that_is_not_there_is_refused_without_a_guess(ledger):
    reply = ledger.say("revenue of China in FY2024")
    assert (reply["outcome"], reply["reason"]) == ("decline", "not_found")
    assert reply["text"] == "Nothing on revenue of China, FY2024."
    assert reply["data"]["facts"] == [
        {"status": "not_found", "arguments": {"metric": "REVENUE", "place": "CN", "year": "FY2024"}}
    ]
    assert reply["sources"] == []
    assert ledger.record["guard_triggered"] is True
    assert ledger.record["response_source"] == "facts"


def test_a_row_without_a_value_is_no_fact(changed, world):
    ledger = changed(("value: {type: string}", "value: {type: string, optional: true}"))
    world.rows["REVENUE", "CN", "FY2025"] = [row("1") | {"value": None}]
    assert ledger.say("revenue FY2025 China")["reason"] == "not_found"


def test_several_rows_are_an_error_and_never_the_first(ledger, world):
    reply = ledger.say("profit of Hong Kong in FY2024")
    assert (reply["outcome"], reply["reason"]) == ("error", "error")
    assert reply["text"] == "profit, Hong Kong, FY2024: this cannot be looked up just now."
    assert "2 rows" in ledger.record["calls"][0]["error"]
    assert ledger.record["guard_triggered"] is False


def test_each_part_of_a_composite_question_reports_its_own_outcome(ledger, world):
    world.rows["PROFIT", "HK", "FY2025"] = [row("1"), row("2")]
    reply = ledger.say("profit of China and Hong Kong in FY2025; place: Mars")
    assert reply["text"].splitlines() == [
        "profit of China, FY2025: 123456789012345678901.50 CNY m (AR2025)",
        "profit, Hong Kong, FY2025: this cannot be looked up just now.",
        "No place is called Mars.",
    ]
    assert [one["status"] for one in reply["data"]["facts"]] == ["found", "error", "unrecognized_param"]
    assert reply["outcome"] == "answer"
    assert world.calls == [("PROFIT", "CN", "FY2025"), ("PROFIT", "HK", "FY2025")]


def test_all_parts_missing_is_a_decline_that_names_each(ledger):
    reply = ledger.say("revenue of China and Hong Kong in FY2024")
    assert reply["outcome"] == "decline"
    assert reply["text"].splitlines() == [
        "Nothing on revenue of China, FY2024.",
        "Nothing on revenue of Hong Kong, FY2024.",
    ]
    assert ledger.record["guard_triggered"] is True


def test_more_parts_than_may_be_are_asked_to_be_narrowed(ledger, world):
    reply = ledger.say("revenue and profit of China and Hong Kong in FY2025")
    assert (reply["outcome"], world.calls) == ("ask", [])
    assert ledger.say("only revenue, please")["text"].count("revenue of") == 2


def test_a_timeout_of_the_only_look_up_is_an_error_and_no_miss(ledger, world):
    world.endings["REVENUE", "CN", "FY2025"] = "timeout"
    reply = ledger.say("revenue of China in FY2025")
    assert reply["outcome"] == "error"
    assert ledger.record["guard_triggered"] is False


@pytest.mark.parametrize(
    "text", ["{{ fact.value | number * 2 }}", "{{ fact.value }} {{ turn.number }}", "{{ now | date }} {{ fact.value }}"]
)
def test_a_text_that_makes_a_figure_of_its_own_is_not_said(changed, world, text):
    found = (
        '"{{ fact.metric | show }} of {{ fact.place | show }}, {{ fact.year | show }}: '
        '{{ fact.value }} {{ fact.unit }} ({{ fact.source.doc }})"'
    )
    ledger = changed((found, f'"{text}"'))
    world.rows["REVENUE", "CN", "FY2025"] = [row("40")]
    reply = ledger.say("revenue of China FY2025")
    assert reply["text"] == "revenue, China, FY2025: this cannot be looked up just now."
    assert reply["outcome"] == "decline"
    assert ledger.record["guard_flags"]["unsourced_figures"]
    assert ledger.record["problems"][0]["code"] == "figure-not-in-receipt"


def test_a_flow_that_waits_keeps_what_it_has_looked_up(changed, world):
    ledger = changed(
        ("    - respond: stated\n  why:", "    - collect: [remark]\n    - respond: stated\n  why:"),
        ("  year:\n    title", "  remark: {extract: quote, ask: {en: Any remark?, zh: 备注？}}\n  year:\n    title"),
    )
    assert ledger.say("revenue of China FY2025, place: Mars")["outcome"] == "ask"
    reply = ledger.say("“none”")
    assert reply["text"] == f"{FOUND}\nNo place is called Mars."
    assert reply["data"]["facts"][0]["value"] == "112,908.4"
    assert world.calls == []


def test_a_gate_may_answer_with_a_fact(changed):
    gate = (
        "routes:\n",
        "gates:\n  - {id: quick, when: slots.metric and slots.place and slots.year, call: look_up, respond: stated}\nroutes:\n",
    )
    ledger = changed(gate)
    reply = ledger.say("revenue of China FY2025")
    assert (reply["outcome"], reply["text"]) == ("answer", FOUND)
    assert ledger.record["response_source"] == "facts"
    assert ledger.say("revenue of China FY2024")["outcome"] == "decline"


def test_a_value_that_stands_in_no_rows_is_found_or_not(changed, world):
    one = "fact: {value: rows.0.value, unit: rows.0.unit,", "fact: {value: count, unit: rows.0.unit,"
    declared = "    output:\n      rows:", "    output:\n      count: {type: integer, optional: true}\n      rows:"
    ledger = changed(declared, one)
    assert ledger.say("revenue of China FY2025")["data"]["facts"][0]["value"] == 1
