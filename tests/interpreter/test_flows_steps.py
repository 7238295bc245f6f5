"""Steps: what each does, what a failure comes to, and that going on repeats nothing."""

import pytest


@pytest.fixture
def flow(talk):
    def build(*steps, answers=None, **parts):
        plan = talk.plan(
            **{
                "vocabularies": {"sizes": talk.words("small", "large")},
                "slots": {"one": talk.slot(vocabulary="sizes")},
                "tools": {"get": talk.tool(), "put": talk.tool(), "sized": talk.tool("one")},
                "mounts": [{"call": "get"}, {"call": "put"}, {"call": "sized"}],
                "flows": {"talk": list(steps), **parts.pop("flows", {})},
                **parts,
            }
        )
        return talk.Talk(plan, answers, reborn=True)

    return build


TIMEOUT = {"end": {"ending": "timeout", "message": "no answer in time"}}
BROKEN = {"end": {"ending": "returned", "status": 500, "payload": {"why": "broken"}}}


def test_parts_are_joined_in_order_with_a_blank_line(talk, flow):
    assert flow(talk.reply("One."), talk.reply("Two.")).say("x")["text"] == "One.\n\nTwo."


def test_a_step_runs_only_when_its_condition_holds(talk, flow):
    desk = flow(talk.reply("A", when="message.text == 'a'"), talk.reply("B", when="not slots.one"), talk.reply("C"))
    assert desk.say("a")["text"] == "A\n\nB\n\nC"
    assert desk.say("small")["text"] == "C"


def test_variables_are_set_in_order_and_belong_to_the_flow(talk, flow):
    desk = flow(
        talk.reply("{{ vars.a is none }}"),
        talk.step("set", values={"a": "{{ message.text | length }}", "b": "{{ vars.a + 1 }}"}),
        talk.reply("{{ vars.a }} {{ vars.b }}"),
    )
    assert desk.say("four")["text"].lower() == "true\n\n4 5"
    assert desk.state.vars == {}
    assert desk.say("eight888")["text"].lower() == "true\n\n8 9"


def test_arguments_are_followed_through_variables_results_and_templates_over_turns(talk, flow):
    values = {"by_variable": "{{ vars.seen }}", "by_result": "{{ steps.get.result.n }}", "made": "no {{ vars.seen }}"}
    taken = {name: {"type": "string", "source": "caller", "send_as": name} for name in values}
    desk = flow(
        talk.step("call", tool="get"),
        talk.step("set", values={"seen": "{{ steps.get.result.n }}"}),
        talk.step("collect", slots=("one",)),
        talk.step("call", tool="put", bind=values),
        tools={"get": talk.tool(), "put": talk.tool(input=taken), "sized": talk.tool("one")},
        answers={"get": {"n": "7"}},
    )
    desk.say("x")
    desk.say("small")
    end = {"source": "steps.get.result.n", "receipt": f"{desk.state.run_id}/1"}
    assert desk.record["calls"][0]["sources"] == {
        "by_variable": {"by": "caller", "source": "vars.seen", "made_of": [end]},
        "by_result": {"by": "caller", **end},
        "made": {"source": "caller", "reads": ["vars.seen"], "made_of": [end]},
    }


def test_the_first_branch_that_holds_is_taken(talk, flow):
    branches = [
        talk.placed(when="message.text == 'a'", do=[talk.reply("A")]),
        talk.placed(when="message.text in ['a', 'b']", do=[talk.reply("B")]),
    ]
    desk = flow(talk.step("switch", branches=branches), talk.reply("end"))
    assert [desk.say(text)["text"] for text in "abc"] == ["A\n\nend", "B\n\nend", "end"]


def test_a_group_shares_one_condition_and_one_catch(talk, flow):
    group = talk.step(
        "do",
        when="message.text != 'skip'",
        do=[talk.reply("before"), talk.step("call", tool="get"), talk.reply("after")],
        catch=[talk.placed(errors=("timeout",), do=[talk.reply("too slow: {{ error.tool }}, {{ error.step }}")])],
    )
    desk = flow(group, talk.reply("end"), answers={"get": TIMEOUT})
    assert desk.say("x")["text"] == "before\n\ntoo slow: get, get\n\nend"
    assert desk.record["caught"][0]["kind"] == "timeout"
    assert desk.say("skip")["text"] == "end"


