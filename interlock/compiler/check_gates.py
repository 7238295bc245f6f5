"""Gates, routes and mounts: order, what is never reached, what calls a tool that this conversation may not call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.copied_slots import bound_by, copied_slots
from interlock.compiler.findings import suggestion
from interlock.compiler.order import check_order, normal
from interlock.text.patterns import Patterns, pattern_problem

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Item, Part, Unit
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location

ANNOTATE = ("assume", "skip")
"""Verdicts after which the turn goes on."""


def check_gates(project: Project, findings: Findings) -> None:
    """All gates of all Agents."""
    for agent in project.agents:
        _ids(agent, "gates", findings)
        _screens_first(agent, findings)
        _reached(agent, findings)
        for item in agent.gates:
            _targets(agent, item, findings)


def check_routes(project: Project, findings: Findings) -> None:
    """All routes of all Agents."""
    for agent in project.agents:
        _ids(agent, "routes", findings)
        if agent.broken.get("routes"):
            continue
        entries = [(agent.key("routes", item.index), item.model.when) for item in agent.routes]
        check_order("route", entries, findings)
        if entries and entries[-1][1] is not None:
            message = "the last route has a `when`, so that a message may find no route"
            place = agent.key("routes", agent.routes[-1].index, "when")
            findings.error("no-last-route", message, place, hint="let the last route have no `when`")


def check_mounts(project: Project, findings: Findings) -> None:
    """One mount a tool."""
    for agent in project.agents:
        seen: dict[str, Location] = {}
        for item in agent.mounts:
            place = agent.value("mounts", item.index, "call")
            if item.model.call in seen:
                message = f"{item.model.call!r} is mounted twice"
                findings.error("duplicate-mount", message, place, also=((seen[item.model.call], "the other one"),))
            seen.setdefault(item.model.call, place)


def _ids(agent: Unit, key: str, findings: Findings) -> None:
    seen: dict[str, Location] = {}
    for item in agent.lists.get(key, ()):
        written = item.model.id
        name = written or item.model.flow
        place = agent.value(key, item.index, "id" if written else "flow")
        if name in seen:
            hint = "" if written else "two routes to one flow need an `id` each"
            message = f"two {key} have the id {name!r}"
            findings.error("duplicate-id", message, place, also=((seen[name], "the other one"),), hint=hint)
        seen.setdefault(name, place)


def _screens_first(agent: Unit, findings: Findings) -> None:
    """Screens run first wherever they stand, so one written later reads wrongly."""
    other: Item | None = None
    for item in agent.gates:
        if item.model.screen is None:
            other = other or item
        elif other is not None:
            message = f"screen {item.model.id!r} runs before the gates written above it"
            also = ((agent.key("gates", other.index), "written first, runs later"),)
            hint = "write screens first"
            findings.warning("screen-order", message, agent.key("gates", item.index), also=also, hint=hint)


def _reached(agent: Unit, findings: Findings) -> None:
    """Gates, in the order they run, that an earlier one which ends the turn always forestalls."""
    ordered = sorted(agent.gates, key=lambda item: item.model.screen is None)
    seen: dict[Any, Location] = {}
    open_end: Location | None = None
    for item in ordered:
        gate, place = item.model, agent.key("gates", item.index)
        trigger = (gate.screen, gate.prefix, normal(gate.when or ""))
        whole = (gate.screen, gate.prefix, "")
        earlier = open_end or seen.get(trigger) or (seen.get(whole) if gate.screen or gate.prefix else None)
        if earlier is not None:
            message = f"gate {gate.id!r} is never reached: an earlier one ends every turn that it would look at"
            findings.error("unreachable", message, place, also=((earlier, "the earlier one"),))
        elif _ends(gate):
            seen[trigger] = place
            if gate.screen is None and gate.prefix is None and gate.when is None:
                open_end = place
    if open_end is not None:
        message = "no route is ever reached: this gate ends every turn"
        findings.error("unreachable", message, open_end, hint="give it a `when`")


def _ends(gate: Any) -> bool:
    return all(getattr(gate, key) is None for key in ANNOTATE)


def _targets(agent: Unit, item: Item, findings: Findings) -> None:
    gate, index = item.model, item.index
    if gate.call is not None:
        check_mounted(agent, gate.call, ("gates", index, "call"), findings)
    for position, name in enumerate(gate.skip or ()):
        check_mounted(agent, name, ("gates", index, "skip", position), findings)
    for position, name in enumerate(gate.allow or ()):
        if name == gate.screen:
            message = f"{name!r} is screened and allowed at once"
            findings.error("no-effect", message, agent.value("gates", index, "allow", position))
    tool = agent.find("tools", gate.call) if gate.call is not None else None
    if tool is not None and gate.prefix is not None and gate.fills is None:
        _filled_by_nothing(agent, item, tool, findings)
    if tool is not None and gate.fills is not None and agent.find("slots", gate.fills) is not None:
        sources = [argument.from_ or "" for argument in (tool.model.input or {}).values()]
        values = [str(argument.value) for argument in (tool.model.input or {}).values()]
        wanted = f"slots.{gate.fills}"
        if not any(source.startswith(wanted) for source in sources) and not any(wanted in value for value in values):
            message = f"the call of {tool.name!r} does not read slot {gate.fills!r}"
            hint = suggestion(
                gate.fills, [source.removeprefix("slots.") for source in sources if source.startswith("slots.")]
            )
            findings.error("no-effect", message, agent.value("gates", index, "fills"), hint=hint)


def _filled_by_nothing(agent: Unit, item: Item, tool: Part, findings: Findings) -> None:
    """Nothing may follow a prefix without `fills`, so an identifier that only it could give is never there."""
    for name, slot in copied_slots(agent, tool, bound_by(agent, tool)).items():
        argument = tool.model.input[name]
        if agent.find("slots", slot.name) is not slot or slot.model.patterns is None or argument.optional:
            continue
        from_elsewhere = slot.model.keep == "session" or argument.history is not None
        sound = [(pattern, "", False) for pattern in slot.model.patterns if pattern_problem(pattern) is None]
        if from_elsewhere or Patterns(sound).find(item.model.prefix):
            continue
        message = f"gate {item.model.id!r} only ever says how it is used: nothing fills slot {slot.name!r} of its call"
        also = ((tool.key("input", name), f"{tool.name!r} needs it"),)
        hint = f"write `fills: {slot.name}`, and it takes what stands behind the prefix"
        findings.warning("no-effect", message, agent.key("gates", item.index, "prefix"), also=also, hint=hint)
        return


def check_mounted(agent: Unit, name: str, path: Path, findings: Findings) -> None:
    """A tool that is called must be mounted."""
    if agent.find("tools", name) is None or agent.mount_of(name) or agent.is_broken("mounts", name):
        return
    hint = f"add `- call: {name}` under `mounts`"
    message = f"{name!r} is not mounted, so this conversation may not call it"
    findings.error("not-mounted", message, agent.value(*path), hint=hint)
