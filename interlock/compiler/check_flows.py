"""Flows: paths that end in silence, steps that are never reached, circles, ids, catches of what cannot happen."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from interlock.compiler.check_gates import check_mounted
from interlock.compiler.choices import named_tools
from interlock.compiler.flow_states import results_asked
from interlock.compiler.flow_walk import MOST_DEEP, Walk, start
from interlock.compiler.order import check_order
from interlock.compiler.plug_ins import check_brought
from interlock.compiler.walk import NAMED, all_steps, flow_steps
from interlock.plan.decomposers import decomposer, decomposer_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.flow_states import Standing
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written


def check_flows(project: Project, findings: Findings) -> None:
    """All flows of all Agents."""
    for agent in project.agents:
        walk = walked(agent)
        for flow in agent.parts("flows").values():
            steps = flow_steps(flow)
            check_ids(agent, steps, findings)
            for step in steps:
                _step(agent, step, walk, findings)
            if not walk.clipped:
                _unreached(agent, flow, steps, walk, findings)
            _silence(agent, flow, walk, findings)
        for path, name in walk.circles.items():
            findings.error("flow-circle", f"flow {name!r} would run itself for ever", agent.value(*path))
        for path, name in walk.deep.items():
            message = f"flow {name!r} is run too deep within others: {MOST_DEEP} lists of steps may hold one another"
            findings.error("too-deep", message, agent.value(*path), hint="let a route or a `switch` choose the flow")
        if walk.clipped:
            message = "the flows have too many ways to follow all of them: steps that no way reaches are not told"
            findings.warning("flow-not-checked", message, agent.key("flows"), hint="split them into several Agents")


def walked(agent: Unit) -> Walk:
    """The walk of an Agent's flows: those of its routes, and then those that no route reaches."""
    if "walk" not in agent.memo:
        walk = Walk(agent, results_asked(_whens(agent)))
        flows = agent.parts("flows")
        for name in dict.fromkeys(item.model.flow for item in agent.routes):
            if name in flows:
                walk.ends[name] = walk.flow(flows[name], start()).on
        for name, flow in flows.items():
            if name not in walk.entered:
                walk.ends[name] = walk.flow(flow, start()).on
        agent.memo["walk"] = walk
    found: Walk = agent.memo["walk"]
    return found


def _whens(agent: Unit) -> Iterator[str | None]:
    for step in all_steps(agent):
        yield step.model.when
        if step.action == "switch":
            yield from (branch.when for branch in step.model.switch)


def _silence(agent: Unit, flow: Part, walk: Walk, findings: Findings) -> None:
    """The first way of a route's flow that says nothing."""
    for standing, trail in walk.ends.get(flow.name, {}).items():
        if not standing.said and not _answered_by_mount(agent, standing):
            message = f"flow {flow.name!r} may end without a reply, a question, a handoff or `respond: none`"
            hint = "add a `reply`, or `respond: none` where silence is meant"
            if standing.lone:
                hint = f"say something after the call, or give the mount of {standing.lone!r} a `respond`"
            also = tuple((agent.key(*path), words) for path, words in trail)
            findings.error("silent-path", message, flow.key(), hint=hint, also=also)
            return


def _answered_by_mount(agent: Unit, standing: Standing) -> bool:
    """Exactly one real call, whose mount says how it is answered; or one of which nothing is known."""
    if not standing.lone:
        return False
    mount = agent.mount_of(standing.lone)
    if mount is None:
        return agent.find("tools", standing.lone) is None or agent.is_broken("mounts", standing.lone)
    return mount.model.respond is not None


def check_ids(agent: Unit, steps: Sequence[Written], findings: Findings) -> None:
    """Ids are unique in a flow or procedure; two steps that are called the same by what they act on need one each."""
    where = "procedure" if agent.kind == "Procedure" else "flow"
    named: dict[str, Written] = {}
    calls: defaultdict[str, list[Written]] = defaultdict(list)
    for step in steps:
        name = step.model.id
        if name is None:
            if step.action in NAMED:
                calls[step.target].append(step)
            continue
        if name in named:
            also = ((agent.value(*named[name].path, "id"), "the other one"),)
            findings.error("duplicate-id", f"two steps have the id {name!r}", agent.value(*step.path, "id"), also=also)
        named.setdefault(name, step)
    for tool, found in calls.items():
        others = [named[tool]] if tool in named else []
        for step in [*others, *found][1:]:
            first = [*others, *found][0]
            also = ((agent.key(*first.path), "the other one"),)
            message = f"two steps of this {where} have the id {tool!r}, by what they {step.action}"
            place = agent.key(*step.path, step.action)
            findings.error("duplicate-id", message, place, also=also, hint="give one an `id`")


