"""The forwarder's tracking system as the demo needs it: an MCP server over data files. Not part of the engine.

    python -m demo.tracking_server

It speaks on its standard input and output, by the official SDK. `query_tracking` answers `{code, response}`,
`query_tracking9` a shipment with its events, `port_notices` what is announced for a port.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

SHIPMENTS, PORTS = Path(__file__).with_name("shipments.json"), Path(__file__).with_name("ports.json")
BRIEF = ("no", "status", "eta", "location")

TEXT = {"type": "string"}
READS = types.ToolAnnotations(read_only_hint=True)
TOOLS = [
    types.Tool(
        name="query_tracking",
        title="Track a shipment",
        description="Where a shipment is now, and when it arrives.",
        input_schema={
            "type": "object",
            "properties": {"selectNo": TEXT, "query": TEXT, "round": {"type": "integer"}},
        },
        output_schema={
            "type": "object",
            "properties": {"code": TEXT, "response": {"type": "object"}},
            "required": ["code"],
        },
        annotations=READS,
    ),
    types.Tool(
        name="query_tracking9",
        title="Tracking history",
        description="A shipment with everything that has happened to it.",
        input_schema={"type": "object", "properties": {"selectNo": TEXT}, "required": ["selectNo"]},
        output_schema={
            "type": "object",
            "properties": {"no": TEXT, "status": TEXT, "eta": TEXT, "events": {"type": "array"}},
            "required": ["no", "status", "events"],
        },
        annotations=READS,
    ),
    types.Tool(
        name="port_notices",
        title="Notices of a port",
        description="What is announced for a port: strikes, weather, congestion.",
        input_schema={"type": "object", "properties": {"port": TEXT}, "required": ["port"]},
        output_schema={
            "type": "object",
            "properties": {"port": TEXT, "notices": {"type": "array"}},
            "required": ["port", "notices"],
        },
        annotations=READS,
    ),
]


class Tracking:
    """Looks shipments up; a shipment with `delay_s` answers that much later."""

    def __init__(self) -> None:
        ports = json.loads(PORTS.read_text(encoding="utf-8"))
        self._shipments = {one["no"]: one for one in json.loads(SHIPMENTS.read_text(encoding="utf-8"))}
        self._ports = {name.casefold(): port for port in ports for name in port["names"]}
        self._tools = {
            "query_tracking": self._track,
            "query_tracking9": self._history,
            "port_notices": self._notices,
        }

    async def listed(self, _context: Any, _params: Any) -> types.ListToolsResult:
        """What there is."""
        return types.ListToolsResult(tools=TOOLS)

    async def called(self, _context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The answer of a tool."""
        return await self._tools[params.name](params.arguments or {})

    async def _track(self, given: dict[str, Any]) -> types.CallToolResult:
        number = given.get("selectNo")
        shipment = self._shipments.get(number)
        if not number:
            return answer({"code": "MISSING_ARGUMENT", "argument": "selectNo"})
        if shipment is None:
            return answer({"code": "NOT_FOUND", "selectNo": number})
        await asyncio.sleep(shipment.get("delay_s", 0))
        return answer({"code": "OK", "response": {key: shipment[key] for key in BRIEF if key in shipment}})

    async def _history(self, given: dict[str, Any]) -> types.CallToolResult:
        shipment = self._shipments.get(given["selectNo"])
        if shipment is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown shipment: {given['selectNo']}")
        return answer({key: value for key, value in shipment.items() if key != "delay_s"})

    async def _notices(self, given: dict[str, Any]) -> types.CallToolResult:
        port = self._ports.get(given["port"].strip().casefold())
        if port is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown port: {given['port']}")
        return answer({"port": port["names"][0], "notices": port["notices"]})


def answer(content: dict[str, Any]) -> types.CallToolResult:
    """What a tool says, as data, and as text for clients that read no data."""
    text = types.TextContent(text=json.dumps(content, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=content)


async def main() -> None:
    """Serve until the input ends."""
    tracking = Tracking()
    server = Server("tracking", version="9.0", on_list_tools=tracking.listed, on_call_tool=tracking.called)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
