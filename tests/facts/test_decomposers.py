"""Decomposers of other packages: which values belong together, and no value invented or lost."""

import pytest

from interlock.interpreter.decomposing.conformance import check_decomposer
from interlock.interpreter.decomposing.port import Value
from interlock.interpreter.program import Program
from interlock.plan.decomposers import decomposer, decomposer_names
from interlock.plan.plug_ins import UnusablePlugInError
from interlock.plan.steps import CallStep

MODULE = """
from itertools import product
from interlock.interpreter.decomposing.port import Value

def in_turn(text, slots):
    longest = max(map(len, slots.values()))
    parts = [{name: values[min(at, len(values) - 1)] for name, values in slots.items()} for at in range(longest)]
    return parts + parts[:1]

def records(text, slots):
    records.seen = text, slots
    return in_turn(text, slots)

def invents(text, slots):
    return [{name: Value("HK") for name in slots}]

def loses(text, slots):
    return in_turn(text, slots)[:1]

def lacks(text, slots):
    return [{}]

def fails(text, slots):
    raise ZeroDivisionError

def odd(text, slots):
    return "all"

def counts(text, slots, seen=[]):
    seen.append(text)
    return in_turn(text, slots)[len(seen) % 2 :]

def takes(text, slots):
    parts = in_turn(text, slots)
    slots.clear()
    return parts

nothing = object()
"""
BAD = ("invents", "loses", "lacks", "fails", "odd")
NAMES = ("in_turn", "records", *BAD, "counts", "takes", "nothing")
ASKED = "revenue of China and profit of Hong Kong, FY2025"


@pytest.fixture(autouse=True)
def _sampled(installed):
    entries = "\n".join(f"{name} = sample_decomposers:{name}" for name in NAMES)
    installed("sample-decomposers", MODULE, entries, "interlock.decomposers")
    decomposer.cache_clear()
    yield
    decomposer.cache_clear()


def by(name):
    return "expand: [metric, place]\n", f"expand: [metric, place]\n      decompose: {name}\n"


def test_the_parts_are_those_that_it_says_each_once(changed, world):
    ledger = changed(by("in_turn"))
    ledger.say(ASKED)
    assert sorted(world.calls) == [("PROFIT", "HK", "FY2025"), ("REVENUE", "CN", "FY2025")]
    assert ledger.record["problems"] == []


def test_it_is_not_asked_where_there_is_one_part(changed, world):
    ledger = changed(by("fails"))
    ledger.say("revenue of China")
    assert (world.calls, ledger.record["problems"]) == ([("REVENUE", "CN", "FY2025")], [])


def test_it_knows_where_values_stand_and_which_are_said_nowhere(changed):
    changed(by("records")).say("revenue and profit")
    text, slots = decomposer("records").seen
    assert text == "revenue and profit"
    assert slots["metric"] == (Value("REVENUE", 0, 7), Value("PROFIT", 12, 18))
    assert slots["place"] == (Value("CN"),)


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_leaves_every_combination(changed, world, name):
    ledger = changed(by(name), ("max_parts: 3", "max_parts: 4"))
    ledger.say(ASKED)
    assert len(set(world.calls)) == len(world.calls) == 4
    assert [one["code"] for one in ledger.record["problems"]] == ["decomposer-failed"]


def test_more_parts_than_allowed_are_narrowed_still(changed, world):
    ledger = changed(by("in_turn"), ("max_parts: 3", "max_parts: 1"))
    assert ledger.say(ASKED)["outcome"] == "ask"
    assert world.calls == []


def test_a_plan_whose_decomposer_is_not_here_is_not_run(planned):
    plan = planned(by("in_turn"))
    (name,) = [name for name in plan.flows if name == "facts"]
    steps = [
        one.model_copy(update={"decompose": "away"}) if isinstance(one, CallStep) else one for one in plan.flows[name]
    ]
    with pytest.raises(UnusablePlugInError, match="decomposer 'away': no installed package brings it"):
        Program(plan.model_copy(update={"flows": {**plan.flows, "facts": tuple(steps)}}))


def test_the_names_and_the_digests(planned):
    assert decomposer_names() == sorted(NAMES)
    assert '"decompose"' not in planned().canonical()
    with pytest.raises(UnusablePlugInError, match="it cannot be called"):
        decomposer("nothing")


# -- conformance ------------------------------------------------------------------------------------------------------


def test_one_that_does_conforms():
    check_decomposer(decomposer("in_turn"), [("a b", {"x": (Value("a", 0, 1),), "y": (Value("b", 2, 3),)})])


@pytest.mark.parametrize("name", ["invents", "loses", "lacks", "odd", "counts", "takes"])
def test_one_that_does_not_is_told_so(name):
    with pytest.raises(AssertionError):
        check_decomposer(decomposer(name))