def _step(agent: Unit, step: Written, walk: Walk, findings: Findings) -> None:
    model, path = step.model, step.path
    if step.action == "call":
        check_mounted(agent, model.call, (*path, "call"), findings)
        _expand(agent, step, findings)
    for name, place in named_tools(agent, step):
        check_mounted(agent, name, place, findings)
    if step.action == "switch":
        check_branches(agent, step, findings)
    if step.action == "collect":
        seen: set[str] = set()
        for index, name in enumerate(model.collect):
            if name in seen:
                message = f"slot {name!r} is collected twice"
                findings.error("duplicate-id", message, agent.value(*path, "collect", index))
            seen.add(name)
    if model.catch is not None and not walk.clipped and path in walk.reached:
        _catches(agent, step, walk, findings)


def check_branches(unit: Unit, step: Written, findings: Findings) -> None:
    """The branches of a switch that an earlier one forestalls."""
    branches = enumerate(step.model.switch)
    entries = [(unit.value(*step.path, "switch", index), branch.when) for index, branch in branches]
    check_order("branch", entries, findings)


def _catches(agent: Unit, step: Written, walk: Walk, findings: Findings) -> None:
    taken: set[str] = set()
    for index, catch in enumerate(step.model.catch):
        path = (*step.path, "catch", index)
        comes = walk.caught.get(path, set())
        for position, kind in enumerate(catch.errors or ()):
            if kind not in comes:
                why = "an earlier entry takes it" if kind in taken else "nothing here can end so"
                place = agent.value(*path, "errors", position)
                findings.warning("catch-never", f"`{kind}` never comes to this catch: {why}", place)
        if catch.errors is None and not comes:
            findings.warning("catch-never", "nothing is left to catch here", agent.value(*path))
        taken |= comes


def _expand(agent: Unit, step: Written, findings: Findings) -> None:
    """`expand` takes slots of several values that the call reads; a call that reads one needs it."""
    tool = agent.find("tools", step.model.call)
    if tool is None:
        return
    read = _slots_read(tool)
    if step.model.decompose is not None:
        _decomposed(agent, step, findings)
    for index, name in enumerate(step.model.expand or ()):
        slot = agent.find("slots", name)
        place = agent.value(*step.path, "expand", index)
        if slot is not None and not slot.model.many:
            also = ((slot.key(), "declared here"),)
            message = f"slot {name!r} has one value"
            findings.error(
                "expand-single", message, place, also=also, hint="say `many: true` there, or leave it out here"
            )
        elif slot is not None and name not in read:
            findings.error("no-effect", f"the call of {tool.name!r} does not read slot {name!r}", place)
    for name, argument in read.items():
        slot = tool.unit.find("slots", name)
        single = (tool.model.input or {})[argument].type not in ("list", "object")
        if slot is not None and slot.model.many and single and name not in (step.model.expand or ()):
            also = ((tool.key("input", argument), "it takes one value"),)
            message = f"slot {name!r} may hold several values, and {argument!r} takes one"
            hint = f"write `expand: [{name}]` to call once for each"
            findings.error("needs-expand", message, agent.value(*step.path, "call"), also=also, hint=hint)


def _decomposed(agent: Unit, step: Written, findings: Findings) -> None:
    """A decomposer that is there, and values of several slots for it to put together."""
    place = agent.value(*step.path, "decompose")
    check_brought("unknown-decomposer", step.model.decompose, decomposer, decomposer_names, place, findings)
    if len(step.model.expand or ()) == 1:
        message = "each value of one slot is a part by itself, so `decompose` means nothing"
        findings.warning("no-effect", message, place, hint="take it out, or expand another slot as well")


def _slots_read(tool: Part) -> dict[str, str]:
    """Slots that are copied whole into an argument, with that argument."""
    sources = {name: (argument.from_ or "").split(".") for name, argument in (tool.model.input or {}).items()}
    return {path[1]: name for name, path in sources.items() if path[0] == "slots"}


def _unreached(agent: Unit, flow: Part, steps: Sequence[Written], walk: Walk, findings: Findings) -> None:
    """Steps after one that always ends the flow."""
    for step in steps:
        if step.path in walk.reached:
            continue
        before = (*step.path[:-1], int(step.path[-1]) - 1)
        if before in walk.reached:
            also = ((agent.value(*before), "this always ends the flow"),)
            place = agent.value(*step.path)
            findings.error("unreachable", f"this step of flow {flow.name!r} is never reached", place, also=also)
