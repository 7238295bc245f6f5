"""A folder of specs to work in, and the command line run in it."""

import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from interlock.cli import root

DESK = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en, zh]

intents:
  order: {keywords: [order, 订单]}

slots:
  order_no:
    patterns: ['\\bB\\d{4}\\b']
    ask: {en: Which order?, zh: 哪个订单？}

servers:
  orders: {http: "{{ env.ORDERS_URL }}"}

tools:
  find_order:
    http: GET /orders/{no}
    effect: read
    input:
      no: {type: string, from: slots.order_no}
    outcomes:
      - {when: status == 404, outcome: error, message: {en: "No order {{ args.no }}.", zh: "没有 {{ args.no }}。"}}
    output:
      state: {type: string}

mounts:
  - {call: find_order, intent: order}

responses:
  short: {text: {en: "It is {{ result.state }}.", zh: "状态 {{ result.state }}。"}}

gates:
  - {id: form, when: message.type == 'form', reply: {en: Noted., zh: 已记录。}}

routes:
  - {id: order, when: slots.order_no or intents.order, flow: find}
  - {id: other, flow: help}

flows:
  find:
    - call: find_order
    - respond: short
  help:
    - reply: {en: Ask about an order., zh: 请问订单。}
"""

SUITE = """
apiVersion: interlock/v1
kind: Suite
name: desk-tests
of: desk
stubs:
  tools:
    find_order:
      - {when: args.no == 'B1234', payload: {state: PAID}}
      - {status: 404, payload: {}}
cases:
  - id: finds_an_order
    turns:
      - {user: where is B1234, expect: {outcome: reply, route: order, reply: {equals: It is PAID.}}}
  - id: says_that_there_is_none
    turns:
      - {user: where is B9999, expect: {reply: {contains: No order B9999.}}}
  - id: notes_forms
    turns:
      - {message: {text: x, type: form}, expect: {gate: form}}
  - id: helps
    turns:
      - {user: hello, expect: {route: other}}
"""


@dataclass
class Place:
    """A folder with specs in it; commands run there."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, **files):
        """Write files below specs; `__` in a name is a slash, each name ends in .yaml unless it has a dot."""
        for name, text in files.items():
            self.file(f"specs/{name.replace('__', '/')}.yaml", text)
        return self

    def file(self, path, text):
        """Write one file."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")
        return target

    def run(self, *words, colour=False):
        """The command line with these words: exit code, output and error output."""
        runner = CliRunner(env=self.environment)
        done = runner.invoke(root, [str(word) for word in words], prog_name="interlock", color=colour)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Place(tmp_path)


@pytest.fixture
def desk(place):
    """A sound agent with its suite."""
    return place.write(desk__agent=DESK, desk__suite=SUITE)


@pytest.fixture
def plain():
    """Text without colours."""
    return click.unstyle
