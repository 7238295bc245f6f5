"""Walks a flow along all its paths: skips, branches, failures and catches; finds where it may end in silence."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from interlock.compiler.call_ends import ASKED, UNCALLED, failures, questions, takes_identifier
from interlock.compiler.choices import procedures_of, tools_of
from interlock.compiler.copied_slots import bound_by
from interlock.compiler.flow_states import Result, Standing, Ways, merge, noted, split
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import listed_steps
from interlock.spec.steps import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

MAY_LACK = frozenset({"cells", "steps", "result"})
"""Roots that may hold nothing, so that a text over them may fail."""


MOST_WAYS = 64
"""Ways followed through a step; a flow with more is not checked for every way."""

MOST_STEPS = 50_000
"""Ways through steps that are followed in all; from then on, one each."""

MOST_DEEP = 64
"""Lists of steps within one another, counted through the flows that others run."""


@dataclass(slots=True)
class Walk:
    """One walk of an Agent's flows from every entry.

    `asked` are the call steps whose having a result some condition asks for; others make no difference to a way.
    `reached` are the steps that a way leads to; `caught` the kinds that may come to each `catch`;
    `answered` the tools whose result each `respond` may take (empty: none); `ends` how the flows of routes may end.
    `deep` are the steps that run a flow too deep within others; `clipped` says that not all ways were followed.
    `_taken` are the failures that a `catch` around takes, so that the person is not asked for what is lacking.
    """

    unit: Unit
    asked: frozenset[str]
    reached: set[Path] = field(default_factory=set)
    caught: dict[Path, set[str]] = field(default_factory=dict)
    answered: dict[Path, set[str]] = field(default_factory=dict)
    circles: dict[Path, str] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    ends: dict[str, Ways] = field(default_factory=dict)
    deep: dict[Path, str] = field(default_factory=dict)
    clipped: bool = False
    _lacking: set[Path] = field(default_factory=set)
    _known: dict[tuple[str, Standing, frozenset[str]], Result] = field(default_factory=dict)
    _taken: frozenset[str] = frozenset()
    _followed: int = 0
    _depth: int = 0

    def flow(self, flow: Part, ways: Ways, above: tuple[str, ...] = ()) -> Result:
        """All ends of a flow that begins in any of `ways`."""
        if flow.name not in self.entered:
            self.entered.add(flow.name)
            self._lacking.update(_lacking_in(flow))
        return self.steps(listed_steps(flow), ways, (*above, flow.name))

    def steps(self, steps: Sequence[Written], ways: Ways, above: tuple[str, ...]) -> Result:
        """All ends of a list of steps."""
        result = Result()
        self._depth += 1
        for step in steps:
            if not ways:
                break
            self.reached.add(step.path)
            after = self._step(step, ways, above)
            result.also(after)
            ways = self._bounded(after.on)
        self._depth -= 1
        result.on = ways
        return result

    def _bounded(self, ways: Ways) -> Ways:
        self._followed += len(ways)
        most = MOST_WAYS if self._followed < MOST_STEPS else 1
        if len(ways) <= most:
            return ways
        self.clipped = True
        return dict(islice(ways.items(), most))

    def _step(self, step: Written, ways: Ways, above: tuple[str, ...]) -> Result:
        held, passed_by = split(step.model.when, ways)
        outside = self._taken
        self._taken = outside | _taken_by(step)
        inner = self._action(step, held, above)
        self._taken = outside
        if step.model.when is not None or step.action == "switch":
            inner.fails(("error",), ways)
        result = self._catches(step, inner, above) if step.model.catch else inner
        if passed_by:
            merge(result.on, noted(passed_by, (*step.path, "when"), "this does not hold"))
        return result

    def _catches(self, step: Written, inner: Result, above: tuple[str, ...]) -> Result:
        result = Result(on=inner.on)
        for kind, ways in inner.raised.items():
            for index, (catch, steps) in enumerate(zip(step.model.catch, step.catches, strict=True)):
                if catch.errors is None or kind in catch.errors:
                    self.caught.setdefault((*step.path, "catch", index), set()).add(kind)
                    handled = self.steps(steps, ways, above)
                    merge(result.on, handled.on)
                    result.also(handled)
                    break
            else:
                result.fails((kind,), ways)
        return result

    def _action(self, step: Written, ways: Ways, above: tuple[str, ...]) -> Result:
        match step.action:
            case "call":
                return self._call(step, ways)
            case "collect":
                return self._collect(step, ways)
            case "run":
                return self._run(step, ways)
            case "generate":
                return self._generate(step, ways)
            case "act":
                return self._act(step, ways, tools_of(self.unit, step), procedures_of(self.unit, step))
            case "plan":
                result = self._act(step, ways, tools_of(self.unit, step), procedures_of(self.unit, step))
                result.fails(("model",), ways, ((*step.path, "plan"), "no plan may be carried out"))
                return result
            case "respond":
                lasts = {way.last for way in ways}
                self.answered.setdefault(step.path, set()).update(lasts)
                return self._said(step, ways)
            case "reply":
                return self._said(step, ways)
            case "refuse" | "handoff":
                result = self._said(step, ways)
                result.on = {}
                return result
            case "flow":
                return self._inline(step, ways, above)
            case "switch":
                return self._switch(step, ways, above)
            case "do":
                return self.steps(step.inner[0], ways, above)
            case _:
                result = Result(on=ways)
                result.fails(self._template_errors(step, "set"), ways)
                return result

    def _call(self, step: Written, ways: Ways) -> Result:
        name, several = step.model.call, bool(step.model.expand)
        tool = self.unit.find("tools", name)
        place, step_id = (*step.path, "call"), step.model.id or name
        asked = self._asked(step, tool)
        begun = dict(ways)
        if slot := next((slot for kind, slot in asked.items() if kind not in self._taken), ""):
            merge(begun, _later(ways, place, f"the call of {name!r} asks for {slot!r}, and is made in a later turn"))
        done: Ways = {}
        for way, trail in begun.items():
            merge(done, {way.called(name, several=several): trail})
        result = Result(on=dict(done))
        if step_id in self.asked:
            result.on = {way.succeeded(step_id): trail for way, trail in done.items()}
        reason = self._skipped_because(tool, step.model.with_ or {}) if tool is not None else ""
        if reason:
            skipped = begun if name in self.unit.skipping else ways
            merge(result.on, noted(skipped, place, f"the call of {name!r} is skipped: {reason}"))
        for kind in dict.fromkeys((*failures(tool), *asked)):
            before = begun if kind in UNCALLED else done
            result.fails((kind,), before, (place, f"the call of {name!r} ends in `{{kind}}`"))
        return result

    def _asked(self, step: Written, tool: Part | None) -> dict[str, str]:
        """The failures of a call that the person is asked about, each with a slot."""
        if tool is None:
            return {}
        return questions(self.unit, tool, bound_by(self.unit, tool, step.model.with_), step.model.expand or ())

    def _skipped_because(self, tool: Part, bound: Mapping[str, Any]) -> str:
        """A gate skips it, or its mount wants an intent and there is neither that nor an identifier."""
        if tool.name in self.unit.skipping:
            return f"gate {self.unit.skipping[tool.name]!r}"
        mount = self.unit.mount_of(tool.name)
        if mount is None or mount.model.intent is None:
            return ""
        if not takes_identifier(self.unit, tool, bound_by(self.unit, tool, bound)):
            return ""
        return f"neither intent {mount.model.intent!r} nor an identifier in the message"

    def _run(self, step: Written, ways: Ways) -> Result:
        """The turn ends with what is said meanwhile; the flow goes on, or fails, when the procedure has ended."""
        place = (*step.path, "run")
        name = step.model.run
        later = _later(ways, place, f"procedure {name!r} ends later")
        result = Result(on=dict(later))
        step_id = step.model.id or step.target
        if step_id in self.asked:
            result.on = {way.succeeded(step_id): trail for way, trail in result.on.items()}
        result.fails(("error", "cancelled"), later, (place, f"procedure {name!r} ends in `{{kind}}`"))
        result.fails(("missing", "ambiguous", "blocked"), ways, (place, f"the input of {name!r} is {{kind}}"))
        return result

    def _generate(self, step: Written, ways: Ways) -> Result:
        """Something is said, by the model or by the response of the only call, or filled in; or no model answers."""
        result = self._said(step, ways)
        if step.model.output is not None:
            result.on = dict(ways)
            result.fails(self._template_errors(step, "with"), ways)
        result.fails(("model",), ways, ((*step.path, "generate"), "no model answers"))
        return result

    def _act(self, step: Written, ways: Ways, tools: Sequence[str], procedures: Sequence[str]) -> Result:
        """Nothing is called, or one tool of those that may be, or several; what a call lacks is asked for.

        While a procedure runs the turn ends with what is said meanwhile, and the flow goes on in one of its own.
        """
        result = Result(on=dict(ways))
        for name in tools:
            merge(result.on, {way.called(name, several=False): trail for way, trail in ways.items()})
        for name in procedures:
            merge(result.on, _later(ways, (*step.path, step.action), f"procedure {name!r} ends later"))
        return result

    def _collect(self, step: Written, ways: Ways) -> Result:
        place = (*step.path, "collect")
        later = _later(ways, place, "the answer comes in a later turn")
        result = Result(on=dict(ways))
        merge(result.on, later)
        result.fails(("missing",), later, (place, "the question is not answered"))
        return result

    def _said(self, step: Written, ways: Ways) -> Result:
        result = Result(on={way.spoken(): trail for way, trail in ways.items()})
        result.fails(self._template_errors(step, step.action), ways)
        return result

    def _template_errors(self, step: Written, key: str) -> Iterable[str]:
        lacking = (*step.path, key) in self._lacking
        return ("error",) if lacking or step.action == "respond" else ()

    def _inline(self, step: Written, ways: Ways, above: tuple[str, ...]) -> Result:
        name = step.model.flow
        flow = self.unit.find("flows", name)
        if name in above:
            self.circles[(*step.path, "flow")] = name
        if flow is None or name in above:
            result = Result(on={way.spoken(): trail for way, trail in ways.items()})
            if self.unit.is_broken("flows", name):
                result.fails(get_args(ErrorKind), result.on)
            return result
        if self._depth >= MOST_DEEP:
            self.deep[(*step.path, "flow")] = name
            return Result(on={way.spoken(): trail for way, trail in ways.items()})
        result = Result()
        for way, trail in ways.items():
            key = (name, way, self._taken)
            if key not in self._known:
                self._known[key] = self.flow(flow, {way: ()}, above)
            result.after(trail, self._known[key])
        return result

    def _switch(self, step: Written, ways: Ways, above: tuple[str, ...]) -> Result:
        result = Result()
        for branch, steps in zip(step.model.switch, step.inner, strict=True):
            held, ways = split(branch.when, ways)
            inner = self.steps(steps, held, above)
            merge(result.on, inner.on)
            result.also(inner)
        if ways:
            merge(result.on, noted(ways, (*step.path, "switch"), "no branch holds"))
        return result


def _lacking_in(flow: Part) -> Iterator[Path]:
    """The places that hold, at any depth, an expression over what may hold nothing."""
    for site in sites_of(flow):
        if any(path[0] in MAY_LACK for path in read_paths(site)):
            yield from (site.path[:length] for length in range(1, len(site.path) + 1))


def _taken_by(step: Written) -> frozenset[str]:
    """The failures of calls that a step's own `catch` takes, of those that the person may be asked about."""
    kinds = [ASKED if catch.errors is None else catch.errors for catch in step.model.catch or ()]
    return frozenset(ASKED).intersection(kind for some in kinds for kind in some)


def _later(ways: Ways, place: Path, words: str) -> Ways:
    """The same ways in the turn in which they go on, and why that is a later one."""
    return noted({way.later(): trail for way, trail in ways.items()}, place, words)


def start() -> Ways:
    """A flow begins with nothing said or called."""
    return {Standing(): ()}
