"""`requires` and `ensures`: which fail, why, what is told, and which reads are made for them."""

import pytest

from interlock.plan.rules import Check, Condition
from interlock.plan.tools import Produces


def check(kit, that="", **rest) -> Check:
    return Check(at=kit.AT, that=that, **rest)


def says(text):
    return {"en": text}


@pytest.fixture
def make(kit):
    def make(requires=(), ensures=(), conditions=None, **tools):
        pay = kit.tool({"amount": kit.argument("config.amount", "integer")}, requires=requires, ensures=ensures)
        talk = kit.Talk(
            kit.plan({"pay": pay, **tools}, conditions=conditions or {}, config={"amount": 50, "who": "li"})
        )
        talk.hears("pay")
        return talk

    return make


def balance(kit, **rest):
    return kit.tool({"user": kit.argument("caller")}, produces={"now": Produces(at="balance")}, **rest)


def covers(kit, text="The balance is too low."):
    return Condition(
        at="c:1:1",
        that="result.balance >= args.amount",
        call="balance",
        bind={"user": "{{ config.who }}"},
        otherwise=says(text),
    )


def test_all_checks_that_need_no_read_are_made_and_all_failures_told(kit, make):
    talk = make(
        requires=(
            check(kit, "args.amount > 100", otherwise=says("More than {{ args.amount }}, please.")),
            check(kit, "args.amount > 10", otherwise=says("never said")),
            check(kit, "user.id == 'u2'", otherwise=says("Not you.")),
            check(kit, condition="rich"),
        ),
        conditions={"rich": Condition(at="c:9:1", that="config.amount > 1000", otherwise=says("Not rich."))},
    )
    result = talk.calls("pay")
    assert (result.outcome, result.went_out, talk.sent) == ("requires", False, [])
    assert result.message == "More than 50, please.\nNot you.\nNot rich."
    assert [one["check"] for one in result.audit["requires"]] == [
        "args.amount > 100",
        "user.id == 'u2'",
        "conditions.rich",
    ]


def test_a_failed_check_names_the_part_that_failed(kit, make):
    talk = make(requires=(check(kit, "args.amount > 10 and (user.id == 'u2' or args.amount > 90)"),))
    (failure,) = talk.calls("pay").audit["requires"]
    assert "user.id == 'u2'" in failure["parts"]
    assert "args.amount > 90" in failure["parts"]
    assert "args.amount > 10" not in failure["parts"]


def test_what_is_missing_fails_a_check_even_through_a_negation(kit, make):
    talk = make(requires=(check(kit, "cells.pay.state != 'PAID'"), check(kit, "not cells.pay.paid")))
    result = talk.calls("pay")
    assert result.outcome == "requires"
    assert [one["reason"].endswith("missing") for one in result.audit["requires"]] == [True, True]


def test_a_condition_reads_first_and_fills_no_cells(kit, make):
    talk = make(requires=(check(kit, condition="covers"),), conditions={"covers": covers(kit)}, balance=balance(kit))
    result = talk.calls("pay", kit.returns({"balance": 50}))
    assert (result.outcome, [call.tool for call in talk.sent]) == ("success", ["balance", "pay"])
    assert talk.sent[0].arguments == {"user": "li"}
    assert talk.state.cells == {}
    assert [call.tool for call in talk.turn.calls] == ["pay"]
    assert [read["receipt"] for read in result.audit["reads"]] == ["run/1"]
    assert [receipt["tool"] for receipt in talk.state.receipts] == ["balance", "pay"]


def test_what_was_read_decides_and_the_condition_says_its_words(kit, make):
    talk = make(requires=(check(kit, condition="covers"),), conditions={"covers": covers(kit)}, balance=balance(kit))
    result = talk.calls("pay", kit.returns({"balance": 49}))
    assert (result.outcome, result.message, len(talk.sent)) == ("requires", "The balance is too low.", 1)


def test_no_read_is_made_once_a_check_has_failed(kit, make):
    talk = make(
        requires=(check(kit, condition="covers"), check(kit, "args.amount > 90")),
        conditions={"covers": covers(kit)},
        balance=balance(kit),
    )
    assert (talk.calls("pay").outcome, talk.sent) == ("requires", [])


def test_reads_are_made_in_order_while_all_before_them_hold(kit, make):
    other = Condition(at="c:2:1", that="result.ok", call="other", otherwise=says("Not ok."))
    talk = make(
        requires=(check(kit, condition="ok"), check(kit, condition="covers")),
        conditions={"covers": covers(kit), "ok": other},
        balance=balance(kit),
        other=kit.tool(),
    )
    result = talk.calls("pay", kit.returns({"ok": False, "balance": 99}))
    assert ([call.tool for call in talk.sent], result.message) == (["other"], "Not ok.")


