"""Durations: none of nothing, and none so long that no clock can keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.walk import all_steps
from interlock.spec.durations import is_duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

LONGEST = "3650d"

MAY_BE_NOTHING = ("park",)
"""A run that waits for no `retry` ends at once."""


def check_durations(project: Project, findings: Findings) -> None:
    """All durations of all specs."""
    for unit in project.everything:
        for path, written in _durations(unit):
            if milliseconds(written) == 0 and path != MAY_BE_NOTHING:
                findings.error("empty-duration", f"`{path[-1]}` cannot be nothing", unit.value(*path))
            elif milliseconds(written) > milliseconds(LONGEST):
                findings.error("out-of-range", f"{written!r} is longer than {LONGEST}", unit.value(*path))


def _durations(unit: Unit) -> Iterator[tuple[Path, str]]:
    if unit.session is not None and unit.session.idle_timeout is not None:
        yield ("session", "idle_timeout"), unit.session.idle_timeout
    for part in (*unit.parts("servers").values(), *unit.parts("models").values()):
        yield from _of(part.model, part.path, "timeout")
    for part in unit.parts("tools").values():
        yield from _of(part.model, part.path, "timeout")
        if part.model.retry is not None:
            yield from _of(part.model.retry, (*part.path, "retry"), "backoff", "max_backoff")
        for name, argument in (part.model.input or {}).items():
            yield from _of(argument, (*part.path, "input", name), "max_age")
    if unit.work is not None:
        yield from _of(unit.work, (), "deadline", "park")
    for step in all_steps(unit):
        yield from _of_step(step)


def _of_step(step: Written) -> Iterator[tuple[Path, str]]:
    model, path = step.model, step.path
    yield from _of(model, path, "timeout")
    if step.action == "call" and model.repeat is not None:
        yield from _of(model.repeat, (*path, "repeat"), "every", "timeout")
    if step.action == "wait" and is_duration(model.wait):
        yield (*path, "wait"), model.wait


def _of(model: Any, path: Path, *keys: str) -> Iterator[tuple[Path, str]]:
    for key in keys:
        if getattr(model, key) is not None:
            yield (*path, key), getattr(model, key)
