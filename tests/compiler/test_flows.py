"""What the walk over a flow knows: whether a call step has a result on a path."""

import pytest

from interlock.compiler import compile_folder

AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en]
servers: {{shop: {{http: "https://shop.example"}}}}
slots:
  order_no: {{patterns: ['\\bSO\\d{{4}}\\b'], ask: Which order?}}
intents:
  orders: {{keywords: [order]}}
tools:
  get_order:
    http: GET /orders/{{no}}
    effect: read
    input: {{no: {{type: string, from: slots.order_no}}}}
    output: {{status: {{type: string}}}}
responses:
  brief: {{fields: [status]}}
mounts:
  - {{call: get_order, intent: orders, respond: brief}}
routes:
  - {{flow: track}}
flows:
  track:
    - call: get_order
{rest}
"""

WHEN_NOTHING_CAME = """
    - when: steps.get_order.result is not defined
      reply: There is nothing to say about an order.
"""
SWITCH_ON_IT = """
    - switch:
        - when: steps.get_order.result is defined
          do: [{respond: brief}]
        - do: [{reply: Nothing was read.}]
"""
OF_ANOTHER_STEP = """
    - id: again
      call: get_order
    - when: steps.again.result is not defined
      reply: Nothing was read.
"""


def codes_of(folder, rest):
    (folder / "desk.yaml").write_text(AGENT.format(rest=rest), encoding="utf-8")
    return [finding.code for finding in compile_folder(folder).diagnostics]


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        ("", ["silent-path"]),
        (WHEN_NOTHING_CAME, []),
        (SWITCH_ON_IT, []),
        (WHEN_NOTHING_CAME.replace("is not defined", "is defined"), ["silent-path"]),
        (OF_ANOTHER_STEP, ["silent-path"]),
    ],
    ids=["nothing-more", "when-nothing-came", "switch", "the-wrong-way-round", "another-step"],
)
def test_whether_a_step_has_a_result_is_known_along_a_path(tmp_path, rest, codes):
    assert codes_of(tmp_path, rest) == codes


def test_more_ways_than_can_be_followed_are_said_not_to_be_checked(tmp_path):
    called = "".join(f"    - {{id: c{n}, when: message.text == '{n}', call: get_order}}\n" for n in range(12))
    asked = "".join(f"    - {{when: steps.c{n}.result is defined, reply: hi}}\n" for n in range(12))
    assert codes_of(tmp_path, f"{called}{asked}    - reply: bye\n") == ["flow-not-checked"]


def test_flows_that_run_one_another_too_deep_are_refused(tmp_path):
    chain = "".join(f"  f{n}: [{{flow: f{n + 1}}}]\n" for n in range(80)) + "  f80: [{reply: hi}]\n"
    assert "too-deep" in codes_of(tmp_path, f"    - flow: f0\n{chain}")
    few = "".join(f"  f{n}: [{{flow: f{n + 1}}}]\n" for n in range(40)) + "  f40: [{reply: hi}]\n"
    assert codes_of(tmp_path, f"    - flow: f0\n{few}") == []


def test_flows_that_run_one_another_twice_are_walked_once_for_each_way(tmp_path):
    chain = "".join(f"  f{n}: [{{flow: f{n + 1}}}, {{flow: f{n + 1}}}]\n" for n in range(40)) + "  f40: [{reply: hi}]\n"
    assert codes_of(tmp_path, f"    - flow: f0\n{chain}") == []