def test_an_or_reads_only_as_far_as_it_must(kit, make):
    conditions = {"covers": covers(kit), "small": Condition(at="c:3:1", that="args.amount < 100")}
    talk = make(
        requires=(check(kit, "conditions.small or conditions.covers"),), conditions=conditions, balance=balance(kit)
    )
    assert talk.calls("pay").outcome == "success"
    assert [call.tool for call in talk.sent] == ["pay"]
    conditions["small"] = Condition(at="c:3:1", that="args.amount < 10")
    talk = make(
        requires=(check(kit, "conditions.small or conditions.covers"),), conditions=conditions, balance=balance(kit)
    )
    assert talk.calls("pay", kit.returns({"balance": 50})).outcome == "success"
    assert [call.tool for call in talk.sent] == ["balance", "pay"]


def test_one_condition_is_read_once_for_all_checks_of_a_call(kit, make):
    talk = make(
        requires=(check(kit, "conditions.covers and args.amount > 1"), check(kit, condition="covers")),
        conditions={"covers": covers(kit)},
        balance=balance(kit),
    )
    assert talk.calls("pay", kit.returns({"balance": 50})).outcome == "success"
    assert [call.tool for call in talk.sent] == ["balance", "pay"]


def test_a_check_may_read_by_itself(kit, make):
    own = check(
        kit,
        "result.balance > 0",
        call="balance",
        bind={"user": "{{ user.id }}"},
        otherwise=says("{{ result.balance }} left."),
    )
    talk = make(requires=(own,), balance=balance(kit))
    result = talk.calls("pay", kit.returns({"balance": 0}))
    assert (result.outcome, result.message, talk.sent[0].arguments) == ("requires", "0 left.", {"user": "u1"})


@pytest.mark.parametrize("world", [("fails", "timeout"), ("returns", {}, 500), ("returns", {})])
def test_a_read_that_fails_or_says_nothing_lets_nothing_through(kit, make, world):
    talk = make(
        requires=(check(kit, "not conditions.covers"),), conditions={"covers": covers(kit)}, balance=balance(kit)
    )
    result = talk.calls("pay", getattr(kit, world[0])(*world[1:]))
    assert (result.outcome, [call.tool for call in talk.sent]) == ("requires", ["balance"])


def test_a_failed_post_check_marks_the_call_failed_and_fills_no_cell(kit):
    pay = kit.tool(
        produces={"state": Produces(at="state")},
        ensures=(Check(at="t:7:5", that="result.state == 'PAID'", otherwise=says("It is {{ result.state }}.")),),
    )
    talk = kit.Talk(kit.plan({"pay": pay}))
    talk.hears("pay")
    result = talk.calls("pay", kit.returns({"state": "OPEN"}))
    assert (result.outcome, result.went_out, result.message) == ("ensures", True, "It is OPEN.")
    assert result.audit["ensures"][0]["at"] == "t:7:5"
    assert talk.state.cells == {}
    assert talk.state.receipts[0]["outcome"] == "ensures"
    assert talk.calls("pay", kit.returns({"state": "PAID"})).outcome == "success"


def test_a_post_check_reads_afresh_after_the_call(kit, make):
    talk = make(
        requires=(check(kit, condition="covers"),),
        ensures=(check(kit, condition="covers"),),
        conditions={"covers": covers(kit)},
        balance=balance(kit),
    )
    answers = {"run/1": 50, "run/2": 0, "run/3": 0}
    result = talk.calls("pay", lambda call: kit.returns({"balance": answers[call.call_id]})(call))
    assert [call.tool for call in talk.sent] == ["balance", "pay", "balance"]
    assert result.outcome == "ensures"


def test_a_check_that_asks_for_its_own_tool_is_not_met_and_does_not_hang(kit, make):
    talk = make(
        requires=(check(kit, condition="covers"),),
        conditions={"covers": covers(kit)},
        balance=balance(kit, requires=(check(kit, condition="covers"),)),
    )
    assert (talk.calls("pay").outcome, talk.sent) == ("requires", [])


def test_the_checks_of_a_tool_that_is_read_hold_too(kit, make):
    talk = make(
        requires=(check(kit, condition="covers"),),
        conditions={"covers": covers(kit)},
        balance=balance(kit, requires=(check(kit, "args.user == 'wang'"),)),
    )
    assert (talk.calls("pay").outcome, talk.sent) == ("requires", [])


def test_a_condition_can_be_asked_outside_a_call(kit, make):
    from interlock.interpreter import calls

    condition = Condition(at="c:1:1", that="result.balance > 0", call="balance", bind={"user": "li"})
    unfunded = Condition(at="c:2:1", that="not conditions.funded")
    talk = make(conditions={"funded": condition, "unfunded": unfunded}, balance=balance(kit))
    for balance_now, unfunded_now in ((1, False), (0, True)):
        asked = calls.holds(talk.turn, "not conditions.funded", step_id="f/s")
        assert talk.runs(asked, kit.returns({"balance": balance_now})) is unfunded_now
    assert talk.turn.conditions["funded"]["met"] is False
    assert talk.turn.conditions["funded"]["reads"][0]["receipt"] == "run/2"
    assert (talk.turn.calls, talk.state.cells) == ([], {})
