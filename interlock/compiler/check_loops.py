"""Loops that write: what tells their items apart, and names that hide others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_effects import writes
from interlock.compiler.keyed_calls import through_computed
from interlock.compiler.mentions import read_paths
from interlock.compiler.running_order import all_run
from interlock.compiler.shapes import may_become
from interlock.compiler.sites import scopes_of, sites_of
from interlock.compiler.walk import all_steps, every
from interlock.compiler.written import has_template
from interlock.expressions.shapes import Shape, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

AT_SOME_PLACES = frozenset({"steps", "args", "result", "payload", "error", "env", "secrets"})
"""Roots that the base scope does not have, and that others mean where they are."""


def check_loops(project: Project, findings: Findings) -> None:
    """All loops of all Procedures."""
    for unit in project.procedures:
        loops = [step for step in all_steps(unit) if step.action == "for_each"]
        around: dict[Path, Written] = {}
        keys = _keys(unit) if loops else {}
        for loop in loops:
            _name(unit, loop, around, findings)
            _items(unit, loop, findings)
            _key(unit, loop, keys, findings)
            around[loop.path] = loop
        for step in all_steps(unit):
            _compensate(unit, step, findings)


def _name(unit: Unit, loop: Written, around: dict[Path, Written], findings: Findings) -> None:
    name, place = loop.model.for_each.as_, unit.value(*loop.path, "for_each", "as")
    if name in AT_SOME_PLACES or name in scopes_of(unit).base:
        message = f"`{name}` would hide what the context holds under that name"
        findings.error("hidden-name", message, place, hint="call the item something else")
    for length in range(len(loop.path)):
        outer = around.get(loop.path[:length])
        if outer is not None and outer.model.for_each.as_ == name:
            also = ((unit.value(*outer.path, "for_each", "as"), "the outer one"),)
            message = f"`{name}` would hide the item of the loop around this one"
            findings.error("hidden-name", message, place, also=also, hint="call one of them something else")
            return


def _items(unit: Unit, loop: Written, findings: Findings) -> None:
    items, place = loop.model.for_each.items, unit.value(*loop.path, "for_each", "items")
    if has_template(items) or may_become(shape_of(items), Shape("list")):
        return
    if not findings.told(place):
        hint = "write a list, or a template that gives one: '{{ input.names }}'"
        findings.error("type-mismatch", f"{items!r} is no list", place, hint=hint)


def _key(unit: Unit, loop: Written, keys: Mapping[Path, list[Site]], findings: Findings) -> None:
    written = loop.model.for_each
    path = (*loop.path, "for_each")
    if written.key is None:
        effect = first_write(unit, every(loop.inner[0]))
        if effect is not None:
            message = "the steps of this loop write, and nothing tells its items apart"
            also = ((unit.key(*effect.path, effect.action), "this writes"),)
            hint = (
                f'write `key: "{{{{ {written.as_}.id }}}}"`, or whatever is different for each item and stays the same'
            )
            findings.error("loop-without-key", message, unit.key(*path), also=also, hint=hint)
        return
    reads = [read for site in keys.get((*path, "key"), ()) for read in _through(site)]
    if findings.told(unit.value(*path, "key")):
        return
    if not any(root == written.as_ for root, *_ in reads):
        message = f"the key does not read `{written.as_}`: all items would have the same"
        hint = f'write `key: "{{{{ {written.as_} }}}}"`, or a field of it'
        findings.error("same-key", message, unit.value(*path, "key"), hint=hint)
    if any(root == "now" for root, *_ in reads):
        message = "the key reads the time: a run that goes on later would take a done item for a new one"
        findings.error("unstable-key", message, unit.value(*path, "key"), hint="make it of the item alone")


def _keys(unit: Unit) -> dict[Path, list[Site]]:
    """The sites of the keys of loops, by their place."""
    found: dict[Path, list[Site]] = {}
    for site in sites_of(unit.steps) if unit.steps is not None else ():
        if site.path[-2:] == ("for_each", "key"):
            found.setdefault(site.path, []).append(site)
    return found


def _through(site: Site) -> list[tuple[str, ...]]:
    """What a site reads, and what the tables and conditions read that it names."""
    return [inner for read in read_paths(site) for inner in through_computed(site.unit, read)]


def first_write(unit: Unit, steps: Iterable[Written]) -> Written | None:
    """The first step that changes something outside, itself or by a procedure that it runs."""
    for step in steps:
        if step.action == "call" and _calls_a_write(unit, step):
            return step
        if step.action == "run" and (child := unit.procedures.get(step.model.run)) and procedure_writes(child):
            return step
    return None


def _calls_a_write(unit: Unit, step: Written) -> bool:
    tool = unit.find("tools", step.model.call)
    return tool is not None and writes(tool)


def procedure_writes(unit: Unit) -> bool:
    """Whether a procedure, or one that it runs, changes something outside."""
    if "writes" not in unit.memo:
        steps = ((member, step) for member in all_run(unit) for step in all_steps(member))
        unit.memo["writes"] = any(step.action == "call" and _calls_a_write(member, step) for member, step in steps)
    return bool(unit.memo["writes"])


def _compensate(unit: Unit, step: Written, findings: Findings) -> None:
    """What undoes a step that has no effect is never run, or undoes what nobody has done."""
    if not step.undoing:
        return
    own = [step] if step.action in ("call", "run") else []
    inside = own or [inner for steps in step.inner for inner in every(steps)]
    known = all(_is_known(unit, inner) for inner in inside)
    if known and first_write(unit, inside) is None:
        message = "there is nothing to undo: nothing here writes"
        findings.warning("no-effect", message, unit.key(*step.path, "compensate"), hint="take it out")


def _is_known(unit: Unit, step: Written) -> bool:
    if step.action == "call":
        return unit.find("tools", step.model.call) is not None
    return step.action != "run" or step.model.run in unit.procedures
