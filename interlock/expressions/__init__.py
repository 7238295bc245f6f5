"""Conditions and templates: Jinja's expression grammar, checked against a documented context, pure and bounded."""

from interlock.expressions.check import check_expression, check_path, check_template, check_value
from interlock.expressions.compile import compile_all
from interlock.expressions.explain import Explained, Part, explain, explain_template
from interlock.expressions.first import compile_first
from interlock.expressions.outcomes import Context, Missing, NotMet
from interlock.expressions.paths import looks_like_path, paths_of, roots_of
from interlock.expressions.problems import ExpressionError, Problem
from interlock.expressions.shapes import Scope, Shape, list_of, object_of, shape_of
from interlock.expressions.sources import Expression, Source, Template, Text, Value

__all__ = [
    "Context",
    "Explained",
    "Expression",
    "ExpressionError",
    "Missing",
    "NotMet",
    "Part",
    "Problem",
    "Scope",
    "Shape",
    "Source",
    "Template",
    "Text",
    "Value",
    "check_expression",
    "check_path",
    "check_template",
    "check_value",
    "compile_all",
    "compile_first",
    "explain",
    "explain_template",
    "list_of",
    "looks_like_path",
    "object_of",
    "paths_of",
    "roots_of",
    "shape_of",
]
