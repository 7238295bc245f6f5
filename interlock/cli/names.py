"""Words for names and numbers: the near name for one that is not there, so many of something."""

from collections.abc import Iterable


def near_or_all(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?`, or the list of what there is."""
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(names) or 'none'}."


def counted(number: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
