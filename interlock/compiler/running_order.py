"""Which procedures a spec runs, and an order in which each comes after those that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.units import Unit


def procedures_run(unit: Unit) -> set[str]:
    """The names of the procedures that a spec's steps run, or its mounts allow."""
    mounted = {item.model.run for item in unit.run_mounts}
    return mounted | {step.model.run for step in all_steps(unit) if step.action == "run"}


def all_run(unit: Unit) -> list[Unit]:
    """The spec and all procedures that it runs, however far, each once."""
    found = [unit]
    for one in found:
        children = (one.procedures[name] for name in sorted(procedures_run(one)) if name in one.procedures)
        found += [child for child in children if child not in found]
    return found


def in_running_order(units: Sequence[Unit]) -> list[Unit]:
    """The units, each after those that it runs; in a circle somebody comes too early."""
    by_name = {unit.name: unit for unit in units}
    ordered: dict[str, Unit] = {}
    entered: set[str] = set()

    def enter(unit: Unit) -> None:
        if unit.name in entered:
            return
        entered.add(unit.name)
        for name in sorted(procedures_run(unit)):
            if name in by_name:
                enter(by_name[name])
        ordered[unit.name] = unit

    for unit in units:
        enter(unit)
    return list(ordered.values())


def way_back(unit: Unit, child: Unit) -> tuple[str, ...]:
    """The names of the procedures from `child` on that lead back to `unit`; empty if none does."""
    ways: dict[str, tuple[str, ...]] = {child.name: (child.name,)}
    waiting = list(ways.items())
    for name, way in waiting:
        if name == unit.name:
            return way
        for inner in sorted(procedures_run(unit.procedures[name])):
            if inner in unit.procedures and inner not in ways:
                ways[inner] = (*way, inner)
                waiting.append((inner, ways[inner]))
    return ()
