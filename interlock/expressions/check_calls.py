"""The checker's part for filters and tests: their names, what they take, and the literals they need."""

import inspect
from typing import Any

from interlock.expressions import nodes
from interlock.expressions.check_names import NameChecks
from interlock.expressions.filters import FILTERS, TESTS, WANTED, ArgKind, Rule, fits
from interlock.expressions.nodes import Expr
from interlock.expressions.plugins import plugin, plugin_names
from interlock.expressions.problems import nearest
from interlock.expressions.shapes import ANY, BOOLEAN, Shape, list_of
from interlock.expressions.times import milliseconds

FOREIGN_FILTERS = {
    "int": "number", "float": "number", "count": "length", "title": "show", "strip": "trim", "d": "default",
    "tojson": "string", "safe": "string", "str": "string", "reverse": "sort", "avg": "sum", "selectattr": "any",
}  # fmt: skip
FOREIGN_TESTS = {
    "undefined": "write `is not defined`", "null": "write `is none`", "empty": "write `| length == 0`",
    "true": "write the condition itself", "false": "write `not …`",
    "string": "the kind of a value is declared, not asked",
    "number": "the kind of a value is declared, not asked", "mapping": "the kind of a value is declared, not asked",
    "match": "there are no patterns in expressions; declare an intent or a slot",
}  # fmt: skip