def test_the_first_catch_that_names_the_error_takes_it_and_the_inner_one_first(talk, flow):
    call = talk.step("call", tool="get", catch=[talk.placed(errors=("blocked",), do=[talk.reply("blocked")])])
    outer = [talk.placed(errors=("timeout",), do=[talk.reply("slow")]), talk.placed(do=[talk.reply("any")])]
    assert flow(talk.step("do", do=[call], catch=outer), answers={"get": TIMEOUT}).say("x")["text"] == "slow"
    assert flow(talk.step("do", do=[call], catch=outer), answers={"get": BROKEN}).say("x")["text"] == "any"


def test_a_catch_without_steps_goes_on(talk, flow):
    desk = flow(talk.step("call", tool="get", catch=[talk.placed()]), talk.reply("end"), answers={"get": BROKEN})
    assert desk.say("x")["text"] == "end"


def test_a_failure_inside_a_catch_is_for_the_outer_one(talk, flow):
    call = talk.step("call", tool="get", catch=[talk.placed(do=[talk.step("call", tool="put")])])
    group = talk.step("do", do=[call], catch=[talk.placed(errors=("timeout",), do=[talk.reply("outer")])])
    assert flow(group, answers={"get": BROKEN, "put": TIMEOUT}).say("x")["text"] == "outer"


def test_results_are_read_by_step_and_one_that_is_not_there_holds_for_nothing(talk, flow):
    desk = flow(
        talk.step("call", tool="get", when="message.text == 'go'"),
        talk.reply("got {{ steps.get.result.n }}", when="steps.get.result.n > 1"),
        talk.reply("nothing", when="steps.get.result is not defined"),
        answers={"get": {"n": 2}},
    )
    assert desk.say("go")["text"] == "got 2"
    assert desk.say("no")["text"] == "nothing"


def test_a_flow_runs_inline_and_has_its_own_steps(talk, flow):
    desk = flow(
        talk.step("call", tool="get"),
        talk.step("flow", flow="inner"),
        talk.reply("outer {{ steps.get.result.n }}"),
        flows={
            "inner": [
                talk.reply("unknown", when="steps.get is not defined"),
                talk.step("refuse", text={"*": "no"}, when="message.text == 'no'"),
            ]
        },
        answers={"get": {"n": 1}},
    )
    assert desk.say("x")["text"] == "unknown\n\nouter 1"
    reply = desk.say("no")
    assert (reply["outcome"], reply["text"]) == ("refuse", "unknown\n\nno")


def test_a_failure_in_an_inner_flow_is_caught_with_the_outer_steps(talk, flow):
    desk = flow(
        talk.step("call", tool="get"),
        talk.step("flow", flow="inner", catch=[talk.placed(do=[talk.reply("caught {{ steps.get.result.n }}")])]),
        flows={"inner": [talk.step("call", tool="put")]},
        answers={"get": {"n": 1}, "put": BROKEN},
    )
    assert desk.say("x")["text"] == "caught 1"


def test_refuse_ends_the_flow_with_its_reason_and_options(talk, flow):
    refuse = talk.step("refuse", text={"*": "Cannot."}, reason="too_late", options=[{"*": "Try later"}])
    reply = flow(talk.reply("Hm."), refuse, talk.reply("never")).say("x")
    assert (reply["outcome"], reply["reason"], reply["text"]) == ("refuse", "too_late", "Hm.\n\nCannot.")
    assert reply["options"] == ["Try later"]


def test_handoff_ends_the_flow_and_says_to_whom(talk, flow):
    desk = flow(talk.step("handoff", text={"*": "A colleague comes."}, to="claims"), talk.reply("never"))
    reply = desk.say("x")
    assert (reply["outcome"], reply["status"], reply["data"]) == ("handed_off", "human_active", {"to": "claims"})
    assert (reply["text"], desk.changed()) == ("A colleague comes.", True)
    assert desk.say("still there?")["outcome"] == "handed_off"


