"""The demo's tracking server: what the freight desk has pinned of it, and what it answers."""

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="needs the extra `mcp`")

import mcp_types as types
from mcp.shared.exceptions import MCPError

from demo.tracking_server import TOOLS, Tracking
from interlock.compiler import compile_folder
from interlock.contract.definitions import digest_of

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="module")
def tracking():
    return Tracking()


@pytest.fixture
def ask(tracking):
    """The answer of a tool."""

    def ask(tool, **arguments):
        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        return asyncio.run(tracking.called(None, params)).structured_content

    return ask


def test_the_library_pins_every_tool_as_it_is_described():
    plan = compile_folder(SPECS / "logistics-support").plans["logistics-support"]
    offered = {tool.name: digest_of(tool.model_dump(mode="json", by_alias=True, exclude_none=True)) for tool in TOOLS}
    assert {tool.mcp: tool.definition for tool in plan.tools.values()} == offered


def test_a_shipment_is_told_briefly_or_with_its_history(ask):
    brief = ask("query_tracking", selectNo="S55ES0000134", query="?", round=1)
    assert brief == {"code": "OK", "response": {"no": "S55ES0000134", "status": "BOOKED", "location": {"city": "宁波"}}}
    assert ask("query_tracking9", selectNo="S55ES0000134")["events"] == [{"on": "2026-11-28", "what": "booked"}]


def test_a_port_goes_by_any_of_its_names(ask):
    assert ask("port_notices", port=" hamburg ") == ask("port_notices", port="汉堡")
    assert ask("port_notices", port="Rotterdam") == {"port": "Rotterdam", "notices": []}


def test_what_is_missing_or_unknown_is_said(ask):
    assert ask("query_tracking") == {"code": "MISSING_ARGUMENT", "argument": "selectNo"}
    assert ask("query_tracking", selectNo="X") == {"code": "NOT_FOUND", "selectNo": "X"}
    with pytest.raises(MCPError, match="unknown shipment"):
        ask("query_tracking9", selectNo="X")
    with pytest.raises(MCPError, match="unknown port"):
        ask("port_notices", port="Atlantis")
