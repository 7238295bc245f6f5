"""Keys that tell how a value of a slot is got, where no Agent ever gets one so: by asking, filling in, or history."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.check_unused import is_clear
from interlock.compiler.closure import reached
from interlock.compiler.copied_slots import bound_by, copied_slots
from interlock.compiler.walk import all_steps
from interlock.compiler.written import strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Item, Part, Unit
    from interlock.compiler.walk import Written

ASKING = ("ask", "clarify", "options")
FILLING = ("assume", "default")
_SLOTS = re.compile(r"slots\.(\w+)")


def check_asked(project: Project, findings: Findings) -> None:
    """The slots of all Agents; one of a Library is told where none of its Agents asks for it, or fills it in."""
    seen: dict[Part, None] = {}
    asked: set[Part] = set()
    filled: set[Part] = set()
    for agent in project.agents:
        slots = reached(agent).get("slots", {})
        seen.update(dict.fromkeys(slots.values()))
        clear = is_clear(agent, findings)
        asks, fills = (_asked(agent), _filled(agent)) if clear else (slots.keys(), slots.keys())
        asked |= {part for name, part in slots.items() if name in asks}
        filled |= {part for name, part in slots.items() if name in fills}
    for part in seen:
        if not part.unit.prefix:
            _tell(part, part in asked, part in filled, findings)
    _histories(project, findings)


def _tell(part: Part, asked: bool, filled: bool, findings: Findings) -> None:
    hint = f"write `collect: [{part.name}]` where it is needed"
    for key in ASKING if not asked else ():
        if getattr(part.model, key) is not None:
            message = f"`{key}` of slot {part.name!r} is never asked: no step collects it, and no call needs it"
            findings.warning("never-asked", message, part.key(key), hint=hint)
    for key in FILLING if not filled else ():
        if getattr(part.model, key) is not None:
            message = f"`{key}` of slot {part.name!r} fills nothing in: no step collects it, and no `call` requires it"
            findings.warning("no-effect", message, part.key(key), hint=hint)


def _histories(project: Project, findings: Findings) -> None:
    """`history: single` counts where a message shows the intent of a mount; told where no mount of the tool has one."""
    if not all(agent.is_whole for agent in project.agents):
        return
    mounted: dict[Part, list[Item]] = {}
    for agent in project.agents:
        for item in agent.mounts:
            if (tool := agent.find("tools", item.model.call)) is not None:
                mounted.setdefault(tool, []).append(item)
    for tool, items in mounted.items():
        if tool.unit.prefix or any(item.model.intent is not None for item in items):
            continue
        for name, argument in (tool.model.input or {}).items():
            if argument.history is not None:
                message = (
                    f"`history` means nothing: no mount of {tool.name!r} has an `intent` that a message could show"
                )
                hint = "give the mount an `intent`, or take `history` out"
                findings.warning("no-effect", message, tool.key("input", name, "history"), hint=hint)


def _asked(agent: Unit) -> set[str]:
    """The slots that a person may be asked for, or whose options are offered: all that calls are made from."""
    names = {name for step in all_steps(agent) for name in _named(step)}
    names |= {name for item in agent.gates for name in item.model.assume or ()}
    return names.union(_SLOTS.findall(" ".join(_sources(agent))))


def _named(step: Written) -> list[str]:
    if step.action == "collect":
        return list(step.model.collect)
    return list(step.model.expand or ()) if step.action == "call" else []


def _sources(agent: Unit) -> Iterator[str]:
    """What arguments of tools and procedures are made from, as written."""
    parts = reached(agent)
    for tool in parts.get("tools", {}).values():
        for argument in (tool.model.input or {}).values():
            yield argument.from_ or ""
            yield from (text for _, text in strings(argument.value, ()))
    models = [item.model for item in (*agent.mounts, *agent.run_mounts)]
    models += [step.model for step in all_steps(agent) if step.action in ("call", "run")]
    models += [part.model for part in parts.get("conditions", {}).values()]
    for model in models:
        yield from (text for _, text in strings(model.with_, ()))


def _filled(agent: Unit) -> set[str]:
    """The slots that are filled in where they are missing: those collected, and those that a `call` needs a copy of."""
    names = {name for step in all_steps(agent) if step.action == "collect" for name in step.model.collect}
    for step in all_steps(agent):
        tool = agent.find("tools", step.model.call) if step.action == "call" else None
        if tool is not None:
            needed = {
                name for name, one in (tool.model.input or {}).items() if not one.optional and one.default is None
            }
            copied = copied_slots(agent, tool, bound_by(agent, tool, step.model.with_))
            names |= {slot.name for name, slot in copied.items() if name in needed}
    return names
