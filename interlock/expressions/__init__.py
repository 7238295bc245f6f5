"""Conditions and templates: Jinja's expression grammar, checked against a documented context, evaluated purely and bounded."""

from interlock.expressions.outcomes import Context, Missing, NotMet
from interlock.expressions.problems import ExpressionError, Problem
from interlock.expressions.shapes import Scope, Shape
from interlock.expressions.sources import Expression, Source, Template, Text, Value

__all__ = [
    "Context",
    "Expression",
    "ExpressionError",
    "Missing",
    "NotMet",
    "Problem",
    "Scope",
    "Shape",
    "Source",
    "Template",
    "Text",
    "Value",
]