def test_a_flow_that_says_nothing_answers_with_nothing(talk, flow):
    reply = flow(talk.step("call", tool="get")).say("x")
    assert (reply["outcome"], reply["text"]) == ("empty", "")


def test_silence_on_purpose_holds_against_the_mounts_response(talk, flow):
    parts = {"responses": {"raw": talk.placed(kind="raw")}, "mounts": [{"call": "get", "respond": "raw"}]}
    assert flow(talk.step("call", tool="get"), **parts).say("x")["text"] == '{"ok": true}'
    desk = flow(talk.step("call", tool="get"), talk.step("respond", response="none"), **parts)
    assert desk.say("x")["outcome"] == "empty"


def test_two_calls_have_no_direct_response(talk, flow):
    parts = {"responses": {"raw": talk.placed(kind="raw")}, "mounts": [{"call": "get", "respond": "raw"}]}
    desk = flow(talk.step("call", tool="get"), talk.step("call", id="again", tool="get"), **parts)
    assert desk.say("x")["outcome"] == "empty"
    assert desk.record["invocation_count"] == 2


def test_a_call_that_was_refused_before_sending_is_none_of_the_calls_made(talk, flow):
    parts = {
        "responses": {"raw": talk.placed(kind="raw")},
        "tools": {"get": talk.tool(), "file": talk.tool()},
        "mounts": [{"call": "get", "respond": "raw"}, {"call": "file"}],
        "answers": {"file": {"end": {"ending": "error", "message": "no", "sent": False, "attempts": 0}}},
    }
    steps = [talk.step("call", tool="file", catch=[talk.placed()]), talk.step("call", tool="get")]
    desk = flow(*steps, **parts)
    reply = desk.say("x")
    assert (reply["text"], desk.record["response_source"]) == ('{"ok": true}', "direct_response")
    assert (desk.record["invocation_count"], [one["outcome"] for one in desk.record["calls"]]) == (
        1,
        ["error", "success"],
    )
    assert {"receipt", "attempts"}.isdisjoint(desk.record["calls"][0])
    assert [receipt["tool"] for receipt in desk.machine.state.receipts] == ["get"]


def test_respond_says_the_last_result_or_the_one_at_a_path(talk, flow):
    responses = {"words": talk.placed(kind="text", text={"*": "n is {{ result.n }}"}), "raw": talk.placed(kind="raw")}
    desk = flow(
        talk.step("call", tool="get"),
        talk.step("call", tool="put"),
        talk.step("respond", response="words"),
        talk.step("respond", response="words", result="steps.get.result.inner"),
        talk.step("respond", response="raw", result="steps.get.result"),
        answers={"get": {"inner": {"n": 1}}, "put": {"n": 2}},
        responses=responses,
    )
    reply = desk.say("x")
    assert reply["text"] == 'n is 2\n\nn is 1\n\n{"inner": {"n": 1}}'
    assert desk.record["response_source"] == "direct_response"


@pytest.mark.parametrize(("answer", "reason"), [(TIMEOUT, "timeout"), (BROKEN, "error")])
def test_an_uncaught_failure_without_a_response_is_said_without_digits(talk, flow, answer, reason):
    reply = flow(talk.reply("Wait."), talk.step("call", tool="get"), answers={"get": answer}).say("x")
    assert (reply["outcome"], reply["reason"]) == ("error", reason)
    assert reply["text"].startswith("Wait.\n\nSorry")
    assert not any(letter.isdigit() for letter in reply["text"])


def test_an_uncaught_failure_with_a_payload_is_rendered_by_the_mounts_response(talk, flow):
    parts = {"responses": {"raw": talk.placed(kind="raw")}, "mounts": [{"call": "get", "respond": "raw"}]}
    reply = flow(talk.step("call", tool="get"), answers={"get": BROKEN}, **parts).say("x")
    assert (reply["outcome"], reply["text"]) == ("error", '{"why": "broken"}')


