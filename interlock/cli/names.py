"""Words for a name that is not there: the near one, or all that there are."""

from collections.abc import Iterable


def near_or_all(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?`, or the list of what there is."""
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(names) or 'none'}."
