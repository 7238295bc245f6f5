"""What of a plan is sensitive: what it declares, and what is copied or computed from it."""

from textwrap import dedent

import pytest

from interlock.compiler.compile import compile_folder
from interlock.plan.marks import Marks
from interlock.plan.sensitive import sensitive_in

MARKS = Marks([("user", "pin"), ("user", "cards", "*", "no"), ("vars", "all")])
USER = {"pin": 1, "name": "Ann", "cards": [{"no": "4", "bank": "b"}, {"bank": "c"}]}


def test_marked_parts_are_masked_and_nothing_else():
    masked = {"pin": "***", "name": "Ann", "cards": [{"no": "***", "bank": "b"}, {"bank": "c"}]}
    assert MARKS.masked(("user",), USER) == masked
    assert MARKS.masked(("user", "cards"), USER["cards"]) == masked["cards"]
    assert MARKS.masked(("user", "cards", "0", "no"), "4") == "***"
    assert MARKS.masked(("user", "name"), "Ann") == "Ann"
    assert MARKS.masked(("vars", "all", "deep"), [1, {"a": 2}]) == "***"
    assert MARKS.masked(("user",), None) is None


def test_what_is_not_of_the_shape_that_is_marked_is_masked_whole():
    assert MARKS.masked(("user", "cards"), "4111") == "***"


def test_the_parts_are_given():
    assert list(MARKS.parts(("user",), USER)) == [1, "4"]
    assert list(MARKS.parts(("config",), USER)) == []


@pytest.mark.parametrize(
    ("path", "touches"),
    [("user", True), ("user.pin", True), ("user.pin.x", True), ("user.name", False), ("user.cards.1.no", True), ("user.cards.1.bank", False), ("config", False)],
)  # fmt: skip
def test_reading_around_or_inside_a_mark_touches_it(path, touches):
    assert MARKS.touch([path]) is touches


HEAD = "apiVersion: interlock/v1\nkind: Procedure\nname: work\n"
BODY = """
input:
  pin: {type: stringSAID}
  rows: {type: list, items: {type: object, fields: {id: {type: string}, iban: {type: stringSAID}}}}
servers: {s: {http: "https://example.org"}}
decisions:
  chosen:
    hit: first
    inputs: {of: {type: string, value: "{{ input.pin }}"}}
    outputs: {told: {type: string}, plain: {type: string}}
    rules: [{of: [x], plain: x}, {told: "{{ vars.half }}", plain: y}]
tools:
  send:
    http: POST /send
    effect: read
    input: {text: {type: string, from: caller}, id: {type: string, from: caller}}
steps:
  - set: {half: "a{{ input.pin }}", rows: "{{ input.rows }}", plain: "{{ input.rows.0.id }}"}
  - for_each:
      items: "{{ vars.rows }}"
      as: row
      key: "{{ row.id }}"
      do: [{call: send, with: {text: "{{ row.iban }}", id: "{{ row.id }}"}}]
  - {call: send, id: last, with: {text: "{{ decisions.chosen.told }}", id: "{{ vars.plain }}"}}
result: {told: "{{ decisions.chosen.told }}", plain: "{{ decisions.chosen.plain }}", rows: "{{ vars.rows }}"}
"""


def plan_with(folder, said):
    (folder / "work.yaml").write_text(HEAD + dedent(BODY.replace("SAID", said)))
    compiled = compile_folder(folder)
    assert [str(one) for one in compiled.errors] == []
    return compiled.plans["work"]


def test_it_follows_copies_templates_tables_and_loops(tmp_path):
    marks = sensitive_in(plan_with(tmp_path, ", sensitive: true"))
    assert marks.touch(["vars.half"])
    assert marks.touch(["row.iban"])
    assert marks.touch(["decisions.chosen.told"])
    assert marks.touch(["args.text"])
    assert not marks.touch(["vars.plain", "row.id", "decisions.chosen.plain", "args.id", "steps.last.result"])
    assert marks.within(("gives",)) == [("rows", "*", "iban"), ("told",)]


def test_a_plan_that_declares_nothing_has_none(tmp_path):
    assert sensitive_in(plan_with(tmp_path, "")) is None
