"""A retry under another plan: what may be mended, and what would be done twice and is refused."""

from textwrap import dedent

import pytest

from interlock.compiler.compile import compile_folder
from interlock.interpreter.program import link
from interlock.interpreter.work.retrying import changed_steps

MADE = [lambda args: {"made": f"made {args['name']}"}]
TEXT = """\
input: {names: {type: list, items: {type: string}}, thing_id: {type: string}}
steps:
  - {call: make, id: first, with: {name: first}}
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: "{{ name }}"
      do:
        - call: look
        - {call: make, id: second, with: {name: "{{ name }}"}}
  - {call: pay, id: third}
"""


@pytest.fixture
def other(tmp_path):
    """The plan of the procedure as it is written now, and of its library."""

    def plan(text, library=lambda written: written):
        head = "apiVersion: interlock/v1\nkind: Procedure\nname: main\nuses: [tools]\n"
        tools = tmp_path / "tools.yaml"
        tools.write_text(library(tools.read_text()))
        (tmp_path / "main.yaml").write_text(head + dedent(text))
        compiled = compile_folder(tmp_path)
        assert not compiled.errors, "\n".join(map(str, compiled.errors))
        return compiled.plans["main"]

    return plan


@pytest.fixture
def failed(play):
    """A run that stands still at the second item of its loop."""
    given = {"names": ["a", "b", "c"], "thing_id": "7"}
    run = play(TEXT, given, {"look": [{"id": "7", "state": "x"}, (404, {})], "make": MADE})
    assert run.state.failure["step"] == "for_each[b]/look"
    return run


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("with: {name: first}", "with: {name: other}"),
        ("id: first", "id: renamed"),
        ('key: "{{ name }}"', 'key: "x {{ name }}"'),
        ("  - {call: make, id: first, with: {name: first}}\n", ""),
    ],
)
def test_what_is_done_must_stay_and_be_known_by_the_same_key(failed, other, before, after):
    assert changed_steps(failed.state, failed.program.plan, other(TEXT.replace(before, after)))


def test_a_step_that_has_begun_stays_in_its_loop(failed, other):
    moved = TEXT.replace("        - call: look\n", "").replace("steps:\n", "steps:\n  - call: look\n")
    assert changed_steps(failed.state, failed.program.plan, other(moved)) == ["look"]


def test_a_request_that_may_have_arrived_keeps_its_key(play, other):
    run = play("steps: [{call: make, with: {name: a}}]\n", tools={"make": ["timeout"]})
    keyless = "idempotency: {none: no keys any more}"
    new = other(
        "steps: [{call: make, with: {name: a}}]\n",
        lambda written: written.replace("idempotency: {header: Idempotency-Key}", keyless, 1),
    )
    assert changed_steps(run.state, run.program.plan, new) == ["make"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        - call: look\n", "        - {call: look, catch: [{errors: [error]}]}\n"),
        ('with: {name: "{{ name }}"}', 'with: {name: "{{ name }}!"}'),
        ("  - {call: pay, id: third}\n", ""),
        ("steps:\n", "steps:\n  - {wait: 1s, id: new}\n"),
    ],
)
def test_what_has_failed_or_is_still_to_come_may_be_mended(failed, other, before, after):
    assert changed_steps(failed.state, failed.program.plan, other(TEXT.replace(before, after))) == []


def test_a_loop_over_another_list_goes_on_with_that(play, other):
    text = """\
    steps:
      - set: {list: [a, b]}
      - for_each: {items: "{{ vars.list }}", as: it, key: "{{ it }}", do: [{call: make, with: {name: "{{ it }}"}}]}
    """
    run = play(text, tools={"make": [{"made": "a"}, (400, {}), {"made": "c"}]})
    new = other(text.replace('items: "{{ vars.list }}"', "items: [a, c]"))
    assert changed_steps(run.state, run.program.plan, new) == []
    run.machine.use(link(new))
    run.retry()
    assert run.state.status == "done"
    assert [args["name"] for _, args in run.world.calls] == ["a", "b", "c"]


MADE_OF = """\
config: {prefix: old, other: one}
conditions: {late: {that: config.prefix == 'late'}}
decisions:
  prefixes: {hit: first, inputs: {kind: {type: string, value: "{{ config.prefix }}"}}, outputs: {sign: {type: string}}, rules: [{sign: x}]}
input: {names: {type: list, items: {type: string}}}
steps:
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: KEY
      do: [{call: make, with: {name: "{{ name }}"}}]
"""


@pytest.mark.parametrize(
    ("key", "before", "after", "changed"),
    [
        ("{{ config.prefix ~ name }}", "prefix: old", "prefix: new", ["for_each"]),
        ("{{ decisions.prefixes.sign ~ name }}", "sign: x", "sign: y", ["for_each"]),
        ("{{ decisions.prefixes.sign ~ name }}", "prefix: old", "prefix: new", ["for_each"]),
        ("{{ (name if conditions.late else 'early ' ~ name) }}", "== 'late'", "== 'later'", ["for_each"]),
        ("{{ (name if conditions.late else 'early ' ~ name) }}", "prefix: old", "prefix: late", ["for_each"]),
        ("{{ config.prefix ~ name }}", "other: one", "other: two", []),
        ("{{ decisions.prefixes.sign ~ name }}", "conditions:", "# moved\nconditions:", []),
    ],
)
def test_the_keys_of_a_loop_that_has_begun_stay_what_they_are_made_of(play, other, key, before, after, changed):
    text = MADE_OF.replace("KEY", f'"{key}"')
    run = play(text, {"names": ["a", "b"]}, {"make": [{"made": "a"}, (400, {})]})
    assert run.state.status == "failed"
    assert changed_steps(run.state, run.program.plan, other(text.replace(before, after))) == changed


def test_the_list_of_a_loop_without_key_stays_when_it_is_made_of_constants(play, other):
    text = "config: {names: [a, b]}\nsteps: [{for_each: {items: '{{ config.names }}', as: one, do: [{wait: '{{ one }}'}]}}]\n"
    run = play(text)
    assert run.state.status == "failed"
    assert changed_steps(run.state, run.program.plan, other(text.replace("[a, b]", "[b, a]"))) == ["for_each"]


def test_an_item_that_is_left_out_of_the_list_is_still_told_and_undone(play, other):
    text = """\
    steps:
      - for_each:
          items: [a, b]
          as: it
          key: "{{ it }}"
          do: [{call: make, with: {name: "{{ it }}"}, compensate: [{call: make, id: undo, with: {name: "not {{ it }}"}}]}, {wait: "{{ it }}"}]
      - {fail: No., compensate: true}
    """
    run = play(text, tools={"make": MADE})
    new = other(text.replace("[a, b]", "[c]").replace('wait: "{{ it }}"', "wait: 1h"))
    assert changed_steps(run.state, run.program.plan, new) == []
    run.machine.use(link(new))
    run.retry()
    assert run.state.effects == ["for_each[a]/make", "for_each[c]/make"]
    run.advance(3_600_000)
    assert [args["name"] for _, args in run.world.calls] == ["a", "c", "not c", "not a"]
