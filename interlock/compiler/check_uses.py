"""Specs and the Libraries they use: names that are taken twice, Libraries that are not there, circles.

Here every spec also gets to know the parts it may name: its own, and those of all Libraries it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.findings import suggestion
from interlock.compiler.units import PLURALS

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Names, Unit
    from interlock.diagnostics import Location


def check_uses(project: Project, findings: Findings) -> None:
    """Resolve `uses` of every spec, then gather what each can see."""
    _spec_names(project, findings)
    for unit in project.everything:
        for index, reference in enumerate(unit.uses):
            _resolve(project, unit, reference, index, findings)
    for unit in project.everything:
        _circles(unit, findings)
    for unit in project.everything:
        unit.incomplete = any(member.incomplete for member in unit.closure())
    for unit in project.everything:
        unit.visible = _visible(unit)
    procedures = {procedure.name: procedure for procedure in project.procedures}
    for unit in project.units:
        unit.procedures = procedures


def _spec_names(project: Project, findings: Findings) -> None:
    first: dict[str, Location] = {}
    for name, document in project.heads:
        place = document.places.value(("name",))
        if name in first:
            message = f"two specs of this bundle are named {name!r}"
            findings.error("duplicate-spec", message, place, also=((first[name], "the other one"),))
        first.setdefault(name, place)


def _resolve(project: Project, unit: Unit, reference: str, index: int, findings: Findings) -> None:
    folder, _, name = reference.rpartition("/")
    folder = "" if folder == project.bundle and not unit.prefix else folder
    here = project.units if not unit.prefix else project.foreign[unit.bundle]
    candidates = project.foreign.get(folder) if folder else here
    if folder == project.bundle:
        candidates = project.units
    at = unit.value("uses", index)
    if candidates is None:
        unit.incomplete = True
        hint = suggestion(folder, project.known_bundles)
        findings.error("unknown-bundle", f"there is no bundle {folder!r} beside this one", at, hint=hint)
        return
    found = next((other for other in candidates if other.name == name), None)
    if found is not None and found.kind == "Library":
        if found not in unit.libraries:
            unit.libraries.append(found)
        return
    unit.incomplete = True
    if found is not None:
        message = f"{name!r} is an {found.kind}; only a Library can be used"
        findings.error("not-a-library", message, at, also=((found.value("name"), "declared here"),))
    elif folder or not project.may_hold(name):
        libraries = [other.name for other in candidates if other.kind == "Library"]
        hint = suggestion(name, libraries, none="there is no Library in that bundle")
        findings.error("unknown-library", f"there is no Library {reference!r}", at, hint=hint)


def _circles(unit: Unit, findings: Findings) -> None:
    """A Library that uses itself, however far around, is told at its `uses`; the circle does no other harm."""
    for library in unit.libraries:
        if unit in library.closure():
            way = f"{unit.name!r}" if library is unit else f"{library.name!r} uses {unit.name!r}"
            at = unit.value("uses", _index(unit, library))
            message = f"Libraries cannot use each other in a circle: {way}"
            findings.error("library-circle", message, at, also=((library.key("uses"), "the other one"),))


def _index(unit: Unit, library: Unit) -> int:
    return next(i for i, reference in enumerate(unit.uses) if reference.rpartition("/")[2] == library.name)


def _visible(unit: Unit) -> Names:
    found = {plural: dict(unit.parts(plural)) for plural in PLURALS}
    for library in unit.closure()[1:]:
        for plural, parts in library.own.items():
            for name, part in parts.items():
                found[plural].setdefault(name, part)
    return found
