"""What may be wrong with an expression or template: values with an offset into its text."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


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
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6) or get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if 0 < len(names) <= 12:
        return f"known here: {', '.join(names)}"
    return ""
