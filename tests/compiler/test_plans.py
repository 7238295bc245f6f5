"""The plan of a good bundle, to the letter, and what decides what is in it.

`INTERLOCK_UPDATE_GOLDEN=1 pytest tests/compiler/test_plans.py` writes the golden plan anew.
"""

import json
import os
from pathlib import Path

import pytest

from interlock.compiler import compile_folder
from interlock.diagnostics import Severity
from interlock.plan.plan import Plan, from_json

OK = Path(__file__).parent / "ok"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return compile_folder(OK / "shop").plans["desk"]


def test_a_good_bundle_has_no_errors_and_no_warning_but_the_doubt_about_a_post():
    found = compile_folder(OK / "shop").diagnostics
    assert [(finding.code, finding.severity) for finding in found] == [("doubtful-effect", Severity.WARNING)]


def test_the_plan_is_as_the_golden_file_has_it(plan: Plan):
    text = json.dumps(json.loads(plan.canonical()), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    golden = OK / "shop.plan.json"
    if os.environ.get("INTERLOCK_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_plan_read_back_from_its_json_is_the_same(plan: Plan):
    assert from_json(plan.canonical()) == plan
    assert from_json(plan.canonical()).digest == plan.digest


def test_only_what_the_agent_reaches_is_in_its_plan(plan: Plan):
    assert set(plan.tools) == {"get_order", "find_offers"}
    assert set(plan.vocabularies) == {"rivals", "reasons", "go_on"}
    assert set(plan.responses) == {"raw", "brief"}
    assert set(plan.config) == {"company"}
    assert plan.tools["find_offers"].invalidates == ("get_order",)


def test_a_constant_is_overridden_and_an_intent_appended_to(plan: Plan):
    assert plan.config["company"] == "ACME"
    assert plan.intents["track"].keywords == ("查订单", "track it")
    assert plan.intents["track"].follow_up == "go_on"


def test_a_part_of_another_bundle_is_taken_in_and_placed_there(plan: Plan):
    assert plan.intents["person"].keywords == ("人工", "a person")
    assert plan.intents["person"].at.startswith("../people/people.yaml:6:")


def test_what_an_author_leaves_out_follows_from_the_effect_and_the_server(plan: Plan):
    order, offers = plan.tools["get_order"], plan.tools["find_offers"]
    assert (order.server, order.timeout_ms, order.retry.attempts) == ("shop", 8000, 2)
    assert (offers.timeout_ms, offers.retry.attempts, offers.retry.backoff_ms) == (5000, 3, 1000)
    assert [order.input[name].place for name in ("order_no", "verbose")] == ["path", "query"]
    assert order.input["order_no"].send_as == "no"
    assert offers.input["level"].place == "body"


def test_steps_have_ids_by_what_they_call_and_places(plan: Plan):
    assert [step.id for step in plan.flows["look"]] == ["collect", "get_order", "set", "switch"]
    assert [step.id for step in plan.flows["chat"]] == ["reply", "reply_2"]
    assert plan.flows["look"][1].at == "desk.yaml:37:7"
    assert [route.id for route in plan.routes] == ["look", "offers", "other"]


def test_the_order_of_keys_makes_no_other_digest_when_the_places_are_the_same(tmp_path: Path):
    for name, order in {"one": "zh: 您好, en: Hi", "two": "en: Hi, zh: 您好"}.items():
        folder = tmp_path / name / "bundle"
        folder.mkdir(parents=True)
        text = "apiVersion: interlock/v1\nkind: Agent\nname: desk\nlanguages: [zh, en]\nroutes: [{flow: hello}]\n"
        (folder / "desk.yaml").write_text(text + f"flows: {{hello: [{{reply: {{{order}}}}}]}}\n", encoding="utf-8")
    digests = {compile_folder(tmp_path / name / "bundle").plans["desk"].digest for name in ("one", "two")}
    assert len(digests) == 1


@pytest.mark.parametrize("kind", ["Agent", "Procedure"])
def test_only_a_spec_that_lets_texts_into_traces_has_another_plan_for_it(tmp_path: Path, kind: str):
    rest = {
        "Agent": "routes: [{flow: hello}]\nflows: {hello: [{reply: Hello}]}\n",
        "Procedure": "steps: [{set: {said: 'yes'}}]\n",
    }
    plans = {}
    for name, key in {"nothing": "", "no": "trace_text: false\n", "yes": "trace_text: true\n"}.items():
        folder = tmp_path / name / "bundle"
        folder.mkdir(parents=True)
        text = f"apiVersion: interlock/v1\nkind: {kind}\nname: desk\n{rest[kind]}{key}"
        (folder / "desk.yaml").write_text(text, encoding="utf-8")
        plans[name] = compile_folder(folder).plans["desk"]
    assert [plans[name].trace_text for name in ("nothing", "no", "yes")] == [False, False, True]
    assert plans["nothing"].digest == plans["no"].digest != plans["yes"].digest
