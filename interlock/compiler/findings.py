"""What the passes collect: diagnostics, with the few ways in which they are made."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from interlock.diagnostics import Diagnostic, Location, Severity

Also = tuple[tuple[Location, str], ...]

LISTED = 12
"""Up to this many known names a hint lists them all."""


@dataclass(slots=True)
class Findings:
    """The diagnostics found so far."""

    found: list[Diagnostic] = field(default_factory=list)

    def error(self, code: str, message: str, at: Location, *, hint: str = "", also: Also = ()) -> None:
        """Something that keeps the spec from being compiled."""
        self.found.append(Diagnostic(code, message, at, Severity.ERROR, hint, also))

    def warning(self, code: str, message: str, at: Location, *, hint: str = "", also: Also = ()) -> None:
        """Something that is very likely not meant."""
        self.found.append(Diagnostic(code, message, at, Severity.WARNING, hint, also))


def suggestion(name: str, known: Iterable[str], *, none: str = "") -> str:
    """A hint that names the known name nearest to `name`, or lists what there is; `none` when there is nothing."""
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6) or get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if not names:
        return none
    return f"there are: {', '.join(names)}" if len(names) <= LISTED else ""


def article(noun: str) -> str:
    """The noun with `a` or `an`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
