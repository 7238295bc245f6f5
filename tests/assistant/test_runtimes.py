"""Runtimes of other packages: found by their entry points, checked with the spec, and held to what every call is."""

import pytest

from interlock.compiler import compile_folder
from interlock.interpreter.program import Program
from interlock.interpreter.runtimes import registry
from interlock.interpreter.runtimes.conformance import check_runtime
from interlock.interpreter.runtimes.port import Act, Ask, End, HandOver, View
from interlock.plan.plug_ins import UnusablePlugInError
from interlock.plan.runtimes import brought, runtime_names
from tests.assistant.conftest import DESK

MODULE = """
from interlock.interpreter.runtimes.port import Act, Ask, End, HandOver

class InOrder:
    def goes_on(self, blocks):
        return True

    def choose(self, view):
        return Act(view.actions[0].name, thought="next in order") if view.actions else End("nothing is left")

class Invents(InOrder):
    def choose(self, view):
        return Act("no_such_tool")

class HandsOver(InOrder):
    def choose(self, view):
        return HandOver("at once")

class Insists(InOrder):
    def choose(self, view):
        return Ask("Which?", {"tool": {"type": "string"}})

class Fails(InOrder):
    def choose(self, view):
        raise ZeroDivisionError

class Stops(InOrder):
    def goes_on(self, blocks):
        raise KeyError("x")

class Odd(InOrder):
    def choose(self, view):
        return "find"

in_order, invents, hands_over, insists, fails, stops, odd = (
    kind() for kind in (InOrder, Invents, HandsOver, Insists, Fails, Stops, Odd)
)
empty = object()
"""
NAMES = ("in_order", "invents", "hands_over", "insists", "fails", "stops", "odd", "empty")
ENTRIES = "".join(f"{name} = sample_runtimes:{name}\n" for name in NAMES)
ENTRIES += "broken = no_such_module:it\n"


@pytest.fixture
def _sampled(installed):
    installed("sample-runtimes", MODULE, ENTRIES, "interlock.runtimes")
    brought.cache_clear()
    yield
    brought.cache_clear()


def told_of(tmp_path, runtime):
    text = DESK.read_text(encoding="utf-8").replace("name: desk\n", f"name: desk\nruntime: {runtime}\n")
    (tmp_path / "desk.yaml").write_text(text, encoding="utf-8")
    return [(one.code, one.message, one.hint) for one in compile_folder(tmp_path).diagnostics]


def with_runtime(changed, name, *changes):
    return changed(("name: desk\n", f"name: desk\nruntime: {name}\n"), *changes)


@pytest.mark.usefixtures("_sampled")
def test_a_runtime_of_another_package_chooses(changed, model):
    desk = with_runtime(changed, "in_order", ("max_calls: 2", "max_calls: 3"))
    model.propose(reason="late")
    model.reply("Done.")
    desk("it is about B1234")
    assert [tool for tool, _ in model.calls] == ["find", "hold", "weather"]
    assert {one["by"] for one in desk.record["selections"]} == {"in_order", "rules"}
    assert desk.record["runtime"] == "in_order"
    assert desk.record["scratchpad"][0]["text"] == "next in order"


@pytest.mark.usefixtures("_sampled")
@pytest.mark.parametrize("name", ["in_order", "invents", "hands_over", "insists", "fails", "stops", "odd"])
@pytest.mark.parametrize("text", ["where are B1234 and B5678", "track it please"])
def test_whatever_it_chooses_nothing_untraceable_is_called(changed, model, name, text):
    desk = with_runtime(changed, name, ("[find, hold, weather]", "[find, hold]"))
    model.says["selection"].append({"tool": "find"})
    model.propose(no="B7777", reason="late")
    model.reply("Which one?", kind="ask_for_clarification")
    assert desk(text)["outcome"] == "ask"
    assert model.calls == []


