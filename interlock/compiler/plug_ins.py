"""What other packages bring must be there where a spec is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.findings import suggestion
from interlock.plan.plug_ins import UnusablePlugInError

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.compiler.findings import Findings
    from interlock.diagnostics import Location


def check_brought(
    code: str,
    name: str,
    load: Callable[[str], object],
    names: Callable[[], list[str]],
    place: Location,
    findings: Findings,
) -> None:
    """A name that nobody brings, or that cannot be used; `code` is `unknown-` and what it should be."""
    what = code.removeprefix("unknown-")
    try:
        load(name)
    except UnusablePlugInError as problem:
        known = names()
        there = name in known
        message = f"{what} {name!r} cannot be used: {problem}" if there else f"there is no {what} {name!r}"
        hint = "" if there else suggestion(name, known, none=f"no installed package brings a {what}")
        findings.error(code, message, place, hint=hint)
