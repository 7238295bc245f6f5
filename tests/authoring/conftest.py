"""Agents and suites from YAML, compiled in a folder of their own, and the suites run."""

import textwrap

import pytest

from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder
from tests.authoring.orders import Orders

HEAD = "apiVersion: interlock/v1\n"

AGENT = """
kind: Agent
name: desk
languages: [en]
user:
  tier: {type: string, enum: [basic, vip], optional: true}
message:
  types: [user_chat, form]
  metadata: {page: {type: integer, optional: true}}
slots:
  no:
    patterns: ['\\bB\\d{4}\\b']
    ask: Which order?
intents:
  order: {keywords: [order]}
servers:
  orders: {http: "https://orders.example"}
tools:
  find:
    http: GET /orders/{no}
    effect: read
    input: {no: {type: string, from: slots.no}}
    outcomes:
      - {when: status == 404, outcome: error, message: "No order {{ args.no }}."}
    output: {state: {type: string}}
    produces: {state: {at: state}}
decisions:
  care:
    hit: first
    inputs: {state: {type: string, value: "{{ cells.find.state }}"}}
    outputs: {team: {type: string}}
    rules:
      - {state: LOST, team: claims}
      - {team: nobody}
mounts:
  - {call: find, intent: order}
gates:
  - {id: form, when: message.type == 'form', reply: Noted.}
routes:
  - {id: order, when: slots.no or intents.order, flow: order}
  - {id: other, flow: help}
flows:
  order:
    - call: find
      catch:
        - {errors: [timeout], do: [{refuse: Not now.}]}
    - switch:
        - {when: decisions.care.team == 'claims', do: [{handoff: A colleague comes.}]}
    - reply: "It is {{ steps.find.result.state }}."
  help:
    - reply: Ask about an order.
session: {idle_timeout: 1h}
"""

SUITE = """
kind: Suite
name: desk-tests
of: desk
"""


class Desk:
    """Compiles what it is given and runs it; every finding is a mistake of the test."""

    def __init__(self, folder):
        self.folder = folder

    def compiled(self, agent=AGENT, suite=""):
        (self.folder / "agent.yaml").write_text(HEAD + textwrap.dedent(agent))
        if suite:
            (self.folder / "suite.yaml").write_text(HEAD + SUITE.strip() + "\n" + textwrap.dedent(suite))
        return compile_folder(self.folder)

    def plan(self, agent=AGENT):
        found = self.compiled(agent)
        assert [str(one) for one in found.diagnostics] == []
        return found.plans["desk"]

    def run(self, suite, agent=AGENT, **options):
        found = self.compiled(agent, suite)
        assert [str(one) for one in found.diagnostics] == []
        [written] = found.suites
        return run_suite(written.spec, found.plans["desk"], lambda path: written.key(*path), **options)


def told(result):
    """Key, expected and happened of every failure."""
    return [
        (one.turn, one.mismatch.key, one.mismatch.expected, one.mismatch.happened)
        for case in result.cases
        for one in case.failures
    ]


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.fixture
def agent():
    return AGENT


@pytest.fixture
def orders(tmp_path):
    return Orders(tmp_path)
