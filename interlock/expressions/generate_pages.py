"""Writes Python for templates and for JSON values whose strings are templates."""

from typing import Any

from interlock.expressions import nodes
from interlock.expressions import operations as do
from interlock.expressions.generate import METER, Writer
from interlock.expressions.lexer import fail
from interlock.expressions.nodes import Block, Expr
from interlock.expressions.templates import only_expression, parse_template

INDENT = "    "
MAX_VALUE_DEPTH = 16


class Kept:
    """Keeps a tree from being compared with others when constants are shared."""

    def __init__(self, subject: Any) -> None:
        self.subject = subject


class PageWriter(Writer):
    """Adds statements: a template with blocks becomes a function of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []

    def template(self, text: str, *, always_text: bool = False) -> str:
        """Python for the value of a template."""
        if "{" not in text:
            return self.constant(text.removesuffix("\n"))
        blocks = parse_template(text)
        only = None if always_text else only_expression(blocks)
        if only is not None:
            return self.expression(only)
        if all(isinstance(block, nodes.Plain | nodes.Output) for block in blocks):
            return self.metered_call(do.joined, f"[{', '.join(map(self.unrendered, blocks))}]")
        self.metered = True
        return f"{self.page(blocks)}(c, w)"

    def part(self, block: Block) -> str:
        """Python for the text of a simple block."""
        return self.plain(block.text) if isinstance(block, nodes.Plain) else self.rendered(block.expr)  # type: ignore[union-attr]

    def unrendered(self, block: Block) -> str:
        """Python for the value of a simple block, which `joined` makes a text."""
        return self.constant(block.text) if isinstance(block, nodes.Plain) else self.expression(block.expr)  # type: ignore[union-attr]

    def page(self, blocks: tuple[Block, ...]) -> str:
        """A function for a template with blocks; gives its name."""
        name = self.fresh("p")
        lines = [f"def {name}(c, w):", f"{INDENT}s = []", *self.statements(blocks, 1)]
        self.pages += [*lines, f"{INDENT}return {self.call(do.finish, 's')}"]
        return name

    def statements(self, blocks: tuple[Block, ...], depth: int) -> list[str]:
        """The lines that append the text of blocks to the page."""
        lines: list[str] = []
        margin = INDENT * depth
        for block in blocks:
            match block:
                case nodes.If():
                    word = "if"
                    for test, body in block.branches:
                        lines += [f"{margin}{word} {self.expression(test)}:", *self.statements(body, depth + 1)]
                        word = "elif"
                    if block.other:
                        lines += [f"{margin}else:", *self.statements(block.other, depth + 1)]
                case nodes.For():
                    lines += self.loop(block, depth)
                case _:
                    lines.append(f"{margin}s.append({self.part(block)})")
        return lines or [f"{margin}pass"]

    def loop(self, block: nodes.For, depth: int) -> list[str]:
        """The lines of a loop."""
        margin = INDENT * depth
        items, index, item, place = (self.fresh(letter) for letter in "lixo")
        head = f"{margin}{items} = {self.metered_call(do.each, self.expression(block.items))}"
        outer, self.local = self.local, {**self.local, block.name: item, "loop": place}
        body = self.statements(block.body, depth + 1)
        self.local = outer
        where = f"{margin}{INDENT}{place} = {self.call(do.place, index, f'len({items})')}"
        return [head, f"{margin}for {index}, {item} in enumerate({items}, 1):", where, *body]

    def value(self, value: Any, depth: int = 0) -> str:
        """Python for a JSON value; lists and objects are made anew each time."""
        if depth > MAX_VALUE_DEPTH:
            raise fail("too-deep", f"a value has at most {MAX_VALUE_DEPTH} levels", 0)
        if isinstance(value, str):
            return self.template(value)
        if isinstance(value, dict):
            pairs = (f"{self.constant(str(key))}: {self.value(item, depth + 1)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, list | tuple):
            return f"[{', '.join(self.value(item, depth + 1) for item in value)}]"
        return self.literal(value)

    def slowly(self, ask: Any, subject: Any) -> str:
        """A call of the slow interpreter for a tree or source."""
        return f"{self.constant(ask)}({self.constant(Kept(subject))}.subject, c)"

    def function(self, name: str, python: str, slow: str) -> list[str]:
        """A function that answers fast, or asks the slow interpreter."""
        meter = [f"{INDENT * 2}{METER}"] if self.metered else []
        self.metered = False
        body = [*meter, f"{INDENT * 2}return {python}"]
        return [f"def {name}(c):", f"{INDENT}try:", *body, f"{INDENT}except Exception:", f"{INDENT * 2}return {slow}"]

    def condition(self, tree: Expr) -> str:
        """Python for a condition: exactly True or False."""
        return f"True if {self.expression(tree)} else False"
