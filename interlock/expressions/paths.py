"""Which paths of the context a text reads, and whether a text looks as if it was meant to be one."""

import re
from collections.abc import Iterator

from interlock.expressions import nodes
from interlock.expressions.nodes import Block, Expr
from interlock.expressions.parser import parse_expression
from interlock.expressions.problems import ExpressionError
from interlock.expressions.shapes import Scope
from interlock.expressions.templates import parse_template

BARE_PATH = re.compile(r"[^\W\d]\w*(?:\.\w+)+")


def roots_of(text: str, *, template: bool) -> frozenset[str]:
    """The context roots a text reads; none for a malformed text."""
    return frozenset(path[0] for path in paths_of(text, template=template))


def paths_of(text: str, *, template: bool) -> tuple[tuple[str, ...], ...]:
    """The static dotted paths a text reads, in order, each once; those of loop variables are left out."""
    if template and "{" not in text:
        return ()
    try:
        if template:
            found = _in_blocks(parse_template(text), frozenset())
        else:
            found = _in_tree(parse_expression(text), frozenset())
        return tuple(dict.fromkeys(found))
    except ExpressionError:
        return ()


def looks_like_path(text: str, scope: Scope) -> bool:
    """Whether a text without braces is a path that can be read here: `{{ … }}` was probably forgotten."""
    if BARE_PATH.fullmatch(text.strip()) is None:
        return False
    root, *keys = text.strip().split(".")
    shape = scope.get(root)
    for key in keys:
        if shape is None:
            return False
        if shape.kind == "list":
            shape = shape.item if key.isdigit() else None
        elif shape.kind == "any" or (shape.kind == "object" and shape.fields is None):
            return True
        else:
            shape = (shape.fields or {}).get(key)
    return shape is not None


def _in_tree(node: Expr, local: frozenset[str]) -> Iterator[tuple[str, ...]]:
    keys = nodes.keys_of(node)
    if keys is not None:
        if keys[0] not in local:
            yield tuple(map(str, keys))
        return
    if isinstance(node, nodes.Test) and node.name in ("within", "older_than"):
        yield ("now",)
    for child in nodes.children(node):
        yield from _in_tree(child, local)


def _in_blocks(blocks: tuple[Block, ...], local: frozenset[str]) -> Iterator[tuple[str, ...]]:
    for block in blocks:
        match block:
            case nodes.Output():
                yield from _in_tree(block.expr, local)
            case nodes.If():
                for test, body in block.branches:
                    yield from _in_tree(test, local)
                    yield from _in_blocks(body, local)
                yield from _in_blocks(block.other, local)
            case nodes.For():
                yield from _in_tree(block.items, local)
                yield from _in_blocks(block.body, local | {block.name, "loop"})
