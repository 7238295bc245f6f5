"""Responses: held against the result of every tool that is answered by them, and none without a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.compiler.check_facts import check_stated, check_unstated, hold_text
from interlock.compiler.check_flows import walked
from interlock.compiler.findings import suggestion
from interlock.compiler.mentions import NOTHING
from interlock.compiler.shapes import at_path, result_shape
from interlock.compiler.sites import scopes_of, sites_of
from interlock.compiler.walk import all_steps, step_ids
from interlock.compiler.written import texts
from interlock.expressions.shapes import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.diagnostics import Location
    from interlock.expressions.shapes import Shape


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A place that answers by a response, and the tool, if it is one, and result it answers with."""

    response: Part
    place: Location
    tool: Part | None
    result: Shape
    answered: str

    @property
    def also(self) -> tuple[tuple[Location, str], ...]:
        """The place of the use, for a finding in the response."""
        return ((self.place, f"it answers {self.answered!r} here"),)


def check_responses(project: Project, findings: Findings) -> None:
    """All uses of responses by all Agents and Procedures."""
    for agent in project.agents:
        told: set[tuple[Location, str]] = set()
        uses = [*_of_lists(agent), *_of_steps(agent, findings)]
        for use in uses:
            _check(use, told, findings)
        stated = {use.tool for use in uses if use.response.model.facts is not None}
        if agent.is_whole:
            check_unstated(agent, stated, findings)
        _without_result(agent, findings)
    for unit in project.procedures:
        told = set()
        for step in all_steps(unit):
            if step.action == "respond" and step.model.respond != NOTHING:
                _in_work(unit, step, told, findings)


def _in_work(unit: Unit, step: Written, told: set[tuple[Location, str]], findings: Findings) -> None:
    """In a procedure much may go on side by side, so that a response says whose result it says."""
    place = unit.value(*step.path, "respond")
    response = unit.find("responses", step.model.respond)
    if step.model.result is None:
        message = "in a procedure nothing says which result this is about"
        findings.error("no-result", message, place, hint="write `result: steps.<id>.result`, the step that gives it")
    elif response is not None and response.model.facts is not None:
        message = f"response {response.name!r} states what a conversation has looked up"
        hint = "in a procedure, say the result by a response with `text`"
        findings.error("facts-not-here", message, place, hint=hint)
    elif response is not None:
        path = step.model.result.split(".")
        giver = {step_id: step for step, step_id in _with_ids(unit)}.get(path[1]) if path[0] == "steps" else None
        tool = unit.find("tools", giver.model.call) if giver is not None and giver.action == "call" else None
        use = Use(response, place, tool, _result_at(unit, step.path), step.model.result)
        _check(use, told, findings)


def _with_ids(unit: Unit) -> Iterator[tuple[Written, str]]:
    steps = all_steps(unit)
    ids = step_ids(steps)
    return ((step, ids[step.path]) for step in steps)


def _of_lists(agent: Unit) -> Iterator[Use]:
    for key in ("mounts", "gates"):
        for item in agent.lists.get(key, ()):
            if item.model.respond is not None and item.model.call is not None:
                place = agent.value(key, item.index, "respond")
                yield from _use(agent, item.model.respond, item.model.call, place, None)


def _of_steps(agent: Unit, findings: Findings) -> Iterator[Use]:
    walk = walked(agent)
    for step in all_steps(agent):
        if step.action == "respond":
            place = agent.value(*step.path, "respond")
            result = _result_at(agent, step.path) if step.model.result is not None else None
            response = agent.find("responses", step.model.respond)
            if result is not None and response is not None and response.model.facts is not None:
                message = f"response {response.name!r} states what was looked up, and no part of a result"
                hint = "take `result` out"
                findings.error("facts-not-here", message, agent.key(*step.path, "result"), hint=hint)
                continue
            for tool in walk.answered.get(step.path, ()):
                yield from _use(agent, step.model.respond, tool, place, result)


def _use(agent: Unit, response: str, tool: str, place: Location, result: Shape | None) -> Iterator[Use]:
    part, called = agent.find("responses", response), agent.find("tools", tool)
    if part is not None and called is not None:
        yield Use(part, place, called, result or result_shape(called.model), called.name)


def _result_at(agent: Unit, path: tuple[str | int, ...]) -> Shape:
    """The shape of the result that a `respond` names."""
    flow = agent.steps or agent.parts("flows")[str(path[1])]
    site = next(site for site in sites_of(flow) if site.path == (*path, "result"))
    shape, problems = site.checked(site.scope)
    return ANY if problems else shape


def _check(use: Use, told: set[tuple[Location, str]], findings: Findings) -> None:
    response = use.response
    for index, path in enumerate(response.model.fields or ()):
        if at_path(use.result, path) is None:
            message = f"there is no {path!r} in the `output` of {use.answered!r}"
            place = response.value("fields", index)
            hint = suggestion(path.split(".")[0], use.result.fields or ())
            if (place, message) not in told:
                told.add((place, message))
                findings.error("unknown-path", message, place, also=use.also, hint=hint)
    if response.model.facts is not None:
        check_stated(response, use.tool, use.place, use.also, told, findings)
        return
    scopes = scopes_of(response.unit)
    scope = {**scopes.after_call(use.tool.model if use.tool else None), "result": use.result}
    general = scopes.after_call(None)
    for path, text in texts(response.model.text, (*response.path, "text")):
        hold_text(response, path, text, (scope, general), use.also, told, findings)


def _without_result(agent: Unit, findings: Findings) -> None:
    """A `respond` where no call can have been made on any path."""
    walk = walked(agent)
    for step in all_steps(agent):
        if step.action != "respond" or step.model.respond == NOTHING or step.model.result is not None:
            continue
        response = agent.find("responses", step.model.respond)
        if response is not None and walk.answered.get(step.path) == {""}:
            message = f"response {response.name!r} has no result here: no call comes before it"
            place = agent.value(*step.path, "respond")
            findings.error("no-result", message, place, hint="call a tool first, or use `reply` for a text")
