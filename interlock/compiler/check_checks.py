"""Checks that read: one after a call is about its answer, and one that calls first is about what that call found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.demands import demand_of, used_by
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part
    from interlock.compiler.written import Path

ANSWER = frozenset({"result", "payload", "status"})
"""Roots that hold what a call has brought."""


def check_checks(project: Project, findings: Findings) -> None:
    """All tools, and all conditions with `call`."""
    for unit in project.everything:
        for tool in unit.parts("tools").values():
            _tool(tool, findings)
        for condition in unit.parts("conditions").values():
            if condition.model.call is not None:
                _read_in_vain(condition, condition.path, condition.model.call, findings)


def _tool(tool: Part, findings: Findings) -> None:
    for key in ("requires", "ensures"):
        for index, check in enumerate(getattr(tool.model, key) or ()):
            path = (*tool.path, key, index)
            if check.call is not None:
                _read_in_vain(tool, path, check.call, findings)
            elif key == "ensures":
                _after(tool, path, check.condition, findings)
    if tool.model.read_back is not None:
        _read_in_vain(tool, (*tool.path, "read_back"), tool.model.read_back.call, findings)


def _read_in_vain(part: Part, path: Path, called: str, findings: Findings) -> None:
    sites = [site for site in sites_of(part) if site.path == (*path, "that")]
    if sites and not _reads_answer(sites):
        message = f"{called!r} is called first, and nothing is asked of its `result`"
        hint = "say what its `result` must show, or leave the call out"
        also = ((part.unit.value(*path, "call"), "the call"),)
        findings.error("check-without-answer", message, part.unit.value(*path, "that"), also=also, hint=hint)


def _after(tool: Part, path: Path, named: str | None, findings: Findings) -> None:
    """A check after a call that would hold, or not, without the call as well."""
    condition = tool.unit.find("conditions", named) if named is not None else None
    sites = [site for site in sites_of(tool) if site.path == (*path, "that")]
    asks = _calls_first(condition) if condition is not None else not sites or _reads_answer(sites)
    if not asks:
        message = f"this is checked after {tool.name!r}, and asks nothing of its answer: the call does not change it"
        hint = "ask something of `result`, or `call` what shows the effect; what must hold before stands in `requires`"
        key = "that" if named is None else "condition"
        findings.error("check-without-answer", message, tool.unit.value(*path, key), hint=hint)


def _reads_answer(sites: Iterable[Site]) -> bool:
    """Whether any is about the answer of a call, or asks a condition or table that makes one."""
    reads = any(path[0] in ANSWER for site in sites for path in read_paths(site))
    return reads or any(_calls_first(part) for site in sites for part in used_by(site))


def _calls_first(part: Part) -> bool:
    return demand_of(part).reads is not None
