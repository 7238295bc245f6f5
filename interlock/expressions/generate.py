"""Writes Python for trees. No author's text gets into it: names are numbered, constants are passed beside it."""

from typing import Any

from interlock.expressions import nodes
from interlock.expressions import operations as do
from interlock.expressions.filters import FILTERS
from interlock.expressions.lexer import fail
from interlock.expressions.limits import MAX_WORK, bounded
from interlock.expressions.nodes import Expr
from interlock.expressions.plugins import apply, needed
from interlock.expressions.times import milliseconds, moment, older_than, within

PLAIN_BOOLEANS = {None: "None", True: "True", False: "False"}
METER = f"w = [{MAX_WORK}]"
PLAIN_ROOTS = frozenset({"slots", "message", "user", "config", "vars", "session"})
"""Roots that are plain maps: looking into one decides nothing and records nothing."""


class Writer:
    """Collects the constants of one code object and turns expressions into Python expressions over the context `c`."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"__builtins__": {"Exception": Exception, "len": len, "enumerate": enumerate}}
        self.known: dict[Any, str] = {}
        self.local: dict[str, str] = {}
        self.hoisted: dict[str, str] | None = None
        self.metered = False
        self.numbered = 0

    def constant(self, value: Any) -> str:
        """The name of a constant; equal constants of one kind share it."""
        try:
            key = (value.__class__, repr(value) if value.__class__ is float else value)
            name = self.known.get(key)
        except TypeError:
            key, name = (id, id(value)), None
        if name is None:
            name = self.known[key] = f"k{len(self.known)}"
            self.namespace[name] = value
        return name

    def fresh(self, letter: str) -> str:
        """A new local name."""
        self.numbered += 1
        return f"{letter}{self.numbered}"

    def call(self, function: Any, *arguments: str) -> str:
        """A call of one of our own functions."""
        return f"{self.constant(function)}({', '.join(arguments)})"

    def metered_call(self, function: Any, *arguments: str) -> str:
        """A call of a function that counts its work."""
        self.metered = True
        return self.call(function, "w", *arguments)

    def expression(self, node: Expr) -> str:
        """Python for the value of a node."""
        match node:
            case nodes.Get():
                return self.attribute(node)
            case nodes.Name():
                return self.name(node.name)
            case nodes.Literal():
                return self.literal(node.value)
            case nodes.Compare():
                return self.comparison(node)
            case nodes.Logic():
                return f"({f' {node.op} '.join(map(self.expression, node.items))})"
            case nodes.Not():
                return f"(not {self.expression(node.operand)})"
            case nodes.Choose():
                then, test, other = (self.expression(part) for part in (node.then, node.test, node.other))
                return f"({then} if {test} else {other})"
            case nodes.Filter():
                return self.filter(node)
            case nodes.Test():
                return self.test(node)
            case nodes.ListOf():
                return f"[{', '.join(map(self.expression, node.items))}]"
            case nodes.Concat():
                return self.metered_call(do.concat, *map(self.expression, node.items))
            case nodes.Arithmetic():
                return self.call(do.ARITHMETIC[node.op], self.expression(node.left), self.expression(node.right))
            case nodes.Negate():
                return self.call(do.negate, self.expression(node.operand))

    def literal(self, value: Any) -> str:
        """A constant."""
        return PLAIN_BOOLEANS[value] if value is None or value.__class__ is bool else self.constant(value)

    def name(self, name: str) -> str:
        """A loop's variable or a root."""
        if name in self.local:
            return self.local[name]
        root = f"c[{self.constant(name)}]"
        return self.call(moment, root) if name == "now" else root

    def attribute(self, node: nodes.Get) -> str:
        """`base.key`; what is no object raises, and the slow interpreter then says why."""
        base = self.root(node.base) if isinstance(node.base, nodes.Name) else self.expression(node.base)
        if isinstance(node.key, int) or not isinstance(node.base, nodes.Name | nodes.Get):
            return self.call(do.fetch, base, self.constant(node.key))
        python = f"{base}[{self.constant(node.key)}]"
        if not isinstance(node.base, nodes.Name) or node.base.name in self.local or node.base.name not in PLAIN_ROOTS:
            return python
        return self.once(python)

    def root(self, node: nodes.Name) -> str:
        """A root whose attribute is read."""
        python = self.name(node.name)
        return python if node.name in self.local or node.name == "now" else self.once(python)

    def once(self, python: str) -> str:
        """What a function of many conditions reads once, under a name: roots, and what stands in plain ones."""
        return python if self.hoisted is None else self.hoisted.setdefault(python, f"r{len(self.hoisted)}")

    def comparison(self, node: nodes.Compare) -> str:
        """A comparison; texts and whole numbers inline, everything else by the function that knows all kinds."""
        if node.op in ("in", "not in"):
            return self.membership(node)
        if node.op in ("==", "!="):
            return self.equality(node)
        sides = [(self.expression(side), side) for side in (node.left, node.right)]
        (left, again), (right, again_right) = [self.twice(python, side) for python, side in sides]
        if isinstance(node.right, nodes.Literal) and node.right.value.__class__ is int:
            guard = f"{left}.__class__ is {self.constant(int)}"
        elif isinstance(node.left, nodes.Literal) and node.left.value.__class__ is int:
            guard = f"{right}.__class__ is {self.constant(int)}"
        else:
            guard = f"{left}.__class__ is {right}.__class__ is {self.constant(int)}"
        slow = self.call(do.ORDERS[node.op], again, again_right)
        return f"({again} {node.op} {again_right} if {guard} else {slow})"

    def twice(self, python: str, node: Expr) -> tuple[str, str]:
        """Python that keeps a value and Python that uses it again; a literal is simply named twice."""
        if isinstance(node, nodes.Literal):
            return python, python
        kept = self.fresh("t")
        return f"({kept} := {python})", kept

    def equality(self, node: nodes.Compare) -> str:
        """`==` and `!=`."""
        literal, other = (node.right, node.left) if isinstance(node.right, nodes.Literal) else (node.left, node.right)
        if isinstance(literal, nodes.Literal) and self.unmistakable(literal.value):
            return f"({self.expression(other)} {node.op} {self.constant(literal.value)})"
        left, again = self.twice(self.expression(node.left), node.left)
        right, again_right = self.twice(self.expression(node.right), node.right)
        guard = f"{left}.__class__ is {right}.__class__ is {self.constant(str)}"
        slow = self.metered_call(do.same, again, again_right)
        return f"({again} {node.op} {again_right} if {guard} else {'not ' if node.op == '!=' else ''}{slow})"

    @staticmethod
    def unmistakable(value: Any) -> bool:
        """Whether Python's own `==` is right beside this constant: 0 and 1 equal booleans in Python."""
        return value.__class__ is str or (value.__class__ in (int, float) and value not in (0, 1))

    def membership(self, node: nodes.Compare) -> str:
        """`in` and `not in`."""
        if isinstance(node.right, nodes.ListOf) and all(
            isinstance(item, nodes.Literal) and item.value.__class__ is str for item in node.right.items
        ):
            values = tuple(item.value for item in node.right.items if isinstance(item, nodes.Literal))
            return f"({self.expression(node.left)} {node.op} {self.constant(values)})"
        found = self.metered_call(do.contains, self.expression(node.left), self.expression(node.right))
        return f"(not {found})" if node.op == "not in" else found

    def filter(self, node: nodes.Filter) -> str:
        """`base | name(args)`."""
        rule = FILTERS.get(node.name)
        if rule is not None and not rule.accepts(node.args):
            raise fail("filter-arguments", f"{node.name!r} is used as `| {rule.usage}`", node.name_at)
        if node.name == "default":
            kept = self.fresh("t")
            found, other = self.peeked(node.base), self.expression(node.args[0])
            return f"({kept} if ({kept} := {found}) is not None else {other})"
        base = self.expression(node.base)
        if node.name == "show":
            return self.metered_call(do.shown, "c", base, self.constant(nodes.dotted(node.base)))
        args = [self.expression(arg) for arg in node.args]
        if rule is not None:
            return self.metered_call(rule.run, base, *args)
        function = needed("filters", node.name, node.name_at)
        return self.metered_call(apply, self.constant(function), base, *args)

    def start(self, node: Expr) -> tuple[str, str] | None:
        """Where the walk along a static path begins, and its keys."""
        keys = nodes.keys_of(node)
        if keys is None:
            return None
        if keys[0] in self.local:
            return self.local[str(keys[0])], self.constant(keys[1:])
        return "c", self.constant(keys)

    def peeked(self, node: Expr) -> str:
        """The value of a path or None; of anything else the value."""
        start = self.start(node)
        if start is None or nodes.dotted(node) == "now":
            return self.expression(node)
        return self.call(do.peek, *start)

    def test(self, node: nodes.Test) -> str:
        """`base is name(args)`."""
        if node.name == "none":
            return f"({self.expression(node.base)} is {'not ' if node.negated else ''}None)"
        asked = self.asked(node)
        return f"(not {asked})" if node.negated else asked

    def asked(self, node: nodes.Test) -> str:
        """A test before its `not`."""
        if node.name == "defined":
            start = self.start(node.base)
            if start is None:
                raise fail("defined-of-value", "`is defined` asks a name, not a computed value", node.name_at)
            return self.call(do.there, *start)
        if node.name in ("within", "older_than"):
            literal = node.args[0] if len(node.args) == 1 else None
            limit = milliseconds(str(literal.value)) if isinstance(literal, nodes.Literal) else None
            if limit is None:
                raise fail("bad-duration", f"{node.name!r} takes a duration", node.name_at)
            ask = within if node.name == "within" else older_than
            return self.call(ask, f"c[{self.constant('now')}]", self.expression(node.base), self.constant(limit))
        function = needed("tests", node.name, node.name_at)
        args = map(self.expression, node.args)
        return f"({self.metered_call(apply, self.constant(function), self.expression(node.base), *args)} is True)"

    def rendered(self, node: Expr) -> str:
        """Python for the text of a value."""
        return self.metered_call(do.render, self.expression(node))

    def plain(self, text: str) -> str:
        """Python for text that stands for itself, counted like any other."""
        return self.metered_call(bounded, self.constant(text))
