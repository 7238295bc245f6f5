"""Look-ups: where a tool's `fact` lies in its result, and what the texts that state it may say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.choices import tools_of
from interlock.compiler.findings import suggestion
from interlock.compiler.shapes import FACT_OWN, at_path, result_shape
from interlock.compiler.sites import scopes_of
from interlock.compiler.walk import all_steps
from interlock.compiler.written import texts
from interlock.expressions.check import check_template

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.expressions.shapes import Scope, Shape

_COMPUTED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_DIGIT = re.compile(r"\d")

Told = set[tuple["Location", str]]


def check_facts(project: Project, findings: Findings) -> None:
    """The look-ups and the texts about them of all specs."""
    for unit in project.everything:
        for part in unit.parts("tools").values():
            if part.model.fact is not None:
                _lookup(part, findings)
        for part in unit.parts("responses").values():
            if part.model.facts is not None:
                _own_figures(part, findings)
    for agent in project.agents:
        _kept(agent, findings)


def _lookup(part: Part, findings: Findings) -> None:
    tool = part.model
    if tool.effect not in ("none", "read"):
        message = f"a look-up only reads, and this tool says `effect: {tool.effect}`"
        findings.error("fact-of-a-write", message, part.key("fact"), hint="let a tool of its own look the fact up")
    for name in FACT_OWN:
        if name in (tool.input or {}):
            message = f"`fact.{name}` would be this argument, and the {name} of the fact"
            findings.error("fact-hides-argument", message, part.key("input", name), hint="call the argument otherwise")
    shape = result_shape(tool)
    for keys, path in _paths(part):
        if at_path(shape, path) is None:
            message = f"there is no {path!r} in the `output` of {part.name!r}"
            hint = _nearest(shape, path)
            findings.error("unknown-path", message, part.value("fact", *keys), hint=hint)
        elif any(name.isdigit() and name != "0" for name in path.split(".")):
            message = f"{path!r} is not in the first row, and a fact is the only one"
            findings.error("fact-beyond-first-row", message, part.value("fact", *keys), hint="write 0")


def _nearest(shape: Shape, path: str) -> str:
    """A hint at the name in a path that is not there."""
    known = ""
    for name in path.split("."):
        longer = f"{known}.{name}" if known else name
        if at_path(shape, longer) is None:
            inner = at_path(shape, known)
            return suggestion(name, (inner.fields or {}) if inner is not None else {})
        known = longer
    return ""


def _paths(part: Part) -> Iterator[tuple[tuple[str, ...], str]]:
    fact = part.model.fact
    yield ("value",), fact.value
    if fact.unit is not None:
        yield ("unit",), fact.unit
    yield from ((("source", name), path) for name, path in (fact.source or {}).items())


def _own_figures(part: Part, findings: Findings) -> None:
    """A figure that an author has written into a text about facts would pass for one."""
    for key in ("found", "not_found", "unrecognized"):
        for path, text in texts(getattr(part.model.facts, key), (*part.path, "facts", key)):
            plain = _COMPUTED.sub(lambda computed: " " * len(computed[0]), text)
            if digit := _DIGIT.search(plain):
                place = part.unit.inside(path, digit.start())
                message = f"this text about facts has a figure of its own: {digit[0]!r}"
                findings.error("figure-of-no-fact", message, place, hint="let it come from the result, or use words")


def check_unstated(agent: Unit, stated: Collection[Part | None], findings: Findings) -> None:
    """A look-up of an Agent that no response states: what it finds is only for a model to tell."""
    for item in agent.mounts:
        tool = agent.find("tools", item.model.call) if item.model.call is not None else None
        if tool is not None and tool.model.fact is not None and tool not in stated:
            message = f"no response with `facts` states what {tool.name!r} finds"
            place, also = agent.value("mounts", item.index, "call"), ((tool.key("fact"), "its `fact`"),)
            hint = "name one under `respond`, at the mount or after the call"
            findings.warning("fact-never-stated", message, place, also=also, hint=hint)


def check_stated(
    response: Part, tool: Part | None, place: Location, also: Also, told: Told, findings: Findings
) -> None:
    """A response with `facts` answers a look-up, and its texts read what that has."""
    if tool is None or tool.model.fact is None:
        name = "this result" if tool is None else repr(tool.name)
        message = f"response {response.name!r} states facts, and {name} is no look-up"
        also = ((tool.key(), "it has no `fact`"),) if tool is not None else ()
        if (place, message) not in told:
            told.add((place, message))
            findings.error("facts-without-fact", message, place, also=also, hint="write `fact: {value: …}` in the tool")
        return
    scopes = scopes_of(response.unit)
    general = scopes.stating(None)
    for key, scope in scopes.stating(tool.model).items():
        for path, text in texts(getattr(response.model.facts, key), (*response.path, "facts", key)):
            hold_text(response, path, text, (scope, general[key]), also, told, findings)


def hold_text(
    response: Part, path: Path, text: str, scopes: tuple[Scope, Scope], also: Also, told: Told, findings: Findings
) -> None:
    """Tell what is wrong with a text in the first scope and is not in the second, where it is told anyway."""
    known = {problem.message for problem in check_template(text, scopes[1])[1]}
    for problem in check_template(text, scopes[0])[1]:
        place = response.unit.inside(path, problem.offset)
        if problem.message not in known and (place, problem.message) not in told:
            told.add((place, problem.message))
            findings.error(problem.code, problem.message, place, also=also, hint=problem.hint)


def _kept(agent: Unit, findings: Findings) -> None:
    """`no_result` is about look-ups that steps of the same turn make, or that a model may choose there."""
    steps = all_steps(agent)
    for step in steps:
        if step.action == "generate" and step.model.no_result is not None:
            flows = _in_one_turn(steps, step.path[1])
            names = {name for one in steps if one.path[1] in flows for name in _may_call(agent, one)}
            tools = [agent.find("tools", name) for name in names]
            if all(tool is not None and tool.model.fact is None for tool in tools):
                message = "no step beside it can look a fact up, so `no_result` means nothing"
                findings.warning("no-effect", message, agent.key(*step.path, "no_result"), hint="take it out")


def _in_one_turn(steps: Iterable[Written], flow: str | int) -> set[str | int]:
    """The flows that may be walked in one turn with a flow: those that lead to it or that it leads to."""
    links = [{step.path[1], step.model.flow} for step in steps if step.action == "flow"]
    found = {flow}
    while more := {name for link in links if link & found for name in link - found}:
        found |= more
    return found


def _may_call(agent: Unit, step: Written) -> list[str]:
    """The tools that a step calls, or offers to a model."""
    return [step.model.call] if step.action == "call" else tools_of(agent, step)