def test_the_authors_words_for_an_outcome_come_before_the_mounts_response(talk, flow):
    outcome = talk.placed(when="payload.why == 'broken'", outcome="error", message={"*": "It broke."})
    parts = {
        "responses": {"raw": talk.placed(kind="raw")},
        "mounts": [{"call": "get", "respond": "raw"}],
        "tools": {"get": talk.tool(outcomes=[outcome])},
    }
    reply = flow(talk.step("call", tool="get"), answers={"get": BROKEN}, **parts).say("x")
    assert (reply["outcome"], reply["text"]) == ("error", "It broke.")


def test_a_precondition_that_fails_is_a_refusal_in_the_authors_words(talk, flow):
    check = talk.placed(that="message.text == 'please'", otherwise={"*": "Say please."})
    desk = flow(
        talk.step("call", tool="get"),
        talk.reply("Here."),
        tools={"get": talk.tool(requires=[check])},
        mounts=[{"call": "get"}],
    )
    reply = desk.say("gimme")
    assert (reply["outcome"], reply["reason"], reply["text"]) == ("refuse", "requires", "Say please.")
    assert desk.calls == []
    assert desk.say("please")["text"] == "Here."


def test_a_post_check_that_fails_is_an_error_although_the_call_came_back(talk, flow):
    check = talk.placed(that="result.done", otherwise={"*": "It is not done."})
    desk = flow(
        talk.step("call", tool="get", catch=[talk.placed(errors=("ensures",), do=[talk.reply("caught")])]),
        tools={"get": talk.tool(ensures=[check], output={"done": {"type": "boolean"}})},
        mounts=[{"call": "get"}],
        answers={"get": {"done": False}},
    )
    assert desk.say("x")["text"] == "caught"


def test_a_text_that_lacks_a_value_fails_the_step_and_leaves_no_hole(talk, flow):
    desk = flow(
        talk.reply("For {{ steps.x.result.name }}", catch=[talk.placed(errors=("error",), do=[talk.reply("Hm.")])])
    )
    assert desk.say("x")["text"] == "Hm."


def test_a_condition_that_cannot_be_evaluated_fails_the_step(talk, flow):
    desk = flow(talk.reply("A", when="(message.text | length) / (message.text | length - 1) > 0"), talk.reply("B"))
    assert desk.say("x")["outcome"] == "error"
    assert desk.say("xyz")["text"] == "A\n\nB"


def test_going_on_repeats_no_call_and_keeps_branches_variables_and_results(talk, flow):
    calls = [
        talk.step("call", tool="get"),
        talk.step("set", values={"seen": "{{ steps.get.result.n }}"}),
        talk.step("collect", slots=("one",)),
        talk.step("call", tool="put"),
        talk.reply("{{ vars.seen }} {{ steps.get.result.n }} {{ slots.one }}"),
    ]
    branch = talk.placed(when="message.text == 'start'", do=[talk.step("do", do=calls, when="message.text == 'start'")])
    other = talk.placed(do=[talk.reply("other branch")])
    desk = flow(talk.step("switch", branches=[branch, other]), answers={"get": {"n": 7}})
    assert desk.say("start")["outcome"] == "ask"
    assert desk.say("small")["text"] == "7 7 small"
    assert [name for name, _ in desk.calls] == ["get", "put"]


def test_going_on_inside_a_catch_stays_in_it(talk, flow):
    handler = [talk.step("collect", slots=("one",)), talk.reply("{{ error.kind }} {{ slots.one }}")]
    desk = flow(
        talk.step("call", tool="get", catch=[talk.placed(do=handler)]), talk.reply("end"), answers={"get": BROKEN}
    )
    assert desk.say("x")["outcome"] == "ask"
    assert desk.say("large")["text"] == "error large\n\nend"
    assert [name for name, _ in desk.calls] == ["get"]


