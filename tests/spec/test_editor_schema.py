"""The editor schema: valid draft-07, made for completion, and of one mind with the models."""

import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

from interlock.source import read_document
from interlock.spec import KINDS
from interlock.spec.forms import keys_of, models_in
from interlock.spec.schema import editor_schema
from interlock.spec.steps import ACTIONS, TALKING, WORKING

SCHEMA = editor_schema()
EDITOR = jsonschema.Draft7Validator(SCHEMA)

LIBRARY = """\
apiVersion: interlock/v1
kind: Library
name: logistics
languages: [zh, en]
config: {company: ACME, limits: [1, 2]}
servers:
  desk: {http: '{{ env.DESK_URL }}', auth: {bearer: '{{ secrets.T }}'}, timeout: 5s, redirects: [cdn.example.com]}
vocabularies:
  rivals: {words: [Flexport, 中外运]}
  kinds: {terms: {AIR: {title: {zh: 空运, en: air}, aliases: [空运, air]}}}
slots:
  no:
    title: {zh: 单号, en: number}
    patterns: ['\\b[A-Z]{3}U[0-9]{7}\\b']
    in_context: ['[0-9]{7}']
    case: exact
    labels: [HBL No.]
    ask: 请提供单号
    checks: [{that: value != 'x', else: no}]
  kind: {vocabulary: kinds, assume: AIR, note: assumed, keep: session}
intents:
  track: {keywords: [查询], follow_up: rivals, merge: append}
conditions:
  known: {that: slots.no is not none, else: {zh: 否, en: 'no'}}
decisions:
  fee:
    hit: first
    inputs: {amount: {type: number, value: '{{ slots.no }}'}}
    outputs: {fee: {type: integer}}
    rules: [{amount: '< 5', fee: 1}, {amount: [6, 7], fee: 2}]
tools:
  query:
    http: GET /shipments/{no}
    effect: read
    input:
      no: {type: string, from: slots.no, history: single}
      n: {type: integer, value: 5, in: query, send_as: N}
    unwrap: data
    outcomes: [{when: payload.code != 'OK', outcome: error}]
    output: {no: {type: string}, at: {type: object, fields: {city: {type: string, optional: true}}}}
    produces: {no: {at: no}}
    requires: [{condition: known}, {that: args.no is defined, else: no}]
    retry: {attempts: 2, backoff: 1s}
    timeout: 10s
responses:
  raw: {raw: true}
  brief: {fields: [no, at.city], fenced: true}
  text: {text: {zh: 好, en: ok}}
"""
AGENT = """\
apiVersion: interlock/v1
kind: Agent
name: desk
uses: [logistics, company/people]
user: {tier: {type: string, enum: [basic, vip], optional: true}}
message: {types: [user_chat, form], metadata: {source: {type: string, optional: true}}}
mounts: [{call: query, intent: track, respond: brief}]
gates:
  - {id: rivals, screen: rivals, refuse: 抱歉, options: [a], reason: rival}
  - {id: quick, when: message.type == 'user_chat', prefix: '#get', fills: no, call: query, respond: brief, usage: x}
routes: [{when: slots.no, flow: track}, {flow: other}]
flows:
  track:
    - collect: [no]
    - {call: query, expand: [no], max_parts: 5, catch: [{errors: [timeout], do: [{reply: 稍后}]}]}
    - {respond: brief, result: steps.query.result}
  other:
    - {set: {a: 1}}
    - switch: [{when: vars.a == 1, do: [{refuse: x, reason: no_way}]}, {do: [{handoff: y, to: desk}]}]
    - {do: [{flow: track}, {respond: none}]}
session: {history: 20, idle_timeout: 7d, upgrade: never}
"""
SUITE = """\
apiVersion: interlock/v1
kind: Suite
name: desk-tests
of: desk
stubs: {now: '2026-03-01T09:00:00+08:00', tools: {query: [{when: args.no == 'x', payload: {code: OK}}, {outcome: timeout}]}}
cases:
  - id: asks
    session: {user: {id: u1}, locale: zh}
    turns:
      - {user: 查询, expect: {outcome: ask, missing: [no], calls: []}}
      - {advance: 20m}
      - {event: takeover, expect: {status: human_active}}
"""


def data_of(text):
    document, found = read_document(text.encode(), "a.yaml")
    assert found == []
    return document.data


def model_takes(data):
    try:
        KINDS[data["kind"]].model_validate(data)
    except ValidationError:
        return False
    return True


def test_it_is_a_valid_draft_07_schema_of_plain_json():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


