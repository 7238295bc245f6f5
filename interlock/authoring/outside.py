"""The values that stay outside the runs on a stage: whole for whoever plays the tools, references for the runs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.contract.stored import is_reference
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.parting import parted, stored_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.authoring.world import World
    from interlock.interpreter.commands import CallTool
    from interlock.plan.base import Field
    from interlock.plan.tools import Tool


class Outside:
    """What a worker's store is for real runs."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def answered(self, world: World, tool: Tool, call: CallTool, now_ms: int) -> tuple[CallTool, ToolReturned]:
        """The call as `tool` gets it, and what the run is told of its end."""
        try:
            whole = replace(call, arguments=self._whole(tool, call.arguments))
        except KeyError as unknown:
            message = f"nothing is stored under {unknown}"
            return call, ToolReturned(call.call_id, "error", now_ms, message=message, sent=call.again)
        return whole, self._parted(tool, world.answer(whole, now_ms))

    def given(self, fields: Mapping[str, Field], values: Mapping[str, Any]) -> dict[str, Any]:
        """The input of a run, in which whole values may stand for references."""
        stored = {name: one for name, one in stored_fields(fields).items() if not is_reference(values.get(name))}
        found = parted(stored, "", values)
        self._contents |= found.contents
        return {**found.payload}

    def _whole(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: json.loads(self._contents[value["digest"]]) if tool.input[name].stored else value
            for name, value in arguments.items()
        }

    def _parted(self, tool: Tool, came: ToolReturned) -> ToolReturned:
        stored = stored_fields(tool.output)
        if not stored or came.ending != "returned":
            return came
        found = parted(stored, tool.unwrap, came.payload)
        if found.problem:
            return replace(came, ending="error", payload=None, message=found.problem)
        self._contents |= found.contents
        return replace(came, payload=found.payload)
