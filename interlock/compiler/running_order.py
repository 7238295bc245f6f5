"""Which procedures a spec runs, and an order in which each comes after those that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.units import Unit


def procedures_run(unit: Unit) -> set[str]:
    """The names of the procedures that a spec's steps run, or its mounts allow."""
    mounted = {item.model.run for item in unit.run_mounts}
    return mounted | {step.model.run for step in all_steps(unit) if step.action == "run"}


def children_of(unit: Unit) -> list[Unit]:
    """The procedures that a spec runs itself, by name."""
    return [unit.procedures[name] for name in sorted(procedures_run(unit)) if name in unit.procedures]


def all_run(unit: Unit) -> list[Unit]:
    """The spec and all procedures that it runs, however far, each once."""
    found = {unit: None}
    waiting = [unit]
    for one in waiting:
        new = [child for child in children_of(one) if child not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return waiting


def in_running_order(units: Sequence[Unit]) -> list[Unit]:
    """The units, each after those that it runs; in a circle somebody comes too early."""
    by_name = {unit.name: unit for unit in units}
    ordered: list[Unit] = []
    entered: set[str] = set()

    def enter(unit: Unit) -> tuple[Unit, Iterator[Unit]]:
        entered.add(unit.name)
        return unit, (by_name[name] for name in sorted(procedures_run(unit)) if name in by_name)

    for unit in units:
        way = [enter(unit)] if unit.name not in entered else []
        while way:
            _, children = way[-1]
            child = next((one for one in children if one.name not in entered), None)
            if child is None:
                ordered.append(way.pop()[0])
            else:
                way.append(enter(child))
    return ordered


def way_back(unit: Unit, child: Unit) -> tuple[str, ...]:
    """The names of the procedures from `child` on that lead back to `unit`; empty if none does."""
    ways: dict[str, tuple[str, ...]] = {child.name: (child.name,)}
    waiting = list(ways.items())
    for name, way in waiting:
        if name == unit.name:
            return way
        for inner in children_of(unit.procedures[name]):
            if inner.name not in ways:
                ways[inner.name] = (*way, inner.name)
                waiting.append((inner.name, ways[inner.name]))
    return ()
