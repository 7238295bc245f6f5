"""The bounds that keep every text and every context from hanging or swelling, and the meter that counts work."""

from typing import TypeAlias

from interlock.expressions.outcomes import Missing

MAX_EXPRESSION = 2_000
"""Characters of one expression."""
MAX_TEMPLATE = 65_536
"""Characters of one template."""
MAX_DEPTH = 32
"""Levels of one expression's tree; it keeps every walk and the generated code far from Python's own limits."""
MAX_BLOCKS = 8
"""Blocks of a template inside one another."""
MAX_BRANCHES = 64
"""Branches of one `if` block."""
MAX_DIGITS = 1_000
"""Digits of a number that is written out or read from a text."""
MAX_BITS = 8_192
"""Size of a computed integer, well under the digits that Python converts to text."""
MAX_TEXT = 65_536
"""Characters of a computed text and of a rendered template."""
MOST_PARSED = 32_768
"""Texts whose trees are kept: more than a spec of 512 KiB has, or each pass over them would read them all again."""
MAX_WORK = 100_000
"""Units of work of one evaluation: list items visited, loop rounds, blocks of 64 characters made."""

Meter: TypeAlias = list[int]
"""One number: the work that is left. A plain list, because nothing is cheaper to make for each evaluation."""


def spend(meter: Meter, amount: int) -> None:
    """Count work; stop the evaluation when there is none left."""
    meter[0] -= amount
    if meter[0] < 0:
        raise Missing("", "too-large")


def bounded(meter: Meter, text: str) -> str:
    """A computed text, counted, refused over the bound."""
    if len(text) > MAX_TEXT:
        raise Missing("", "too-large")
    spend(meter, 1 + len(text) // 64)
    return text
