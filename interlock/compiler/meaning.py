"""What the registry says of one code."""

from typing import NamedTuple


class Meaning(NamedTuple):
    """`what`: one line; `remedy`: what to do about it, a few sentences of Markdown."""

    what: str
    remedy: str
