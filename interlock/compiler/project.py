"""All specs of a bundle, and of the bundles it uses, as the passes see them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from interlock.compiler.salvage import salvaged, whole
from interlock.compiler.shape import parse
from interlock.spec import SuiteSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.compiler.findings import Findings
    from interlock.compiler.units import Unit
    from interlock.diagnostics import Location
    from interlock.source import Bundle, Document


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A Suite of the bundle."""

    spec: SuiteSpec
    document: Document

    def key(self, *path: str | int) -> Location:
        """Place of a key."""
        return self.document.places.key(path)

    def value(self, *path: str | int) -> Location:
        """Place of a value."""
        return self.document.places.value(path)


@dataclass(slots=True, eq=False)
class Project:
    """`units` are the specs of the bundle itself but its Suites, `foreign` those of other bundles, by folder.

    `unreadable` holds the names that files which could not be read, or Suites with a wrong shape, may have declared.
    """

    bundle: str
    units: list[Unit] = field(default_factory=list)
    suites: list[Suite] = field(default_factory=list)
    foreign: dict[str, list[Unit]] = field(default_factory=dict)
    heads: list[tuple[str, Document]] = field(default_factory=list)
    unreadable: frozenset[str] = frozenset()
    known_bundles: frozenset[str] = frozenset()

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
    elif (unit := salvaged(document, bundle.sheets, bundle.name)) is not None:
        project.units.append(unit)
    elif isinstance(name, str):
        project.unreadable |= {name}


def _foreign(folder: str, bundle: Bundle) -> list[Unit]:
    prefix = f"../{folder}/"
    sheets = {path: replace(sheet, file=prefix + sheet.file) for path, sheet in bundle.sheets.items()}
    units = []
    for document in bundle.documents:
        spec, _ = parse(document)
        unit = whole(spec, document, sheets, folder) if spec is not None and not isinstance(spec, SuiteSpec) else None
        unit = unit or salvaged(document, sheets, folder)
        if unit is not None:
            unit.prefix = prefix
            units.append(unit)
    return units
