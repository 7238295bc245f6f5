"""Named conditions within a context, some of which read first: their calls are made when an expression asks.

Evaluation itself cannot wait. One that meets a condition whose call is not made yet is left, the call is made, and
the evaluation begins again with what it found; so `a or b` makes the call of `b` only if `a` does not hold.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.expressions import Missing, NotMet

if TYPE_CHECKING:
    from interlock.interpreter.context import Context
    from interlock.interpreter.turn import Calling, CallResult, Turn
    from interlock.plan.rules import Condition

Reader: TypeAlias = "Callable[[str, Mapping[str, Any], Context, str], Calling[CallResult]]"
"""Makes one call of a tool that reads, with bound values and the context of who asks, at a place; fills no cells."""

Verdict: TypeAlias = bool | NotMet


class NeedsRead(Exception):  # noqa: N818 - it interrupts an evaluation, and is always answered
    """A condition was asked for whose call has not been made."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Assertions:
    """Conditions as they stand for one asker, each call made at most once; `reads` holds those made."""

    def __init__(self, turn: "Turn", reader: Reader, context: "Context") -> None:
        self.turn = turn
        self.known: dict[str, Verdict] = {}
        self.reads: list[CallResult] = []
        self.context = context.extended(conditions=_Root(self))
        """The asker's context, with a root `conditions` whose conditions are computed in it."""
        self._reader = reader

    def now(self, expression: str, context: "Context | None" = None) -> Verdict:
        """Whether `expression` holds; raises NeedsRead when that depends on a call not made yet."""
        verdict: Verdict = self.turn.program.condition(expression)(self.context if context is None else context)
        return verdict

    def holds(self, expression: str, context: "Context | None" = None) -> "Calling[Verdict]":
        """Whether `expression` holds, making the calls it comes to need."""
        while True:
            try:
                return self.now(expression, context)
            except NeedsRead as needed:
                yield from self.named(needed.name)

    def named(self, name: str) -> "Calling[Verdict]":
        """Whether the condition of that name holds."""
        if name not in self.known:
            self.known[name] = yield from self._asserted(self.turn.program.plan.conditions[name])
        return self.known[name]

    def read(self, tool: str, bind: Mapping[str, Any], at: str) -> "Calling[Context | NotMet]":
        """The asker's context with the `result` of a reading call; not met, if the call did not succeed."""
        result = yield from self._reader(tool, bind, self.context, at)
        self.reads.append(result)
        if result.outcome != "success":
            return NotMet("missing", f"result of {tool} ({result.outcome})")
        return self.context.extended(result=result.result, payload=result.payload)

    def _asserted(self, condition: "Condition") -> "Calling[Verdict]":
        if not condition.call:
            return (yield from self.holds(condition.that))
        found = yield from self.read(condition.call, condition.bind, condition.at)
        return found if isinstance(found, NotMet) else (yield from self.holds(condition.that, found))


class _Root(dict[str, bool]):
    """The context root `conditions`. One that cannot be decided leaves whoever asks undecided too."""

    def __init__(self, assertions: Assertions) -> None:
        super().__init__()
        self._assertions = assertions

    def __missing__(self, name: str) -> bool:
        known = self._assertions.known
        if name not in known:
            condition = self._assertions.turn.program.plan.conditions[name]
            if condition.call:
                raise NeedsRead(name)
            known[name] = self._assertions.now(condition.that)
        verdict = known[name]
        if isinstance(verdict, NotMet):
            raise Missing(verdict.path, verdict.reason)
        return verdict
