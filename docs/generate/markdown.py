"""Small pieces of Markdown: tables, and text that may stand in their cells."""

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """`text` as it may stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, ending with a line break."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def code(text: str) -> str:
    """`text` as code."""
    return f"`{text}`"


def listed(names: Iterable[str], last: str = "or") -> str:
    """Code words with commas and a last `or`."""
    words = [code(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
