"""What a model may choose in a step: the tools and procedures that `act` and `plan` offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

CHOOSING = frozenset({"act", "plan"})
"""The steps in which a model may choose."""


def named_tools(unit: Unit, step: Written) -> Iterator[tuple[str, Path]]:
    """The tools that a step offers by name, each with its place."""
    if step.action == "act":
        for index, name in enumerate(step.model.act.tools or ()):
            yield name, (*step.path, "act", "tools", index)
    if step.action == "plan":
        for index, name in enumerate(step.model.plan.actions):
            if not is_run(unit, name):
                yield name, (*step.path, "plan", "actions", index)


def tools_of(unit: Unit, step: Written) -> list[str]:
    """The tools that a step offers: an `act` step that names none offers all that are mounted."""
    named = [name for name, _ in named_tools(unit, step)]
    return named or ([item.model.call for item in unit.mounts] if step.action == "act" else [])


def offered(unit: Unit) -> set[str]:
    """The procedures that some step of a spec offers."""
    return {name for step in all_steps(unit) for name in procedures_of(unit, step)}


def is_run(unit: Unit, action: str) -> bool:
    """Whether an action of a plan is a procedure: it is mounted as one, and not as a tool."""
    return unit.run_mount_of(action) is not None and unit.mount_of(action) is None


def procedures_of(unit: Unit, step: Written) -> list[str]:
    """The procedures that a step offers."""
    if step.action == "act":
        return list(step.model.act.procedures or ())
    return [name for name in step.model.plan.actions if is_run(unit, name)] if step.action == "plan" else []
