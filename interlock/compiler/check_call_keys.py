"""Keys that one call makes wrong by itself: made of the time, or the same for all values that `expand` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.demands import COMPUTED
from interlock.compiler.keyed_calls import keyed_calls, made_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.keyed_calls import Keyed
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part

STAYS = "make it of what the effect is about"


def check_call_keys(project: Project, findings: Findings) -> None:
    """The keys of all tools, and of all calls of them."""
    told = {part for unit in project.everything for part in unit.parts("tools").values() if _unstable(part, findings)}
    for unit in project.runnable:
        for call in keyed_calls(unit):
            if call.tool not in told:
                _bound(call, findings)
            _expanded(call, findings)


def _unstable(tool: Part, findings: Findings) -> bool:
    """Whether a key is made of the time, whatever its callers bind."""
    if not any(root == "now" for root, *_ in made_of(tool, lambda _: ())):
        return False
    message = "the key reads the time: the same call would have another key when it is made again"
    findings.error("unstable-key", message, tool.value("idempotency", "key"), hint=STAYS)
    return True


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