@pytest.mark.parametrize("text", [LIBRARY, AGENT, SUITE])
def test_valid_specs_pass_in_editor_and_models(text):
    data = data_of(text)
    assert [error.message for error in EDITOR.iter_errors(data)] == []
    assert model_takes(data)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (AGENT, "collect: [no]", "colect: [no]"),
        (AGENT, "result: steps.query.result", "options: [a]"),
        (AGENT, "errors: [timeout]", "errors: [timout]"),
        (AGENT, "idle_timeout: 7d", "idle_timeout: 7 days"),
        (AGENT, "name: desk", "name: Desk"),
        (AGENT, "routes:", "rotes:"),
        (AGENT, "max_parts: 5", "max_parts: 0"),
        (AGENT, "reply: 稍后", "reply: 5"),
        (AGENT, "kind: Agent", "kind: Robot"),
        (LIBRARY, "effect: read", "effect: writes"),
        (LIBRARY, "from: slots.no", "from: slot.no"),
        (LIBRARY, "GET /", "get /"),
        (LIBRARY, "attempts: 2", "attempts: two"),
        (LIBRARY, "raw: true", "raw: false"),
        (LIBRARY, "company: ACME", "company: {}"),
        (LIBRARY, "words: [Flexport, 中外运]", "words: []"),
        (SUITE, "outcome: ask", "outcome: asked"),
        (SUITE, "of: desk\n", ""),
    ],
)
def test_invalid_specs_fail_in_editor_and_models(text, old, new):
    data = data_of(text.replace(old, new, 1))
    assert not EDITOR.is_valid(data)
    assert data["kind"] not in KINDS or not model_takes(data)


ROOT = Path(__file__).parents[2]
SPECS = sorted([*ROOT.glob("specs/**/*.yaml"), *ROOT.glob("tests/compiler/ok/**/*.yaml")])


@pytest.mark.parametrize("file", SPECS, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_the_checker_passes_the_editor_passes(file: Path):
    assert [error.message for error in EDITOR.iter_errors(data_of(file.read_text(encoding="utf-8")))] == []


def test_a_procedure_lets_a_model_fill_in_fields_and_nothing_else():
    head = {"apiVersion": "interlock/v1", "kind": "Procedure", "name": "sort"}
    asks = {"id": "sorted", "generate": "auto", "instructions": "Sort."}
    fills = {**asks, "output": {"kind": {"type": "string", "enum": ["a", "b"]}}}
    assert EDITOR.is_valid({**head, "steps": [fills]})
    assert not EDITOR.is_valid({**head, "steps": [asks]})


def test_steps_are_told_apart_by_a_chain_that_begins_with_each_action():
    for name, left_out in (("step", WORKING), ("procedure_step", TALKING)):
        chain = SCHEMA["definitions"][name]
        offered = [action for action in ACTIONS if action not in left_out]
        for action in offered:
            assert chain["if"] == {"type": "object", "required": [action]}
            assert set(chain["then"]["properties"]) == set(keys_of(ACTIONS[action])) - left_out
            assert chain["then"]["additionalProperties"] is False
            chain = chain["else"]
        assert set(chain["properties"]) == {"id", "title", "when", "timeout", "catch", *offered} - left_out
        assert chain["additionalProperties"] is False


def test_every_action_and_key_of_steps_is_offered_somewhere():
    assert TALKING.isdisjoint(WORKING)
    known = {key for model in ACTIONS.values() for key in keys_of(model)}
    assert known >= TALKING | WORKING


def test_texts_complete_their_languages():
    assert set(SCHEMA["definitions"]["text"]["anyOf"][1]["properties"]) == {"zh", "en"}


def test_sources_have_examples_and_every_pattern_a_message():
    source = SCHEMA["definitions"]["Argument"]["properties"]["from"]
    assert {"caller", "message.text"} <= set(source["examples"])
    assert "caller" in source["patternErrorMessage"]
    patterns = [part for part in parts(SCHEMA) if "pattern" in part and isinstance(part["pattern"], str)]
    assert all("patternErrorMessage" in part for part in patterns if part != {"pattern": part["pattern"]})


def parts(schema):
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from parts(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from parts(inner)


def test_every_key_of_the_language_is_described():
    tops = {part["if"]["properties"]["kind"]["const"]: part["then"] for part in SCHEMA["allOf"]}
    for kind, model in KINDS.items():
        for part in models_in(model):
            prefix = "procedure_" if kind == "Procedure" else ""
            names = (prefix + part.__name__, part.__name__)
            closed = next((SCHEMA["definitions"][name] for name in names if name in SCHEMA["definitions"]), None)
            closed = tops[kind] if part is model else closed
            if closed is None:
                action = next((action for action, step in ACTIONS.items() if step is part), None)
                if action is None and not prefix:  # it belongs to steps that only a procedure has
                    assert f"procedure_{part.__name__}" in SCHEMA["definitions"]
                    continue
                if action in (TALKING if prefix else WORKING):
                    continue
                closed = SCHEMA["definitions"][f"{prefix}step"]
                while closed["if"]["required"] != [action]:
                    closed = closed["else"]
                closed = closed["then"]
            assert closed["description"]
            undescribed = [key for key, value in closed["properties"].items() if not value.get("description")]
            assert undescribed == [], part.__name__
