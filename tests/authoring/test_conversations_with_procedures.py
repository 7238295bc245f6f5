"""Suites of an agent that runs procedures: these go on as time passes, and what is said then is the reply of `advance`."""

from textwrap import dedent

import pytest

from interlock.authoring.suites import run_suite
from interlock.compiler.compile import compile_folder

AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
uses: [tools]
slots: {number: {patterns: ['T[0-9]{4}'], ask: Which number?}}
intents: {book: {keywords: [book]}}
mounts: [{run: book-it}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book:
    - run: book-it
      with: {number: "{{ slots.number }}"}
      waiting: On it.
    - reply: "Booked {{ steps.book_it.result.booked }}."
  rest: [{reply: Hello.}]
"""
PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: book-it
uses: [tools]
input: {number: {type: string}}
steps: [{wait: 1h}, {call: book}]
result: {booked: "{{ cells.book.booked }}"}
"""
TOOLS = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  book:
    python: book
    effect: write
    idempotency: {argument: key}
    input: {number: {type: string, from: input.number}}
    output: {booked: {type: string}}
    produces: {booked: {at: booked}}
    ensures: [{that: result.booked != ''}]
"""
SUITE = """
apiVersion: interlock/v1
kind: Suite
name: suite
of: desk
stubs: {tools: {book: [{payload: {booked: "007"}}]}}
cases:
  - id: booked
    turns:
      - {user: book T1234, expect: {outcome: queued, reply: {equals: On it.}}}
      - {user: hi, expect: {reply: {equals: Hello.}}}
      - {advance: 30m, expect: {reply: {equals: ""}}}
      - {advance: 30m, expect: {outcome: OUTCOME, reply: {equals: Booked 007.}}}
"""


@pytest.mark.parametrize(("outcome", "failed"), [("reply", []), ("refuse", ["outcome"])])
def test_what_is_said_after_a_procedure_is_the_reply_of_the_advance(tmp_path, outcome, failed):
    for name, text in (("a", AGENT), ("b", PROCEDURE), ("c", TOOLS), ("d", SUITE.replace("OUTCOME", outcome))):
        (tmp_path / f"{name}.yaml").write_text(dedent(text))
    compiled = compile_folder(tmp_path)
    assert not compiled.errors, "\n".join(map(str, compiled.errors))
    (suite,) = compiled.suites
    result = run_suite(suite.spec, compiled.plans["desk"], lambda path: suite.key(*path), plans=compiled.plans.values())
    assert [one.mismatch.key for case in result.cases for one in case.failures] == failed
    assert result.coverage.counts("mounts") == (1, 1)
    assert result.coverage.counts("steps") == (3, 3)
