"""Values that stay outside the run: where `stored` may stand, and how such a value may travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_fields import fields_of
from interlock.compiler.lower_tools import place_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path
    from interlock.spec.fields import Field

CODE = "not-storable"


def check_stored(project: Project, findings: Findings) -> None:
    """All fields with `stored`, of all specs."""
    for unit in project.everything:
        for path, field in fields_of(unit):
            if field.stored:
                _field(unit, path, field, findings)


def _field(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    place = unit.key(*path, "stored")
    if not _may_stand_at(path):
        message = "nothing stays outside the run here"
        hint = "`stored` is for the fields of a tool's `output` and `input`, and of a Procedure's `input`"
        findings.error(CODE, message, place, hint=hint)
    elif field.default is not None:
        also = ((unit.key(*path, "default"), "its default"),)
        hint = "take `default` out; with `optional` it may be left out"
        findings.error(
            CODE, "a value that is stored comes from a tool, never from the spec", place, also=also, hint=hint
        )
    elif path[0] == "tools" and path[2] == "input":
        travels = place_of(unit.parts("tools")[str(path[1])].model, str(path[3]))
        if travels not in ("body", "argument"):
            message = f"a value that may be large does not fit into the {travels} of a request"
            findings.error(CODE, message, place, hint="send it in the body: `in: body`, by POST, PUT or PATCH")


def _may_stand_at(path: Path) -> bool:
    of_tool = path[0] == "tools" and len(path) == 4 and path[2] in ("input", "output")
    return of_tool or (path[0] == "input" and len(path) == 2)
