"""What an Agent or Procedure declares and never uses: warnings, for a Library may hold more than one Agent needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.call_ends import takes_identifier
from interlock.compiler.check_places import TALKING_PARTS
from interlock.compiler.choices import offered, tools_of
from interlock.compiler.closure import reached
from interlock.compiler.codes_of_expressions import EXPRESSIONS
from interlock.compiler.copied_slots import bound_by
from interlock.compiler.mentions import in_lists, in_site, of_part
from interlock.compiler.sites import own_sites
from interlock.compiler.walk import all_steps

HIDING = frozenset({"unknown-target", *EXPRESSIONS})

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit


def check_unused(project: Project, findings: Findings) -> None:
    """Parts, mounts and gates of every Agent or Procedure."""
    for agent in project.runnable:
        if not is_clear(agent, findings):
            continue
        _parts(agent, findings)
        _mounts(agent, findings)
        _run_mounts(agent, findings)
        _gates(agent, findings)


def is_clear(agent: Unit, findings: Findings) -> bool:
    """Whether every use can be seen: a misspelt name or a malformed expression may have been one."""
    if not agent.is_whole:
        return False
    hidden = [finding for finding in findings.found if finding.location.file == agent.file]
    return not any(finding.code in HIDING for finding in hidden)


def _parts(agent: Unit, findings: Findings) -> None:
    used = reached(agent)
    for plural, parts in agent.own.items():
        if agent.kind == "Procedure" and plural in TALKING_PARTS:
            continue
        for part in parts.values():
            if part.name not in used.get(plural, {}):
                message = f"{part.called} is never used"
                findings.warning("unused", message, part.key(), hint="use it, or take it out")


def _called(agent: Unit) -> set[str]:
    gates = {item.model.call for item in agent.gates if item.model.call is not None}
    steps = all_steps(agent)
    chosen = {name for step in steps for name in tools_of(agent, step)}
    return gates | chosen | {step.model.call for step in steps if step.action == "call"}


def _mounts(agent: Unit, findings: Findings) -> None:
    called = _called(agent)
    for item in agent.mounts:
        if item.model.call not in called:
            message = f"{item.model.call!r} is mounted, and no step or gate calls it"
            findings.warning("unused", message, agent.value("mounts", item.index, "call"))
        elif item.model.intent is not None and not _heeds_intent(agent, item.model.call):
            message = f"`intent` means nothing: {item.model.call!r} copies no identifier, and no `act` may choose it"
            findings.warning("no-effect", message, agent.key("mounts", item.index, "intent"))


def _heeds_intent(agent: Unit, name: str) -> bool:
    """Whether a model may choose the tool, or a call of it may be skipped for want of an intent and an identifier."""
    steps = all_steps(agent)
    if any(name in tools_of(agent, step) for step in steps):
        return True
    tool, mount = agent.find("tools", name), agent.mount_of(name)
    if tool is None or mount is None:
        return True
    bound = [step.model.with_ or {} for step in steps if step.action == "call" and step.model.call == name]
    return any(takes_identifier(agent, tool, bound_by(agent, tool, one)) for one in ({}, *bound))


def _run_mounts(agent: Unit, findings: Findings) -> None:
    chosen = offered(agent)
    run = {step.model.run for step in all_steps(agent) if step.action == "run"}
    for item in agent.run_mounts:
        if item.model.run not in run | chosen:
            message = f"procedure {item.model.run!r} is mounted, and no step runs it"
            findings.warning("unused", message, agent.value("mounts", item.index, "run"))
        elif item.model.intent is not None and item.model.run not in chosen:
            message = f"`intent` means nothing: no `act` step lets a model choose {item.model.run!r}"
            findings.warning("no-effect", message, agent.key("mounts", item.index, "intent"))


def _gates(agent: Unit, findings: Findings) -> None:
    """Gates that fill in what nothing reads, or skip what nothing calls."""
    read = _slots_read(agent) if any(item.model.assume for item in agent.gates) else set()
    called = _called(agent)
    for item in agent.gates:
        for name in item.model.assume or ():
            if name not in read:
                place = agent.key("gates", item.index, "assume", name)
                findings.warning("no-effect", f"nothing reads slot {name!r}", place)
        for index, name in enumerate(item.model.skip or ()):
            if name not in called:
                place = agent.value("gates", item.index, "skip", index)
                findings.warning("no-effect", f"no step or gate calls {name!r}", place)


def _slots_read(agent: Unit) -> set[str]:
    """The slots that anything names but for the gates that fill them in."""
    parts = [part for parts in reached(agent).values() for part in parts.values()]
    mentions = [*in_lists(agent), *(mention for part in parts for mention in of_part(part))]
    mentions += [mention for site in own_sites(agent) for mention in in_site(site)]
    assumed = ("gates", "assume")
    return {one.name for one in mentions if one.plural == "slots" and one.path[::2][:2] != assumed}
