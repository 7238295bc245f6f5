"""What an answer means: its declared or undeclared outcome, its business part, and whether that is as declared.

Needs no turn: the shell that makes a call asks here too, to know whether another attempt may help.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock.expressions import Expression
from interlock.expressions.compile import compile_all
from interlock.interpreter.cells import at_path
from interlock.plan.base import Text
from interlock.plan.fields import misfits_of, only_declared
from interlock.plan.tools import Tool

Meaning: TypeAlias = Literal["success", "blocked", "error", "timeout"]
Rules: TypeAlias = tuple[Callable[[dict[str, Any]], Any] | None, ...]
"""The compiled `when` of each declared outcome, in order; None for one that always holds."""

REQUEST_TIMEOUT = 408
TIMEOUTS = frozenset({REQUEST_TIMEOUT, 504})
MISFITS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Classified:
    """An outcome; `missing` names the argument a blocked call lacks, `message` is not rendered yet, `at` the rule."""

    outcome: Meaning
    missing: str = ""
    message: Text | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Understood:
    """The business part of a successful answer, or in words why it is not what the tool declares."""

    result: Any = None
    problem: str = ""


def rules_of(tool: Tool) -> Rules:
    """The conditions of the declared outcomes, compiled together."""
    compiled = compile_all({at: Expression(rule.when) for at, rule in enumerate(tool.outcomes) if rule.when})
    return tuple(compiled.get(at) for at in range(len(tool.outcomes)))


def classify(tool: Tool, status: int, payload: Any, rules: Rules) -> Classified:
    """The first declared outcome that holds; undeclared, what the status says."""
    context = {"payload": payload, "status": status}
    for declared, holds in zip(tool.outcomes, rules, strict=True):
        if holds is None or holds(context):
            return Classified(declared.outcome, declared.missing, declared.message, declared.at)
    if status in TIMEOUTS:
        return Classified("timeout")
    return Classified("success" if 200 <= status < 300 else "error")


def refused(status: int | None) -> bool:
    """Whether a status says that the service has not done what was asked. A gateway says 408 for it, unasked."""
    return status is not None and 400 <= status < 500 and status != REQUEST_TIMEOUT


def may_have_acted(meaning: Classified, status: int | None) -> bool:
    """Whether a request that was not answered with success may have had its effect; what the author says counts."""
    return meaning.outcome == "timeout" if meaning.at else not refused(status)


def understand(tool: Tool, payload: Any) -> Understood:
    """The value at `unwrap`, with only what `output` declares, once all of it is as declared."""
    there, result = at_path(payload, tool.unwrap)
    if not there:
        return Understood(problem=f"the answer has nothing at `unwrap`: {tool.unwrap}")
    if tool.output is None:
        return Understood(result)
    if not isinstance(result, dict):
        return Understood(problem="the answer is not as `output` says: not an object")
    wrong = [str(misfit) for misfit in misfits_of(tool.output, result)]
    if wrong:
        more = f" (and {len(wrong) - MISFITS_SHOWN} more)" if len(wrong) > MISFITS_SHOWN else ""
        return Understood(problem=f"the answer is not as `output` says: {'; '.join(wrong[:MISFITS_SHOWN])}{more}")
    return Understood(only_declared(tool.output, result))