@pytest.mark.usefixtures("_sampled")
@pytest.mark.parametrize("name", ["invents", "hands_over", "insists", "fails", "odd"])
def test_a_move_that_may_not_be_made_ends_the_loop_and_the_flow_goes_on(changed, model, name):
    desk = with_runtime(changed, name)
    model.says["selection"].append({"tool": "find"})
    model.reply("Hello.", kind="ask_for_clarification")
    reply = desk("it is about B1234")
    assert (reply["outcome"], reply["status"], model.calls) == ("ask", "ai_active", [])
    failed = [one["code"] for one in desk.record["problems"]]
    assert failed == (["runtime-failed"] if name in ("insists", "fails", "odd") else [])
    assert len(model.asked("selection")) <= 1


@pytest.mark.usefixtures("_sampled")
def test_a_runtime_that_fails_between_rounds_begins_no_other(changed, model):
    desk = with_runtime(changed, "stops")
    model.reply("SENT.")
    desk("it is about B1234")
    assert [tool for tool, _ in model.calls] == ["find"]
    assert [one["message"] for one in desk.record["problems"]] == ["runtime 'stops' raised KeyError"]


@pytest.mark.usefixtures("_sampled")
@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("in_ordr", "there is no runtime 'in_ordr'", "did you mean 'in_order'?"),
        ("broken", "runtime 'broken' cannot be used: it cannot be loaded: ModuleNotFoundError", ""),
        ("empty", "runtime 'empty' cannot be used: it has no `goes_on` and no `choose`", ""),
    ],
)
def test_a_runtime_that_cannot_be_used_is_found_when_the_spec_is_checked(tmp_path, name, message, hint):
    assert ("unknown-runtime", message, hint) in told_of(tmp_path, name)


@pytest.mark.usefixtures("_sampled")
def test_the_names_are_those_of_all_packages():
    assert runtime_names() == ["pipeline", "react", *sorted([*NAMES, "broken"])]


def test_a_plan_whose_runtime_is_not_here_is_not_run(planned):
    plan = planned().model_copy(update={"runtime": "elsewhere"})
    with pytest.raises(UnusablePlugInError, match="runtime 'elsewhere': no installed package brings it"):
        Program(plan)


def test_the_digest_of_a_plan_without_the_key_is_as_it_was(planned):
    assert "runtime" not in planned().canonical()


# -- conformance ------------------------------------------------------------------------------------------------------

CHOICE = {"tool": "find", "should_call_now": True, "missing_required_arguments": [], "more": False, "reason": "r"}
THOUGHT = {
    "thought": "t",
    "goal_met": False,
    "control": "continue",
    "tool": "book-it",
    "should_call_now": True,
    "missing_required_arguments": ["no"],
}


@pytest.mark.parametrize("name", ["pipeline", "react"])
def test_the_runtimes_of_the_engine_conform(name):
    check_runtime(registry.runtime_of(name), [CHOICE, THOUGHT, THOUGHT | {"control": "hand_off"}])


@pytest.mark.usefixtures("_sampled")
@pytest.mark.parametrize("name", ["invents", "hands_over", "insists", "odd"])
def test_a_runtime_that_does_not_conform_is_told_so(name):
    with pytest.raises(AssertionError):
        check_runtime(brought(name), [{"tool": "find"}])


class Counts:
    """Remembers what it was asked, which a replay in another worker would not."""

    def __init__(self):
        self.times = 0

    def goes_on(self, blocks):
        self.times += 1
        return self.times % 2 == 0

    def choose(self, view: View):
        return End()


class Writes(Counts):
    def goes_on(self, blocks):
        return False

    def choose(self, view: View):
        for block in view.blocks:
            block["seen"] = True
        return End()


class Guesses(Writes):
    def choose(self, view: View):
        if not view.actions:
            return HandOver() if view.may_hand_over else End()
        return Act(view.actions[0].name) if view.asked else Ask("Which?", {"tool": {"type": "string"}})


@pytest.mark.parametrize("kind", [Counts, Writes, Guesses])
def test_state_changes_and_guesses_do_not_conform(kind):
    with pytest.raises(AssertionError):
        check_runtime(kind(), [{"tool": "find"}])
