"""Idempotency keys that an author makes: two effects with one key are one effect, and the second is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from interlock.compiler.apart import loops_around, relation
from interlock.compiler.key_origins import calls_of_child, follow_keys, given_for
from interlock.compiler.keyed_calls import keyed_calls, reads_in
from interlock.compiler.walk import all_steps, every, step_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.key_origins import Fixed
    from interlock.compiler.keyed_calls import Keyed, Read
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

NEVER_THE_SAME = frozenset({"conditions", "decisions", "error", "now"})
"""Roots that are worked out anew at every place."""

ALWAYS_THE_SAME = frozenset({"input", "config", "run"})

MOST_NAMED = 12
"""Procedures of a way that are named: the first and the last of a longer one."""


def check_keys(project: Project, findings: Findings) -> None:
    """The keys of all calls that procedures make."""
    follow_keys(project.procedures)
    for unit in project.procedures:
        keyed = keyed_calls(unit)
        _in_loops(unit, keyed, findings)
        _between_steps(unit, keyed, findings)
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


def _between_steps(unit: Unit, keyed: list[Keyed], findings: Findings) -> None:
    """Two calls of one tool in one run, or by two runs of one procedure, whose keys are made of the same values."""
    told: set[Path] = set()
    for calls in _alike(unit, keyed):
        first, _ = calls[0]
        for step, call in calls[1:]:
            if step.path not in told and relation(unit, first.path, step.path) not in ("exclusive", "caught"):
                told.add(step.path)
                _tell_of_another(unit, first, step, call, findings)


def _alike(unit: Unit, keyed: list[Keyed]) -> Iterable[list[tuple[Written, Keyed]]]:
    """Steps of whose calls the keys are alike, each with one such call."""
    stable = _stable(unit)
    alike: defaultdict[Any, list[tuple[Written, Keyed]]] = defaultdict(list)

    def add(step: Written, call: Keyed, reads: Iterable[Read], *known_by: Any) -> None:
        loops = loops_around(unit, step.path)
        items = {loop.model.for_each.as_ for loop in loops}
        if all(read[0] in items or read[0] in ALWAYS_THE_SAME or read[:2] in stable for read in reads):
            alike[(*known_by, *(loop.path for loop in loops))].append((step, call))

    for call in keyed:
        add(call.step, call, call.reads(), call.tool, call.bound())
    for step in all_steps(unit):
        for inputs, calls in calls_of_child(unit, step).items():
            given = step.model.with_ or {}
            values = tuple(repr(given.get(name)) for name in sorted(inputs))
            add(step, calls[0].call, given_for(unit, step, inputs), step.model.run, inputs, values)
    return alike.values()


def _tell_of_another(unit: Unit, first: Written, step: Written, call: Keyed, findings: Findings) -> None:
    also: Also = (
        (unit.key(*first.path, first.action), "the other step"),
        (call.tool.value("idempotency", "key"), "the key"),
    )
    if step.action == "call":
        message = f"the key of {call.tool.name!r} is the same here as at another step: this call has no effect"
        hint = "let the key read an argument in which they differ, or leave it to the engine"
    else:
        message = f"{step.model.run!r} calls {call.tool.name!r} with the same key as at another step, to no effect"
        also = (*also, (call.unit.key(*call.step.path, "call"), "the call"))
        hint = "give it an input in which they differ, and let the key read it"
    findings.error("same-key", message, unit.key(*step.path, step.action), also=also, hint=hint)


def _stable(unit: Unit) -> set[Read]:
    """Cells, results and variables that have one value in a run or pass: one step alone gives it."""
    steps = all_steps(unit)
    ids = step_ids(steps)
    given: Counter[Read] = Counter()
    for step in steps:
        if step.action == "call":
            given[("cells", step.model.call)] += 1
        elif step.action == "set":
            given.update(("vars", name) for name in step.model.set)
        given[("steps", ids[step.path])] += 1
    return {read for read, times in given.items() if times == 1}