def test_respond_after_a_question_still_says_the_result_of_before(talk, flow):
    words = talk.placed(kind="text", text={"*": "n is {{ result.n }}"})
    desk = flow(
        talk.step("call", tool="get"),
        talk.step("collect", slots=("one",)),
        talk.step("respond", response="words"),
        responses={"words": words, "raw": talk.placed(kind="raw")},
        answers={"get": {"n": 3}},
    )
    desk.say("x")
    assert desk.say("small")["text"] == "n is 3"


def test_a_condition_that_reads_first_makes_its_call_before_the_step(talk, flow):
    desk = flow(
        talk.reply("open", when="conditions.is_open"),
        talk.step("switch", branches=[talk.placed(when="not conditions.is_open", do=[talk.reply("shut")])]),
        conditions={"is_open": talk.placed(that="result.open", call="get")},
        tools={"get": talk.tool(output={"open": {"type": "boolean"}})},
        mounts=[{"call": "get"}],
        answers={"get": {"open": False}},
    )
    assert desk.say("x")["text"] == "shut"
    assert {name for name, _ in desk.calls} == {"get"}
    assert desk.record["invocation_count"] == 0


def test_a_table_is_asked_where_it_is_read_and_the_record_says_which_row_hit(talk, flow):
    rows = [talk.placed(when={"n": {"above": 5}}, then={"size": "big"}), talk.placed(when={}, then={"size": "small"})]
    table = talk.placed(
        hit="first",
        inputs={"n": {"type": "integer", "value": "{{ message.text | length }}"}},
        outputs={"size": {"type": "string"}},
        rows=rows,
    )
    desk = flow(talk.reply("{{ decisions.size.size }}"), decisions={"size": table})
    assert desk.say("abc")["text"] == "small"
    assert desk.record["decisions"]["size"]["rows"] == [rows[1]["at"]]
    assert desk.say("abcdefgh")["text"] == "big"


def test_blocked_by_the_service_asks_for_what_it_lacks_and_tries_again(talk, flow):
    outcome = talk.placed(when="payload.code == 'MISSING'", outcome="blocked", missing="one")
    desk = flow(
        talk.step("call", tool="sized"),
        talk.reply("ok"),
        tools={"sized": talk.tool("one", outcomes=[outcome])},
        mounts=[{"call": "sized"}],
        answers={"sized": lambda args: {"code": "MISSING" if args["one"] == "small" else "OK"}},
    )
    reply = desk.say("small")
    assert (reply["outcome"], reply["missing"]) == ("ask", ["one"])
    assert desk.say("large")["text"] == "ok"


def test_what_the_person_cannot_give_is_declined_and_not_asked_for(talk, flow):
    arguments = {"ref": {"type": "string", "source": "cells.get.ref", "send_as": "ref"}}
    desk = flow(
        talk.step("call", tool="put"),
        tools={"get": talk.tool(produces={"ref": {"at": "ref"}}), "put": talk.tool(input=arguments)},
        mounts=[{"call": "get"}, {"call": "put"}],
    )
    reply = desk.say("x")
    assert (reply["outcome"], reply["reason"], desk.calls) == ("decline", "missing", [])
    assert reply["text"]
    assert desk.state.flow is None


def test_a_text_that_would_have_to_read_first_fails_its_step(talk, flow):
    desk = flow(
        talk.reply("{{ conditions.is_open }}"),
        conditions={"is_open": talk.placed(that="result.open", call="get")},
        tools={"get": talk.tool(output={"open": {"type": "boolean"}})},
        mounts=[{"call": "get"}],
    )
    assert (desk.say("x")["outcome"], desk.calls) == ("error", [])


def test_cells_of_an_earlier_turn_are_read_by_conditions_and_texts(talk, flow):
    desk = flow(
        talk.reply("known: {{ cells.get.ref }}", when="cells.get.ref is defined"),
        talk.step("call", tool="get", when="not (cells.get.ref is defined)"),
        tools={"get": talk.tool(produces={"ref": {"at": "ref"}}, output={"ref": {"type": "string"}})},
        mounts=[{"call": "get"}],
        answers={"get": {"ref": "R7"}},
    )
    assert desk.say("x")["outcome"] == "empty"
    assert desk.say("x")["text"] == "known: R7"
