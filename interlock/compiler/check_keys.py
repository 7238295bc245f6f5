"""Idempotency keys that an author makes: two effects with one key are one effect, and the second is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.compiler.apart import loops_around, relation
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import all_steps, step_ids, steps_of
from interlock.compiler.written import strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written

    Read = tuple[str, ...]

NEVER_THE_SAME = frozenset({"conditions", "decisions", "now"})
"""Roots that are worked out anew at every place."""

ALWAYS_THE_SAME = frozenset({"input", "config", "run"})


def check_keys(project: Project, findings: Findings) -> None:
    """The keys of all tools, and of all calls that procedures make of them."""
    for unit in project.everything:
        for tool in unit.parts("tools").values():
            _unstable(tool, findings)
    for unit in project.procedures:
        calls = [step for step in all_steps(unit) if step.action == "call"]
        keyed = [Keyed(unit, step, tool) for step in calls for tool in _with_key(unit, step)]
        _in_loops(unit, keyed, findings)
        _between_steps(unit, keyed, findings)


def _unstable(tool: Part, findings: Findings) -> None:
    if any(root == "now" for root, *_ in _key_reads(tool)):
        message = "the key reads the time: the same call would have another key when it is made again"
        hint = "make it of what the effect is about"
        findings.error("unstable-key", message, tool.value("idempotency", "key"), hint=hint)


def _with_key(unit: Unit, step: Written) -> Iterator[Part]:
    tool = unit.find("tools", step.model.call)
    if tool is not None and tool.model.idempotency is not None and tool.model.idempotency.key is not None:
        yield tool


def _key_reads(tool: Part) -> list[Read]:
    path = (*tool.path, "idempotency", "key")
    return [read for site in sites_of(tool) if site.path == path for read in read_paths(site)]


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call whose key the author makes."""

    unit: Unit
    step: Written
    tool: Part

    def reads(self) -> Iterator[Read]:
        """What the key is made of, through the arguments that it reads."""
        for read in _key_reads(self.tool):
            yield from self._behind(read[1]) if read[0] == "args" and len(read) > 1 else (read,)

    def _behind(self, name: str) -> Iterator[Read]:
        argument = (self.tool.model.input or {}).get(name)
        if argument is None:
            return
        if argument.from_ is None:
            yield from _in_value(argument.value)
        elif argument.from_ == "caller":
            yield from _in_value((self.step.model.with_ or {}).get(name))
        else:
            yield tuple(argument.from_.split("."))

    def bound(self) -> tuple[str, ...]:
        """The values bound to the arguments that the key reads, as written."""
        given = self.step.model.with_ or {}
        return tuple(repr(given.get(read[1])) for read in _key_reads(self.tool) if read[0] == "args" and len(read) > 1)


def _in_value(value: Any) -> Iterator[Read]:
    for _, text in strings(value, ()):
        yield from paths_of(text, template=True)


def _in_loops(unit: Unit, keyed: list[Keyed], findings: Findings) -> None:
    for call in keyed:
        reads = list(call.reads())
        for loop in reversed(loops_around(unit, call.step.path)):
            if not _any_differs(reads, _differing(unit, loop)):
                message = (
                    f"the key of {call.tool.name!r} is the same for every item: only the first would have its effect"
                )
                place = unit.key(*call.step.path, "call")
                also = (
                    (call.tool.value("idempotency", "key"), "the key"),
                    (unit.key(*loop.path, "for_each"), "the loop"),
                )
                hint = "let the key read an argument that is different for each item, or leave it to the engine"
                findings.error("same-key", message, place, also=also, hint=hint)
                break


def _any_differs(reads: Iterable[Read], differing: set[Read]) -> bool:
    return any(read[0] in NEVER_THE_SAME or read[:1] in differing or read[:2] in differing for read in reads)


def _differing(unit: Unit, loop: Written) -> set[Read]:
    """What may be another value in another pass of a loop."""
    memo = ("differing", loop.path)
    if memo not in unit.memo:
        unit.memo[memo] = _worked_out(loop)
    found: set[Read] = unit.memo[memo]
    return found


def _worked_out(loop: Written) -> set[Read]:
    body = list(steps_of(loop.model.for_each.do, (*loop.path, "for_each", "do")))
    ids = step_ids(body)
    found: set[Read] = {(loop.model.for_each.as_,)}
    for step in body:
        match step.action:
            case "call":
                found |= {("cells", step.model.call), ("steps", ids[step.path])}
            case "run" | "receive":
                found.add(("steps", ids[step.path]))
            case "set":
                names = [name for name, value in step.model.set.items() if _any_differs(_in_value(value), found)]
                found |= {("vars", name) for name in names}
            case "for_each" if _any_differs(_in_value(step.model.for_each.items), found):
                found.add((step.model.for_each.as_,))
    return found


def _between_steps(unit: Unit, keyed: list[Keyed], findings: Findings) -> None:
    """Two calls of one tool in one run whose keys are made of the same values."""
    stable = _stable(unit)
    alike: defaultdict[Any, list[Keyed]] = defaultdict(list)
    for call in keyed:
        loops = loops_around(unit, call.step.path)
        items = {loop.model.for_each.as_ for loop in loops}
        if all(read[0] in items or read[0] in ALWAYS_THE_SAME or read[:2] in stable for read in call.reads()):
            alike[call.tool, call.bound(), tuple(loop.path for loop in loops)].append(call)
    for calls in alike.values():
        first = calls[0]
        for call in calls[1:]:
            if relation(unit, first.step.path, call.step.path) not in ("exclusive", "caught"):
                message = f"the key of {call.tool.name!r} is the same here as at another step: this call has no effect"
                also = (
                    (unit.key(*first.step.path, "call"), "the other step"),
                    (call.tool.value("idempotency", "key"), "the key"),
                )
                hint = "let the key read an argument in which they differ, or leave it to the engine"
                findings.error("same-key", message, unit.key(*call.step.path, "call"), also=also, hint=hint)


def _stable(unit: Unit) -> set[Read]:
    """Cells, results and variables that have one value in a run or pass: one step alone gives it."""
    steps = list(all_steps(unit))
    ids = step_ids(steps)
    given: Counter[Read] = Counter()
    for step in steps:
        if step.action == "call":
            given[("cells", step.model.call)] += 1
        elif step.action == "set":
            given.update(("vars", name) for name in step.model.set)
        given[("steps", ids[step.path])] += 1
    return {read for read, times in given.items() if times == 1}
