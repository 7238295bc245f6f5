"""An order that is made, approved and posted, and how a suite of it is run."""

from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder

ORDER = """
apiVersion: interlock/v1
kind: Procedure
name: order
on_failure: compensate
input:
  order_no: {type: string}
events:
  approved: {by: {type: string}}
servers:
  s: {http: "https://example.org"}
decisions:
  care:
    hit: first
    inputs: {state: {type: string, value: "{{ cells.look.state }}"}}
    outputs: {team: {type: string}}
    rules:
      - {state: LOST, team: claims}
      - {team: nobody}
tools:
  look:
    http: GET /orders/{order_no}
    effect: read
    input: {order_no: {type: string, from: input.order_no}}
    output: {state: {type: string}, items: {type: list, items: {type: string}}}
    produces: {state: {at: state}, items: {at: items}}
  allowed:
    http: GET /allowed
    effect: read
    output: {yes: {type: boolean}}
  make:
    http: POST /orders
    effect: write
    idempotency: {header: Idempotency-Key}
    requires: [{call: allowed, that: result.yes}]
    input: {order_no: {type: string, from: input.order_no}}
    output: {made: {type: string}}
    produces: {made: {at: made}}
    ensures: [{that: result.made != ''}]
  unmake:
    http: DELETE /orders/{order_no}
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {order_no: {type: string, from: input.order_no}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
steps:
  - call: look
    catch: [{errors: [error], do: [{fail: Not found.}]}]
  - switch:
      - {when: decisions.care.team == 'claims', do: [{end: {state: lost}}]}
  - for_each: {items: "{{ cells.look.items }}", as: one, do: [{wait: 10m}]}
  - call: make
    compensate: [{call: unmake}]
  - {receive: approved, timeout: 2h}
  - {run: post, with: {order_no: "{{ input.order_no }}"}}
result: {state: "{{ cells.look.state }}", by: "{{ steps.approved.result.by }}"}
"""

POST = """
apiVersion: interlock/v1
kind: Procedure
name: post
input: {order_no: {type: string}}
servers:
  s: {http: "https://example.org"}
tools:
  enter:
    http: POST /ledger
    effect: irreversible
    idempotency: {none: it has no keys}
    input: {order_no: {type: string, from: input.order_no}}
    output: {ok: {type: boolean}}
    ensures: [{that: result.ok}]
steps:
  - wait: 1h
  - call: enter
"""

HEAD = """
apiVersion: interlock/v1
kind: Suite
name: order-tests
of: order
stubs:
  now: "2026-11-30T09:00:00+08:00"
  tools:
    look:
      - {when: args.order_no == 'L', payload: {state: LOST, items: []}}
      - {when: args.order_no == 'X', status: 404, payload: {}}
      - {payload: {state: NEW, items: [a, b]}}
    allowed: [{payload: {yes: true}}]
    make:
      - {when: args.order_no == 'T', outcome: timeout}
      - {when: args.order_no == 'E', outcome: error}
      - {payload: {made: M1}}
    unmake: [{payload: {gone: true}}]
    enter:
      - {when: args.order_no == 'B9', outcome: lost, times: 1}
      - {when: args.order_no == 'B8', outcome: error, times: 1}
      - {payload: {ok: true}}
cases:
"""


class Orders:
    """Compiles the procedures with a suite of them, and runs it."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *cases, order=ORDER, head=HEAD):
        text = head + "".join(f"  - id: case_{n}\n{case}" for n, case in enumerate(cases, 1))
        for name, content in {"order": order, "post": POST, "suite": text}.items():
            (self.folder / f"{name}.yaml").write_text(content)
        found = compile_folder(self.folder)
        told = [str(one) for one in found.diagnostics]
        assert told == [], told
        [suite] = found.suites
        plans = found.plans
        return run_suite(suite.spec, plans["order"], lambda path: suite.key(*path), plans=plans.values())


def case(*turns, order_no="B1"):
    lines = "".join(f"      - {turn}\n" for turn in turns)
    return f"    input: {{order_no: {order_no}}}\n    turns:\n{lines}"


APPROVED = "receive: {event: approved, data: {by: ann}}"

FULL = (
    case("{advance: 20m}", f"{{{APPROVED}}}", "{advance: 1h, expect: {status: done}}"),
    case("{expect: {status: done}}", order_no="L"),
    case("{expect: {status: ended}}", order_no="X"),
    case("{advance: 3h, expect: {calls: [{tool: make}, {tool: unmake, args: {order_no: B1}}], undone: [make]}}"),
)
"""One case for each way through it."""
