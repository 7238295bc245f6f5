"""Parts with mistakes in their shape: what else is wrong with them, as far as no hole in them can be the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_bindings import check_bindings
from interlock.compiler.check_durations import check_durations
from interlock.compiler.check_effects import check_effects
from interlock.compiler.check_expressions import check_expressions
from interlock.compiler.check_fields import check_fields
from interlock.compiler.check_models import check_models
from interlock.compiler.check_names import check_targets
from interlock.compiler.check_places import check_places
from interlock.compiler.check_procedures import check_procedures
from interlock.compiler.check_servers import check_servers
from interlock.compiler.check_slots import check_intents, check_slots
from interlock.compiler.check_stored import check_stored
from interlock.compiler.check_suites import check_suites
from interlock.compiler.check_texts import check_texts
from interlock.compiler.check_tools import check_tools
from interlock.compiler.findings import Findings
from interlock.compiler.project import Project
from interlock.compiler.stand_ins import STAND_IN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from interlock.source import KeyPath

    Check = Callable[[Project, Findings], None]

CHECKS = (
    check_targets,
    check_texts,
    check_slots,
    check_intents,
    check_fields,
    check_stored,
    check_expressions,
    check_servers,
    check_tools,
    check_models,
    check_effects,
    check_durations,
    check_bindings,
    check_places,
    check_procedures,
)
"""What looks at one thing after the other, and not at what all of a flow or spec comes to."""

OF_A_HOLE = frozenset(
    {
        "ambiguous-server",
        "doubtful-effect",
        "exactly-one",
        "key-without-effect",
        "no-server",
        "no-stub",
        "unbound-argument",
        "unused-argument",
        "write-without-check",
        "write-without-key",
        "wrong-server",
    }
)
"""Codes of what a hole may be the cause of: something is missing, or its kind is not known."""

OF_A_TYPE = frozenset({"type-mismatch"})
"""Codes of what a hole may be the cause of where a type is missing."""


def check_damaged(project: Project, findings: Findings) -> None:
    """All damaged parts of the bundle's specs, and its damaged Suites."""
    for left in project.damaged:
        unit, sound = left.damaged, left.sound
        unit.visible, unit.libraries, unit.procedures = sound.visible, sound.libraries, sound.procedures
        unit.incomplete = sound.incomplete
        view = Project(project.bundle, [unit], unreadable=project.unreadable | {STAND_IN})
        _add(view, CHECKS, left.holes, findings)
        unit.memo.clear()
    for suite in project.damaged_suites:
        view = Project(project.bundle, project.units, [suite], unreadable=project.unreadable | {STAND_IN})
        _add(view, (check_suites,), (), findings)


def _add(view: Project, checks: Iterable[Check], holes: Iterable[KeyPath], findings: Findings) -> None:
    """What the checks find in a view of the project, but for what a hole may be the cause of."""
    found = Findings(list(findings.found))
    for check in checks:
        check(view, found)
    hidden = OF_A_HOLE | (OF_A_TYPE if any(hole[-1] == "type" for hole in holes) else set())
    findings.found += [one for one in found.found[len(findings.found) :] if one.code not in hidden]