class CallChecks(NameChecks):
    """Filters and tests."""

    def filter(self, node: nodes.Filter) -> Shape:
        """`base | name(args)`."""
        base = self.shape(node.base)
        rule = FILTERS.get(node.name)
        if rule is None:
            return self.foreign_filter(node)
        if not rule.required <= len(node.args) <= len(rule.args):
            return self.problem("filter-arguments", f"{node.name!r} is used as `| {rule.usage}`", node.name_at)
        if rule.takes and base.kind not in (*rule.takes, "any"):
            message = f"{node.name!r} takes {' or '.join(rule.takes)}, not {self.kind(base)}"
            return self.problem("filter-input", message, node.name_at)
        fine = [self.argument(rule, kind, arg) for kind, arg in zip(rule.args, node.args, strict=False)]
        return self.result(node, rule, base) if all(fine) else ANY

    def result(self, node: nodes.Filter, rule: Rule, base: Shape) -> Shape:
        """The shape a filter gives; fields named as texts are looked up in the items."""
        if node.name == "default":
            return self.merged([base.sure(), self.shape(node.args[0])])
        if "field" not in rule.args or not node.args:
            return rule.gives(base)
        field = self.field(node.args[0], base.item or ANY)
        if node.name in ("any", "all"):
            self.verdict(node, field)
        return list_of(field) if node.name == "map" else rule.gives(base)

    def field(self, node: Expr, item: Shape) -> Shape:
        """The shape of a dotted field of a list's items."""
        assert isinstance(node, nodes.Literal)
        shape = item
        for key in str(node.value).split("."):
            if shape.kind == "object" and shape.fields is not None:
                if key not in shape.fields:
                    hint = nearest(key, shape.fields)
                    return self.problem("unknown-attribute", f"the items have no attribute {key!r}", node.at, hint)
                shape = shape.fields[key]
            elif shape.kind in ("any", "object") and not shape.note:
                return ANY
            elif shape.kind == "list" and key.isdigit():
                shape = shape.item or ANY
            else:
                why = shape.note or f"an item is {self.kind(shape)}"
                return self.problem("unknown-attribute", f"no attribute {key!r} can be read: {why}", node.at)
        return shape

    def verdict(self, node: nodes.Filter, field: Shape) -> None:
        """The comparison inside `any` and `all`, checked like one that is written out."""
        op, other = node.args[1], node.args[2]
        assert isinstance(op, nodes.Literal)
        if op.value in ("in", "not in"):
            return
        shape = self.shape(other)
        kinds = {"number" if kind == "integer" else kind for kind in (field.kind, shape.kind)} - {"any"}
        if len(kinds) > 1:
            self.problem("compare-kinds", f"{self.kind(field)} is compared with {self.kind(shape)}", other.at)
        elif field.enum and isinstance(other, nodes.Literal) and other.value not in field.enum:
            hint = nearest(str(other.value), map(str, field.enum))
            self.problem("not-in-enum", f"the field is never {self.words(other)}", other.at, hint)

    def argument(self, rule: Rule, kind: ArgKind, node: Expr) -> bool:
        """Whether one argument is of its kind."""
        if kind == "any":
            self.shape(node)
            return True
        fine = fits(kind, node) and (kind == "digits" or self.shape(node).kind in ("string", "any"))
        if not fine:
            message = f"{self.words(node)} is not {WANTED[kind]}"
            self.problem("filter-arguments", message, node.at, f"write `| {rule.usage}`")
        return fine

    def foreign_filter(self, node: nodes.Filter) -> Shape:
        """A name that is not built in: a plug-in's, or a mistake."""
        function = plugin("filters", node.name)
        if function is not None:
            self.plugged(node, function)
            return ANY
        known = FOREIGN_FILTERS.get(node.name)
        hint = f"did you mean {known!r}?" if known else nearest(node.name, [*FILTERS, *plugin_names("filters")])
        return self.problem("unknown-filter", f"unknown filter {node.name!r}", node.name_at, hint)

    def plugged(self, node: nodes.Filter | nodes.Test, function: Any) -> None:
        """The arguments of a plug-in, against its signature."""
        for arg in node.args:
            self.shape(arg)
        try:
            inspect.signature(function).bind(None, *node.args)
        except TypeError as error:
            self.problem("filter-arguments", f"{node.name!r}: {error}", node.name_at)

    def test(self, node: nodes.Test) -> Shape:
        """`base is name(args)`."""
        base = self.shape(node.base)
        if node.name in ("within", "older_than"):
            self.age(node, base)
        elif node.name in ("defined", "none"):
            if node.args:
                self.problem("test-arguments", f"{node.name!r} is used as `{TESTS[node.name]}`", node.name_at)
            elif node.name == "defined":
                self.defined(node, base)
        elif (function := plugin("tests", node.name)) is not None:
            self.plugged(node, function)
        else:
            hint = FOREIGN_TESTS.get(node.name) or nearest(node.name, [*TESTS, *plugin_names("tests")])
            self.problem("unknown-test", f"unknown test {node.name!r}", node.name_at, hint)
        return BOOLEAN

    def age(self, node: nodes.Test, base: Shape) -> None:
        """`within` and `older_than`: a date or instant, and a literal duration."""
        if len(node.args) != 1:
            self.problem("test-arguments", f"{node.name!r} is used as `{TESTS[node.name]}`", node.name_at)
            return
        limit = node.args[0]
        if (
            not isinstance(limit, nodes.Literal)
            or not isinstance(limit.value, str)
            or milliseconds(limit.value) is None
        ):
            hint = "write '500ms', '30s', '20m', '4h' or '7d'"
            self.problem("bad-duration", f"{self.words(limit)} is not a duration", limit.at, hint)
        if base.kind not in ("date", "datetime", "any"):
            hint = "write `| datetime` behind a text that holds one" if base.kind == "string" else ""
            self.problem(
                "test-input", f"{node.name!r} takes a date or datetime, not {self.kind(base)}", node.name_at, hint
            )
        if "now" not in self.scope:
            self.problem("unknown-name", f"{node.name!r} needs `now`, which is not known here", node.name_at)

    def defined(self, node: nodes.Test, base: Shape) -> None:
        """`is defined` asks a path that may not be there."""
        if nodes.keys_of(node.base) is None:
            hint = "ask before the filter: `a.b is defined`"
            self.problem("defined-of-value", "`is defined` asks a name, not a computed value", node.name_at, hint)
        elif base.kind != "any" and not base.may_be_missing:
            hint = "it may be none: write `is not none`" if base.may_be_none else ""
            self.problem("always-defined", f"{self.words(node.base)!r} is always defined", node.name_at, hint)
