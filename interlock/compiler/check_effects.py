"""Tools that write: a key for every effect, a check after it, and no write where something is only looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.walk import all_steps
from interlock.spec.tools import WRITING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path


def check_effects(project: Project, findings: Findings) -> None:
    """All tools of all specs, and all places that may only read."""
    for unit in project.everything:
        for part in unit.parts("tools").values():
            if writes(part):
                _promises(part, findings)
                _key(part, findings)
            else:
                _without_use(part, findings)
        for path, name, why in _reading_places(unit):
            _only_reads(unit, path, name, why, findings)
        _repeats(unit, findings)


def writes(tool: Part) -> bool:
    """Whether a tool changes something outside."""
    return tool.model.effect in WRITING


def _promises(part: Part, findings: Findings) -> None:
    tool, effect = part.model, part.model.effect
    place = part.value("effect")
    if tool.idempotency is None:
        message = f"{part.name!r} says `effect: {effect}`, and not how a repeated request is known"
        hint = "say `idempotency: {header: Idempotency-Key}`, or `idempotency: {none: …}` with the reason"
        findings.error("write-without-key", message, place, hint=hint)
    if not tool.ensures:
        message = f"{part.name!r} says `effect: {effect}`, and nothing is checked after the call"
        hint = "say under `ensures` what its answer must show: `- that: result.status == 'DONE'`"
        findings.error("write-without-check", message, place, hint=hint)


def _without_use(part: Part, findings: Findings) -> None:
    tool = part.model
    for key in ("idempotency", "read_back"):
        if getattr(tool, key) is not None:
            message = f"`{key}` is about effects, and {part.name!r} says `effect: {tool.effect}`"
            hint = "take it out, or say `effect: write` if the call changes something"
            findings.error("key-without-effect", message, part.key(key), hint=hint)


def _key(part: Part, findings: Findings) -> None:
    """How the key travels: as a header that can be one, or as an argument of its own."""
    tool = part.model
    written = tool.idempotency
    if written is None:
        return
    if written.none is not None and tool.retry is not None and tool.retry.attempts > 1:
        message = f"{tool.retry.attempts} attempts, and no key by which the service knows the second for the first"
        also = ((part.key("idempotency", "none"), "no key"),)
        hint = "write `attempts: 1`, leave `retry` out, or give it a key"
        findings.error("retry-without-key", message, part.value("retry", "attempts"), also=also, hint=hint)
    if written.header is not None and tool.http is None:
        message = "only a tool over HTTP has headers"
        place = part.value("idempotency", "header")
        findings.error("key-without-effect", message, place, hint="let an `argument` carry the key")
    if written.argument is not None:
        _argument(part, written.argument, findings)


def _argument(part: Part, wire: str, findings: Findings) -> None:
    for name, argument in (part.model.input or {}).items():
        if wire in (name, argument.send_as or name):
            message = f"the engine fills {wire!r} with the key, and `input` fills it too"
            also = ((part.key("input", name), "declared here"),)
            hint = f"take {name!r} out of `input`; what the key is made of stands under `idempotency.key`"
            place = part.value("idempotency", "argument")
            findings.error("key-argument-taken", message, place, also=also, hint=hint)


def _reading_places(unit: Unit) -> Iterator[tuple[Path, str, str]]:
    """Where a tool is called to find something out, with its name and what calls it."""
    for part in unit.parts("conditions").values():
        if part.model.call is not None:
            yield (*part.path, "call"), part.model.call, "a condition"
    for part in unit.parts("tools").values():
        for key in ("requires", "ensures"):
            for index, check in enumerate(getattr(part.model, key) or ()):
                if check.call is not None:
                    yield (*part.path, key, index, "call"), check.call, f"a check of `{key}`"
        if part.model.read_back is not None:
            yield (*part.path, "read_back", "call"), part.model.read_back.call, "`read_back`"


def _only_reads(unit: Unit, path: Path, name: str, why: str, findings: Findings) -> None:
    tool = unit.find("tools", name)
    if tool is not None and writes(tool):
        message = f"{why} finds something out, and {name!r} says `effect: {tool.model.effect}`"
        also = ((tool.value("effect"), "it writes"),)
        hint = "call a tool that only reads"
        findings.error("write-in-check", message, unit.value(*path), also=also, hint=hint)


def _repeats(unit: Unit, findings: Findings) -> None:
    for step in all_steps(unit):
        if step.action != "call" or step.model.repeat is None:
            continue
        tool = unit.find("tools", step.model.call)
        if tool is not None and writes(tool):
            message = f"`repeat` would make the effect of {tool.name!r} again and again"
            also = ((tool.value("effect"), "it writes"),)
            hint = "write once, and let a call that reads repeat until it is done"
            findings.error("repeated-write", message, unit.key(*step.path, "repeat"), also=also, hint=hint)
