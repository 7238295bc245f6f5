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
    (tmp_path / "desk.yaml").write_text(AGENT.format(rest=rest), encoding="utf-8")
    assert [finding.code for finding in compile_folder(tmp_path).diagnostics] == codes
