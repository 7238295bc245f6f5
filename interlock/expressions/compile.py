"""Turns checked texts into functions of a context: all texts of a spec in one code object."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from interlock.expressions.evaluate import Evaluation
from interlock.expressions.explain import decide
from interlock.expressions.generate_pages import PageWriter
from interlock.expressions.outcomes import Context
from interlock.expressions.parser import parse_expression
from interlock.expressions.sources import Expression, Source, Template, Text, Value
from interlock.expressions.templates import only_expression, parse_template

K = TypeVar("K", bound=Hashable)
Compiled = Callable[[Context], Any]


def compile_all(sources: Mapping[K, Source]) -> dict[K, Compiled]:
    """A function for every source. Raises ExpressionError for a text the checker would have refused as malformed.

    An `Expression` gives True, False or `NotMet`; the others give their value or raise `Missing`.
    """
    writer = PageWriter()
    lines: list[str] = []
    names: dict[K, str] = {}
    shared: dict[tuple[type, str], str] = {}
    for key, source in sources.items():
        own = None if isinstance(source, Value) else (type(source), source.text)
        name = shared.get(own) if own else None
        if name is None:
            name = f"f{len(names)}"
            lines += _function(writer, name, source)
            if own:
                shared[own] = name
        names[key] = name
    execute(writer, lines)
    return {key: writer.namespace[name] for key, name in names.items()}


def _function(writer: PageWriter, name: str, source: Source) -> list[str]:
    """The lines of one source's function."""
    match source:
        case Expression():
            tree = parse_expression(source.text)
            return writer.function(name, writer.condition(tree), writer.slowly(decide, tree))
        case Template():
            python = writer.template(source.text)
        case Text():
            python = writer.template(source.text, always_text=True)
        case Value():
            python = writer.value(source.json)
    return writer.function(name, python, writer.slowly(produce, source))


def execute(writer: PageWriter, lines: list[str]) -> None:
    """Run the definitions that were written; the functions are then in the writer's namespace."""
    code = compile("\n".join([*writer.pages, *lines]), "<interlock expressions>", "exec", dont_inherit=True, optimize=0)
    exec(code, writer.namespace)  # noqa: S102 - written by us from checked trees; authors' texts are constants beside it


def produce(source: Source, context: Context) -> Any:
    """The value of a source the slow way; raises Missing with the path that is to blame."""
    evaluation = Evaluation(context)
    return _produced(evaluation, source.json) if isinstance(source, Value) else _text(evaluation, source)


def _produced(evaluation: Evaluation, value: Any) -> Any:
    if isinstance(value, str):
        return _text(evaluation, Template(value))
    if isinstance(value, dict):
        return {str(key): _produced(evaluation, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_produced(evaluation, item) for item in value]
    return value


def _text(evaluation: Evaluation, source: Expression | Template | Text) -> Any:
    blocks = parse_template(source.text)
    only = only_expression(blocks) if isinstance(source, Template) else None
    return evaluation.page(blocks) if only is None else evaluation.value(only)
