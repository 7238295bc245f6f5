"""The trees of expressions and templates; every node knows where it stands in the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Node:
    """What all nodes share: the half-open span of characters they were read from."""

    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A text, number, boolean or none."""

    value: Any


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A context root or a loop's variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Get(Node):
    """`base.key`, `base['key']`, `base.0`, `base[0]`; `key_at` is where the key stands."""

    base: "Expr"
    key: str | int
    key_at: int


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b]`."""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not operand`."""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """`-operand`."""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """`left op right` with one of `+ - * / // %`."""

    op: str
    left: "Expr"
    right: "Expr"
    op_at: int


@dataclass(frozen=True, slots=True)
class Concat(Node):
    """`a ~ b ~ c`: texts joined."""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`left op right` with one of `== != < <= > >= in`, or `not in`."""

    op: str
    left: "Expr"
    right: "Expr"
    op_at: int


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`a and b and c`, or the same with `or`."""

    op: str
    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """`then if test else other`."""

    test: "Expr"
    then: "Expr"
    other: "Expr"


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """`base | name(args)`."""

    base: "Expr"
    name: str
    args: tuple["Expr", ...]
    name_at: int


@dataclass(frozen=True, slots=True)
class Test(Node):
    """`base is name(args)`, or `is not`."""

    base: "Expr"
    name: str
    args: tuple["Expr", ...]
    negated: bool
    name_at: int


Expr: TypeAlias = (
    Literal | Name | Get | ListOf | Not | Negate | Arithmetic | Concat | Compare | Logic | Choose | Filter | Test
)


@dataclass(frozen=True, slots=True)
class Plain(Node):
    """Text of a template that stands for itself."""

    text: str


@dataclass(frozen=True, slots=True)
class Output(Node):
    """`{{ expr }}`."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class If(Node):
    """`{% if %} … {% elif %} … {% else %} … {% endif %}`: branches in order, then the rest."""

    branches: tuple[tuple[Expr, tuple["Block", ...]], ...]
    other: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class For(Node):
    """`{% for name in items %} … {% endfor %}`."""

    name: str
    name_at: int
    items: Expr
    body: tuple["Block", ...]


Block: TypeAlias = Plain | Output | If | For


def children(node: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside an expression, in the order of reading."""
    match node:
        case Name() | Literal():
            return ()
        case Get():
            return (node.base,)
        case Compare() | Arithmetic():
            return (node.left, node.right)
        case Logic() | Concat() | ListOf():
            return node.items
        case Not() | Negate():
            return (node.operand,)
        case Choose():
            return (node.test, node.then, node.other)
        case Filter() | Test():
            return (node.base, *node.args)


def reads_context(node: Expr) -> bool:
    """Whether there is any name in a tree."""
    return isinstance(node, Name) or any(map(reads_context, children(node)))


def deeper_than(node: Expr, limit: int) -> bool:
    """Whether the tree has more levels than `limit`; never recurses."""
    level: list[Expr] = [node]
    for _ in range(limit):
        level = [child for parent in level for child in children(parent)]
        if not level:
            return False
    return True


def keys_of(node: Expr) -> tuple[str | int, ...] | None:
    """The keys of a static path (`a.b.0` gives a, b, 0), or None when the node is anything else."""
    keys: list[str | int] = []
    while isinstance(node, Get):
        keys.append(node.key)
        node = node.base
    if not isinstance(node, Name):
        return None
    keys.append(node.name)
    return tuple(reversed(keys))


def dotted(node: Expr) -> str:
    """A static path as text, or "" when the node is none."""
    return ".".join(map(str, keys_of(node) or ()))


def paths_in(node: Expr) -> Iterator[Expr]:
    """The static paths a tree reads, each as far as it goes."""
    if keys_of(node) is not None:
        yield node
        return
    for child in children(node):
        yield from paths_in(child)
