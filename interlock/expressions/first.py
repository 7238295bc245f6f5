"""Ordered conditions of which the first that is met or cannot be decided is looked for, as of gates: one function."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from interlock.expressions import nodes
from interlock.expressions.compile import execute
from interlock.expressions.explain import decide
from interlock.expressions.generate import METER
from interlock.expressions.generate_pages import INDENT, PageWriter
from interlock.expressions.nodes import Expr
from interlock.expressions.outcomes import Context, Several
from interlock.expressions.parser import parse_expression

MANY = 4
"""From so many neighbours that begin with `path == 'text'` on, the text is looked up instead of compared one by one."""

_UNREADABLE = object()
"""Stands for the value of a path that is not there."""

Table = dict[object, list[tuple[int, Callable[[Context], Any]]]]
Numbered = tuple[int, Expr]


def compile_first(conditions: Sequence[str]) -> Callable[[Context], int]:
    """One function that gives the index of the first condition that is met, or -1; an empty text always is.

    A condition that cannot be decided is given as well: whoever asks then evaluates it, to learn why.
    """
    until = conditions.index("") if "" in conditions else len(conditions)
    writer, chain = PageWriter(), _Chain()
    writer.hoisted = {}
    trees = [(index, parse_expression(text)) for index, text in enumerate(conditions[:until])]
    for path, group in groupby(trees, key=lambda numbered: nodes.keys_of(_compared(numbered[1])[0])):
        chain.add(writer, list(group), by_text=bool(path))
    last = f"{INDENT}return {until if until < len(conditions) else -1}"
    execute(writer, [*chain.functions, "def first(c):", *chain.lines, last])
    chain.fill(writer)
    first: Callable[[Context], int] = writer.namespace["first"]
    return first


class _Chain:
    """The lines of the function, and the functions and tables it calls."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.tables: list[tuple[Table, list[Numbered]]] = []
        self.read = 0

    def add(self, writer: PageWriter, group: list[Numbered], *, by_text: bool) -> None:
        """Conditions that are neighbours and begin with a comparison of one path, or with anything else."""
        if by_text and len(group) >= MANY:
            self.look_up(writer, group)
            return
        for index, tree in group:
            python = writer.expression(tree)
            self.read_once(writer)
            self.lines += [f"{INDENT}try:", *_meter(writer), f"{INDENT * 2}if {python}: return {index}"]
            slow = f"if {writer.slowly(_may_hold, tree)}: return {index}"
            self.lines += [f"{INDENT}except Exception:", f"{INDENT * 2}{slow}"]

    def read_once(self, writer: PageWriter) -> None:
        """Read what is first named here; what is missing stays without a value, and raises where it is needed."""
        for python, name in list((writer.hoisted or {}).items())[self.read :]:
            self.lines += [f"{INDENT}try: {name} = {python}", f"{INDENT}except Exception: pass"]
            self.read += 1

    def look_up(self, writer: PageWriter, group: list[Numbered]) -> None:
        """Ask only those whose text is the value of the path."""
        hoisted, writer.hoisted = writer.hoisted, None
        for index, tree in group:
            self.functions += writer.function(f"f{index}", writer.condition(tree), writer.slowly(decide, tree))
        writer.hoisted = hoisted
        path, _ = _compared(group[0][1])
        table: Table = {}
        self.tables.append((table, group))
        python = writer.expression(path)
        self.read_once(writer)
        self.lines += [f"{INDENT}try:", f"{INDENT * 2}v = {python}"]
        self.lines += [f"{INDENT}except Exception:", f"{INDENT * 2}v = {writer.constant(_UNREADABLE)}"]
        self.lines.append(f"{INDENT}i = {writer.call(_found, writer.constant(table), 'v', 'c')}")
        self.lines.append(f"{INDENT}if i >= 0: return i")

    def fill(self, writer: PageWriter) -> None:
        """Put the functions into the tables, now that they are there."""
        for table, group in self.tables:
            for index, tree in group:
                numbered = (index, writer.namespace[f"f{index}"])
                table.setdefault(_compared(tree)[1], []).append(numbered)
                table.setdefault(_UNREADABLE, []).append(numbered)


def _compared(tree: Expr) -> tuple[Expr, str]:
    """The path and the text of a condition that begins with `path == 'text'`; else a literal, which has no path."""
    start = tree.items[0] if isinstance(tree, nodes.Logic) and tree.op == "and" else tree
    if isinstance(start, nodes.Compare) and start.op == "==":
        for path, literal in ((start.left, start.right), (start.right, start.left)):
            if isinstance(literal, nodes.Literal) and isinstance(literal.value, str) and nodes.keys_of(path):
                return path, literal.value
    return nodes.Literal(0, 0, None), ""


def _found(table: Table, value: Any, context: Context) -> int:
    """The index of the first condition for a text that is met or cannot be decided; for what is unreadable, any may."""
    if value.__class__ is Several:
        value = _UNREADABLE
    if value.__class__ is str or value is _UNREADABLE:
        for index, condition in table.get(value, ()):
            if _stands(condition, context):
                return index
    return -1


def _may_hold(tree: Expr, context: Context) -> bool:
    return _stands(partial(decide, tree), context)


def _stands(condition: Callable[[Context], Any], context: Context) -> bool:
    """Whether a condition is met or cannot be decided; one that must read something first cannot be, yet."""
    try:
        return condition(context) is not False
    except Exception:  # noqa: BLE001 - whoever asks evaluates it, and meets the same
        return True


def _meter(writer: PageWriter) -> list[str]:
    """The allowance of work, if what was just written needs one."""
    needed, writer.metered = writer.metered, False
    return [f"{INDENT * 2}{METER}"] if needed else []
