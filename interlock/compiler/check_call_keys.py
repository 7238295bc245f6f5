"""Keys that one call makes wrong by itself: of the time, of constants, or the same for all values of `expand`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.demands import COMPUTED
from interlock.compiler.key_origins import Fixed, fixed_by_nothing
from interlock.compiler.keyed_calls import keyed_calls, made_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.keyed_calls import Keyed, Read
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit

STAYS = "make it of what the effect is about"

TELLS_APART = "let the key read an argument that tells the effects apart, or leave it to the engine"

BOUND: Read = ("args",)
"""What a caller binds, which may be anything."""


def check_call_keys(project: Project, findings: Findings) -> None:
    """The keys of all tools, and of all calls of them."""
    tools = [part for unit in project.everything for part in unit.parts("tools").values()]
    told = {part for part in tools if _unstable(part, findings) or _constant(part, findings)}
    for unit in project.runnable:
        for call in keyed_calls(unit):
            if call.tool not in told:
                _bound(call, findings)
            _expanded(call, findings)
        for one in _of_constants(unit):
            if one.call.tool not in told:
                _tell_of_constants(unit, one, findings)


def _unstable(tool: Part, findings: Findings) -> bool:
    """Whether a key is made of the time, whatever its callers bind."""
    if not any(root == "now" for root, *_ in made_of(tool, lambda _: ())):
        return False
    message = "the key reads the time: the same call would have another key when it is made again"
    findings.error("unstable-key", message, tool.value("idempotency", "key"), hint=STAYS)
    return True


def _constant(tool: Part, findings: Findings) -> bool:
    """Whether a key is made of constants, whatever its callers bind."""
    declared = tool.model.idempotency
    if declared is None or declared.key is None or not _never_differs(made_of(tool, lambda _: (BOUND,))):
        return False
    message = "the key is always the same: the effect of a second run would be taken for the first one's, and be lost"
    findings.error("constant-key", message, tool.value("idempotency", "key"), hint=TELLS_APART)
    return True


def _of_constants(unit: Unit) -> Iterable[Fixed]:
    """The calls of an Agent or Procedure, and of those that it runs, whose keys are constant only by what it binds."""
    if unit.work is None:
        return [Fixed(call, None) for call in keyed_calls(unit) if _never_differs(call.reads())]
    return [one for one in fixed_by_nothing(unit) if not (one.way and _is_constant_below(one))]


def _is_constant_below(one: Fixed) -> bool:
    unit, step = one.way[0]
    return one.call in [below.call for below in fixed_by_nothing(unit.procedures[step.model.run])]


def _tell_of_constants(unit: Unit, one: Fixed, findings: Findings) -> None:
    call, step = one.call, one.way[0][1] if one.way else one.call.step
    message = f"the key of {call.tool.name!r} is made of constants here: a second run would have the same, to no effect"
    also: Also = ((call.tool.value("idempotency", "key"), "the key"),)
    if one.way:
        also = (*also, (call.unit.key(*call.step.path, "call"), "the call"))
    findings.error("constant-key", message, unit.key(*step.path, step.action), also=also, hint=TELLS_APART)


def _never_differs(reads: Iterable[Read]) -> bool:
    return all(root == "config" for root, *_ in reads)


def _bound(call: Keyed, findings: Findings) -> None:
    if any(root == "now" for root, *_ in call.reads()):
        message = f"the key of {call.tool.name!r} reads the time here: it would be another when the call is made again"
        also = ((call.tool.value("idempotency", "key"), "the key"),)
        findings.error("unstable-key", message, call.unit.key(*call.step.path, "call"), also=also, hint=STAYS)


def _expanded(call: Keyed, findings: Findings) -> None:
    reads = {read[:2] for read in call.reads()}
    if ("cells", call.tool.name) in reads or any(root in COMPUTED for root, *_ in reads):
        return  # each call finds there what the one before has left, or what is found out anew
    for index, name in enumerate(call.step.model.expand or ()):
        if ("slots", name) not in reads:
            message = f"the key of {call.tool.name!r} is the same for every value of slot {name!r}"
            also = ((call.tool.value("idempotency", "key"), "the key"),)
            hint = f"let the key read the argument that comes from `slots.{name}`, or leave it to the engine"
            place = call.unit.value(*call.step.path, "expand", index)
            findings.error("same-key", message, place, also=also, hint=hint)
