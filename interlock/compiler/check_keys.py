"""Idempotency keys that an author makes: two effects with one key are one effect, and the second is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.apart import loops_around
from interlock.compiler.check_alike import check_alike
from interlock.compiler.key_origins import calls_of_child, follow_keys, given_for
from interlock.compiler.keyed_calls import keyed_calls, reads_in
from interlock.compiler.walk import all_steps, every, step_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.findings import Findings
    from interlock.compiler.key_origins import Fixed
    from interlock.compiler.keyed_calls import Keyed, Read
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written

NEVER_THE_SAME = frozenset({"conditions", "decisions", "error", "now"})
"""Roots that are worked out anew at every place."""

MOST_NAMED = 12
"""Procedures of a way that are named: the first and the last of a longer one."""


def check_keys(project: Project, findings: Findings) -> None:
    """The keys of all calls that procedures make."""
    follow_keys(project.procedures)
    for unit in project.procedures:
        keyed = keyed_calls(unit)
        _in_loops(unit, keyed, findings)
        check_alike(unit, keyed, findings)
        for step in all_steps(unit):
            if step.action == "run" and loops_around(unit, step.path):
                _in_child(unit, step, findings)


def _in_loops(unit: Unit, keyed: list[Keyed], findings: Findings) -> None:
    for call in keyed:
        reads = list(call.reads())
        loop = _loop_of_one_key(unit, call.step, reads)
        if loop is not None:
            message = f"the key of {call.tool.name!r} is the same for every item: only the first would have its effect"
            also = ((call.tool.value("idempotency", "key"), "the key"), (unit.key(*loop.path, "for_each"), "the loop"))
            hint = "let the key read an argument that is different for each item, or leave it to the engine"
            findings.error("same-key", message, unit.key(*call.step.path, "call"), also=also, hint=hint)


def _in_child(unit: Unit, step: Written, findings: Findings) -> None:
    """A child has a run of its own; a key that is made of its input alone is as different as that is."""
    for inputs, calls in calls_of_child(unit, step).items():
        loop = _loop_of_one_key(unit, step, list(given_for(unit, step, inputs)))
        if loop is not None:
            for one in calls:
                _tell_of_child(unit, step, loop, one, findings)


def _tell_of_child(unit: Unit, step: Written, loop: Written, one: Fixed, findings: Findings) -> None:
    call, runs = one.call, one.way
    names: tuple[str, ...] = (step.model.run, *(run.model.run for _, run in runs))
    if len(runs) > MOST_NAMED:
        half = MOST_NAMED // 2
        runs, names = (*runs[:half], *runs[-half:]), (*names[:half], "…", *names[-half:])
    message = f"{' → '.join(names)!r} calls {call.tool.name!r} with a key that is the same for every item"
    also = (
        (call.tool.value("idempotency", "key"), "the key"),
        (call.unit.key(*call.step.path, "call"), "the call"),
        *((owner.key(*run.path, "run"), f"{run.model.run!r} is run") for owner, run in reversed(runs)),
        (unit.key(*loop.path, "for_each"), "the loop"),
    )
    hint = "give it an input that is different for each item, and let the key read it"
    findings.error("same-key", message, unit.key(*step.path, "run"), also=also, hint=hint)


def _loop_of_one_key(unit: Unit, step: Written, reads: list[Read]) -> Written | None:
    """The innermost loop around a step in which nothing of what a key reads can differ."""
    around = reversed(loops_around(unit, step.path))
    return next((loop for loop in around if not _any_differs(reads, _differing(unit, loop))), None)


def _any_differs(reads: Iterable[Read], differing: set[Read]) -> bool:
    return any(read[0] in NEVER_THE_SAME or read[:1] in differing or read[:2] in differing for read in reads)


def _differing(unit: Unit, loop: Written) -> set[Read]:
    """What may be another value in another pass of a loop."""
    memo = ("differing", loop.path)
    if memo not in unit.memo:
        unit.memo[memo] = _worked_out(unit, loop)
    found: set[Read] = unit.memo[memo]
    return found


def _worked_out(unit: Unit, loop: Written) -> set[Read]:
    body = list(every(loop.inner[0]))
    ids = step_ids(body)
    found: set[Read] = {(loop.model.for_each.as_,)}
    for step in body:
        match step.action:
            case "call":
                found |= {("cells", step.model.call), ("steps", ids[step.path])}
            case "run" | "receive":
                found.add(("steps", ids[step.path]))
            case "set":
                names = [name for name, value in step.model.set.items() if _any_differs(reads_in(unit, value), found)]
                found |= {("vars", name) for name in names}
            case "for_each" if _any_differs(reads_in(unit, step.model.for_each.items), found):
                found.add((step.model.for_each.as_,))
    return found
