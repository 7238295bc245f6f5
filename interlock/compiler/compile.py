"""Compiles a bundle: runs every pass, sorts what they found, and makes the plan of each spec without errors."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from interlock.compiler.findings import Findings
from interlock.compiler.passes import PASSES
from interlock.compiler.project import Project, Suite, project_of
from interlock.compiler.running_order import in_running_order, procedures_run
from interlock.compiler.vocabularies import sheet_files
from interlock.diagnostics import Diagnostic, Location, Severity, in_order
from interlock.source import read_bundle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from interlock.compiler.units import Unit
    from interlock.plan.plan import Plan
    from interlock.plan.tools import Retriever
    from interlock.source import Bundle


@dataclass(frozen=True, slots=True)
class Compiled:
    """What came of a bundle. `plans` holds the Agents and Procedures without errors, by name.

    `started` says of all Agents and Procedures where their names are written. `retrievers` are those that its specs
    declare, whether or not a plan uses them.
    """

    plans: Mapping[str, Plan] = field(default_factory=dict)
    retrievers: tuple[Retriever, ...] = ()
    suites: tuple[Suite, ...] = ()
    started: Mapping[str, Location] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that keep a plan from being made."""
        return [finding for finding in self.diagnostics if finding.severity is Severity.ERROR]


def compile_bundle(
    bundle: Bundle, others: Mapping[str, Bundle] | None = None, *, read: Iterable[Diagnostic] = (), plans: bool = True
) -> Compiled:
    """Compile a bundle; `others` are the bundles whose Libraries it uses, by folder, `read` what reading them found.

    Without `plans` only the findings are worked out.
    """
    findings = Findings(list(read))
    known = {document.file for document in bundle.documents}
    unread = {finding.location.file for finding in findings.found} - known
    project = project_of(bundle, others or {}, findings, [PurePosixPath(file).stem for file in unread])
    for _, run in PASSES:
        run(project, findings)
    found = [*(finding for finding in findings.found if not _is_foreign(finding)), *_broken(project, findings.found)]
    made = _plans(project, findings.found) if plans else {}
    retrievers = _retrievers(project) if plans else ()
    started = {unit.name: unit.value("name") for unit in project.runnable}
    for unit in project.everything:
        unit.let_go()
    suites = tuple(suite for suite in project.suites if not suite.salvaged)
    return Compiled(made, retrievers, suites, started, in_order(found))


def compile_folder(folder: Path | str, *, shown_as: str = "", plans: bool = True) -> Compiled:
    """Read and compile a bundle; `shown_as` stands before its file names in every finding."""
    bundle, read = read_bundle(Path(folder))
    others: dict[str, Bundle] = {}
    for name in sorted(_used_folders(bundle) - {bundle.name}):
        if (bundle.root.parent / name).is_dir():
            others[name], found = read_bundle(bundle.root.parent / name)
            read += [_shown(finding, f"../{name}") for finding in found]
    compiled = compile_bundle(bundle, others, read=read, plans=plans)
    if not shown_as:
        return compiled
    started = {name: _under(shown_as, place) for name, place in compiled.started.items()}
    found = [_shown(finding, shown_as) for finding in compiled.diagnostics]
    return replace(compiled, started=started, diagnostics=found)


def _used_folders(bundle: Bundle) -> set[str]:
    used = [document.data.get("uses") for document in bundle.documents]
    names = [name for names in used if isinstance(names, list) for name in names if isinstance(name, str)]
    return {name.partition("/")[0] for name in names if "/" in name}


def _is_foreign(finding: Diagnostic) -> bool:
    return finding.location.file.startswith("../")


def _plans(project: Project, found: list[Diagnostic]) -> dict[str, Plan]:
    """Procedures before those that run them, whose plans name them by digest."""
    from interlock.compiler.lower import plan_of  # noqa: PLC0415 - whoever only checks needs none of it

    wrong = _wrong_files(found)
    made: dict[str, Plan] = {}
    for unit in in_running_order(project.runnable):
        if _is_sound(unit, wrong) and made.keys() >= procedures_run(unit):
            made[unit.name] = plan_of(unit, made)
    return {unit.name: made[unit.name] for unit in project.runnable if unit.name in made}


def _retrievers(project: Project) -> tuple[Retriever, ...]:
    from interlock.compiler.lower_parts import retriever  # noqa: PLC0415 - likewise

    return tuple(retriever(part) for unit in project.units for part in unit.parts("retrievers").values())


def _wrong_files(found: list[Diagnostic]) -> set[str]:
    return {finding.location.file for finding in found if finding.severity is Severity.ERROR}


def _is_sound(unit: Unit, wrong: set[str]) -> bool:
    """Whether nothing that a spec sees has an error."""
    if unit.incomplete or any(member.salvaged for member in unit.closure()):
        return False
    return all(wrong.isdisjoint({member.file, *sheet_files(member)}) for member in unit.closure())


def _broken(project: Project, found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """The mistakes of another bundle are its own; here they are told once, where it is used."""
    wrong = _wrong_files(found)
    for unit in project.units:
        for library in unit.libraries:
            if library.prefix and not _is_sound(library, wrong):
                message = f"Library {library.name!r} of bundle {library.bundle!r} has errors of its own"
                index = next(i for i, name in enumerate(unit.uses) if name.rpartition("/")[2] == library.name)
                hint = f"check the bundle {library.bundle!r} first"
                yield Diagnostic("broken-library", message, unit.value("uses", index), hint=hint)


def _shown(finding: Diagnostic, prefix: str) -> Diagnostic:
    also = tuple((_under(prefix, place), note) for place, note in finding.also)
    return replace(finding, location=_under(prefix, finding.location), also=also)


def _under(prefix: str, place: Location) -> Location:
    return place._replace(file=posixpath.normpath(posixpath.join(prefix, place.file)))
