"""Keys of loops: what is sensitive does not name the passes of one, for names are masked nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.apart import loops_around
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import all_steps
from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.expressions.shapes import Shape


def check_sensitive(project: Project, findings: Findings) -> None:
    """All loops of all Procedures."""
    for unit in project.procedures:
        loops = [step for step in all_steps(unit) if step.action == "for_each"]
        origins = _Origins(unit)
        for loop in loops:
            for read in origins.read_by_key(loop):
                named = ".".join(read)
                message = f"`{named}` is sensitive, and the key stands in the names of steps, which nothing masks"
                hint = "let `key` read what is not sensitive, such as a number of its own"
                findings.error("sensitive-key", message, unit.value(*loop.path, "for_each", "key"), hint=hint)
                break


class _Origins:
    """Where a procedure has its variables and items from."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._sites = sites_of(unit.steps) if unit.steps is not None else ()
        self._followed: set[tuple[Read, Path]] = set()

    def read_by_key(self, loop: Written) -> Iterator[Read]:
        """The sensitive paths that a key reads."""
        for site in self._at((*loop.path, "for_each", "key")):
            self._followed.clear()
            yield from (read for read in read_paths(site) if self._is_sensitive(read, site))

    def _at(self, path: Path) -> Iterator[Site]:
        return (site for site in self._sites if site.path[: len(path)] == path)

    def _is_sensitive(self, read: Read, site: Site) -> bool:
        """Whether it is declared so where it stands, or what it was copied or computed from is."""
        if (read, site.path) in self._followed:
            return False
        self._followed.add((read, site.path))
        shape = site.scope.get(read[0])
        return (shape is not None and _hides(shape, read[1:])) or any(
            self._is_sensitive((*inner, *rest), origin) for origin, inner, rest in self._behind(read, site)
        )

    def _behind(self, read: Read, site: Site) -> Iterator[tuple[Site, Read, Read]]:
        """What a variable or item is made of, and where in that a copy of it has what is read."""
        for path, rest in self._made_at(read, site):
            for origin in self._at(path):
                copied = copied_path(origin.text) is not None
                for inner in read_paths(origin):
                    yield origin, inner, rest if copied else ()

    def _made_at(self, read: Read, site: Site) -> Iterator[tuple[Path, Read]]:
        if read[0] == "vars" and len(read) > 1:
            for step in all_steps(self._unit):
                if step.action == "set" and read[1] in step.model.set:
                    yield (*step.path, "set", read[1]), read[2:]
        for loop in loops_around(self._unit, site.path):
            if loop.model.for_each.as_ == read[0]:
                yield (*loop.path, "for_each", "items"), ("0", *read[1:])


def _hides(shape: Shape, path: Read) -> bool:
    """Whether something sensitive stands at a path, or around it, or in it."""
    for name in path:
        if shape.sensitive:
            return True
        inner = (shape.fields or {}).get(name) if shape.kind == "object" else shape.item if name.isdigit() else None
        if inner is None:
            return False
        shape = inner
    within = [*(shape.fields or {}).values(), *((shape.item,) if shape.item is not None else ())]
    return shape.sensitive or any(_hides(inner, ()) for inner in within)
