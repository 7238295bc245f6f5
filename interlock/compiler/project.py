"""All specs of a bundle, and of the bundles it uses, as the passes see them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from interlock.compiler.mending import mended
from interlock.compiler.salvage import salvaged, whole
from interlock.compiler.shape import parse
from interlock.compiler.units import ANY_NAME
from interlock.spec import SuiteSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.compiler.findings import Findings
    from interlock.compiler.mending import Mended
    from interlock.compiler.salvage import Salvaged
    from interlock.compiler.units import Unit
    from interlock.diagnostics import Location
    from interlock.source import Bundle, Document


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A Suite of the bundle; one that is `salvaged` from mistakes in its shape is checked, and never run."""

    spec: SuiteSpec
    document: Document
    salvaged: bool = False

    def key(self, *path: str | int) -> Location:
        """Place of a key."""
        return self.document.places.key(path)

    def value(self, *path: str | int) -> Location:
        """Place of a value."""
        return self.document.places.value(path)


@dataclass(slots=True, eq=False)
class Project:
    """`units` are the specs of the bundle itself but its Suites, `foreign` those of other bundles, by folder.

    `damaged` holds what is left of specs with mistakes in their shape, of which the sound part is among the `units`.
    `unreadable` holds the names that files which could not be read, or specs of no known kind, may have declared.
    """

    bundle: str
    units: list[Unit] = field(default_factory=list)
    suites: list[Suite] = field(default_factory=list)
    foreign: dict[str, list[Unit]] = field(default_factory=dict)
    heads: list[tuple[str, Document]] = field(default_factory=list)
    damaged: list[Salvaged] = field(default_factory=list)
    damaged_suites: list[Suite] = field(default_factory=list)
    unreadable: frozenset[str] = frozenset()
    known_bundles: frozenset[str] = frozenset()

    def may_hold(self, name: str) -> bool:
        """Whether something of that name may be declared where nobody could read it."""
        return not self.unreadable.isdisjoint({name, ANY_NAME})

    @property
    def agents(self) -> list[Unit]:
        """The Agents of the bundle."""
        return [unit for unit in self.units if unit.kind == "Agent"]

    @property
    def procedures(self) -> list[Unit]:
        """The Procedures of the bundle."""
        return [unit for unit in self.units if unit.kind == "Procedure"]

    @property
    def runnable(self) -> list[Unit]:
        """The specs that become plans: Agents and Procedures."""
        return [unit for unit in self.units if unit.kind != "Library"]

    @property
    def everything(self) -> list[Unit]:
        """The units of the bundle and of the others."""
        return [*self.units, *(unit for units in self.foreign.values() for unit in units)]


def project_of(
    bundle: Bundle, others: Mapping[str, Bundle], findings: Findings, unreadable: Iterable[str] = ()
) -> Project:
    """The project of a bundle; findings about the shape of its specs are added, those of other bundles are theirs."""
    project = Project(bundle.name, unreadable=frozenset(unreadable), known_bundles=frozenset(others))
    for document in bundle.documents:
        _add(project, document, bundle, findings)
    for folder, other in others.items():
        project.foreign[folder] = _foreign(folder, other)
    return project


def _add(project: Project, document: Document, bundle: Bundle, findings: Findings) -> None:
    spec, problems = parse(document)
    findings.found += problems
    name = document.data.get("name")
    if isinstance(name, str):
        project.heads.append((name, document))
    if isinstance(spec, SuiteSpec):
        project.suites.append(Suite(spec, document))
    elif spec is not None:
        project.units.append(whole(spec, document, bundle.sheets, bundle.name))
    elif (left := mended(document)) is not None:
        findings.found += left.findings
        _add_left(project, left, bundle)
    elif isinstance(name, str):
        project.unreadable |= {name}


def _add_left(project: Project, left: Mended, bundle: Bundle) -> None:
    """What is left of a spec with mistakes in its shape."""
    if isinstance(left.spec, SuiteSpec):
        suites = project.damaged_suites if left.holes else project.suites
        suites.append(Suite(left.spec, left.document, salvaged=True))
        return
    found = salvaged(left.spec, left, bundle.sheets, bundle.name)
    project.units.append(found.sound)
    if ("name",) in left.holes:
        project.unreadable |= {ANY_NAME}
    project.damaged.append(found)


def _foreign(folder: str, bundle: Bundle) -> list[Unit]:
    prefix = f"../{folder}/"
    sheets = {path: replace(sheet, file=prefix + sheet.file) for path, sheet in bundle.sheets.items()}
    units = []
    for document in bundle.documents:
        spec, _ = parse(document)
        left = mended(document) if spec is None else None
        if left is not None and not isinstance(left.spec, SuiteSpec):
            units.append(salvaged(left.spec, left, sheets, folder).sound)
        elif spec is not None and not isinstance(spec, SuiteSpec):
            units.append(whole(spec, document, sheets, folder))
    for unit in units:
        unit.prefix = prefix
    return units
