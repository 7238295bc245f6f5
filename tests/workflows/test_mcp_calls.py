"""Agents and Procedures call tools of a real MCP server, on a real Temporal server."""

import sys
from pathlib import Path

import pytest

from interlock.contract.definitions import digest_of

pytest.importorskip("mcp", reason="needs the extra `mcp`")
from tests.compiled import plans_in
from tests.workflows.runs import begin, comes_to

pytestmark = pytest.mark.server

DESK = Path(__file__).parents[1] / "activities" / "mcp" / "desk_server.py"
ECHO = digest_of({"name": "echo", "description": "Does echo.", "inputSchema": {"type": "object"}})
ONCE = "apiVersion: interlock/v1\nkind: Procedure\nname: once\nuses: [tools]\ninput: {order_no: {type: string}}\n"
SPECS = {
    "tools": """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  desk: {mcp: {command: ['PYTHON', 'DESK']}, timeout: 30s}
  nobody: {mcp: {command: ['PYTHON', '-c', 'raise SystemExit(1)']}, timeout: 30s}
tools:
  track:
    mcp: echo
    server: desk
    definition: 'DIGEST'
    effect: read
    input:
      number: {type: string, from: caller, send_as: trackingNo}
      big: {type: integer, value: 123456789012345678901234567890}
    output:
      trackingNo: {type: string}
      big: {type: integer}
    retry: {attempts: 2, backoff: 10ms}
"""
    + "".join(
        f"""
  {name}:
    mcp: dies
    server: {server}
    effect: irreversible
    idempotency: {{none: the desk knows no key}}
    ensures: [{{that: payload is defined}}]
"""
        for name, server in (("pay", "desk"), ("pay_nobody", "nobody"))
    ),
    "support": """
apiVersion: interlock/v1
kind: Agent
name: support
uses: [tools]
slots:
  number: {patterns: ['\\bT\\d{4}\\b'], ask: Which number?}
mounts: [{call: track, with: {number: '{{ slots.number }}'}}]
routes: [{flow: track}]
flows:
  track:
    - collect: [number]
    - call: track
    - reply: '{{ steps.track.result.trackingNo }} {{ steps.track.result.big }}'
""",
    "once": ONCE + "steps: [{call: pay}]\n",
    "nobody": ONCE + "steps: [{call: pay_nobody}]\n",
}


@pytest.fixture
def plans(tmp_path):
    def build(name, digest=ECHO):
        folder = tmp_path / "specs"
        folder.mkdir()
        for spec in ("tools", name):
            text = SPECS[spec].replace("PYTHON", sys.executable).replace("DESK", str(DESK)).replace("DIGEST", digest)
            (folder / f"{spec}.yaml").write_text(text)
        return plans_in(folder)

    return build


async def test_an_agent_calls_a_tool_of_a_server_that_its_worker_starts(stage, plans, user, s1, s2):
    async with stage.serving(plans("support")["support"], commands=[sys.executable]):
        talk = await stage.talk()
        for session in (s1, s2):
            reply = await talk.send("support", session, "where is T0042?", user=user)
            assert (reply["outcome"], reply["text"]) == ("answer", "T0042 123456789012345678901234567890")
        record = await talk.record("support", s1, 1)
    assert record["invocation_count"] == 1, record


async def test_a_tool_that_has_changed_is_refused_visibly(stage, plans, user, s1):
    async with stage.serving(plans("support", "0" * 64)["support"], commands=[sys.executable]):
        talk = await stage.talk()
        reply = await talk.send("support", s1, "where is T0042?", user=user)
        record = await talk.record("support", s1, 1)
    assert reply["outcome"] == "error"
    assert "otherwise than when it was imported" in str(record)


async def ended(stage, plan):
    """How the one call of a procedure ended."""
    async with stage.serving(plan, commands=[sys.executable]):
        handle = await begin(stage, "once", {"order_no": "1"})
        await comes_to(handle, "failed")
        return (await handle.query("record"))["steps"][0]["calls"][0]


async def test_what_became_of_a_write_is_unknown_when_the_server_dies_in_the_middle(stage, plans):
    call = await ended(stage, plans("once")["once"])
    assert (call["effect"], call["attempts"]) == ("unknown", 1), call


async def test_a_write_to_a_server_that_never_started_is_known_not_to_have_happened(stage, plans):
    call = await ended(stage, plans("nobody")["once"])
    assert (call["effect"], call["attempts"]) == ("none", 1), call
