"""What may be wrong with an expression or template: values with an offset into its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

LISTED = 12
"""Up to this many known names a hint lists them all."""

COMPARED = 300
"""Names that a misspelt one is compared with."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding; `offset` counts characters from the start of the text."""

    code: str
    message: str
    offset: int
    hint: str = ""


class ExpressionError(Exception):
    """Raised where a text is compiled or explained that the checker would have refused."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code} at {problem.offset}: {problem.message}")
        self.problem = problem


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names the most similar known name, or lists what is known, or nothing."""
    names = list(dict.fromkeys(known))
    close = most_similar(name, names)
    if close:
        return f"did you mean {close!r}?"
    if 0 < len(names) <= LISTED:
        return f"known here: {', '.join(sorted(names))}"
    return ""


def most_similar(name: str, names: Sequence[str]) -> str:
    """The one of `names` nearest to `name`, or "". Among very many only those that begin alike are compared."""
    if len(names) > COMPARED:
        begins, longest = name[:1].lower(), len(name) + 2
        alike = (one for one in names if one[:1].lower() == begins and len(one) <= longest)
        names = tuple(islice(alike, COMPARED))
    names = sorted(names)
    close = get_close_matches(name, names, n=1, cutoff=0.6) or get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return close[0] if close else ""
