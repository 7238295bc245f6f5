"""Answers a text the slow way and shows the value of every part of it, for records and people."""

from dataclasses import dataclass
from typing import Any

from interlock.expressions.evaluate import Evaluation
from interlock.expressions.generate_pages import PageWriter
from interlock.expressions.nodes import Expr
from interlock.expressions.outcomes import Context, Missing, NotMet
from interlock.expressions.parser import parse_expression
from interlock.expressions.templates import only_expression, parse_template


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a text that was evaluated; where it has no value, `value` is the `NotMet` that says why."""

    text: str
    offset: int
    value: Any


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer and its parts in the order of evaluation; what a short circuit left out is not there."""

    result: Any
    parts: tuple[Part, ...]


def explain(text: str, context: Context) -> Explained:
    """A condition: True, False or `NotMet`, as the compiled form gives it. Raises ExpressionError."""
    tree = parse_expression(text)
    PageWriter().expression(tree)  # refuses what cannot be compiled either
    evaluation = Evaluation(context)
    evaluation.steps = []
    try:
        result: Any = bool(evaluation.value(tree))
    except Missing as missing:
        result = NotMet(missing.reason, missing.path)
    return Explained(result, _parts(text, evaluation.steps))


def explain_template(text: str, context: Context) -> Explained:
    """A template: its value, or the `NotMet` that says why there is none."""
    blocks = parse_template(text)
    PageWriter().template(text)
    evaluation = Evaluation(context)
    evaluation.steps = []
    only = only_expression(blocks)
    try:
        result = evaluation.page(blocks) if only is None else evaluation.value(only)
    except Missing as missing:
        result = NotMet(missing.reason, missing.path)
    return Explained(result, _parts(text, evaluation.steps))


def decide(tree: Expr, context: Context) -> bool | NotMet:
    """A condition from its tree."""
    try:
        return bool(Evaluation(context).value(tree))
    except Missing as missing:
        return NotMet(missing.reason, missing.path)


def _parts(text: str, steps: list[tuple[Expr, Any]]) -> tuple[Part, ...]:
    return tuple(Part(text[node.at : node.end], node.at, value) for node, value in steps)
