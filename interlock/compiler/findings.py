"""What the passes collect: diagnostics, with the few ways in which they are made."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from interlock.diagnostics import Diagnostic, Location, Severity
from interlock.expressions.problems import LISTED, most_similar

Also = tuple[tuple[Location, str], ...]

MOST = 100
"""Wrong names told of one spec; whoever has more reads the first ones anyway, and each costs a comparison with all."""


@dataclass(slots=True)
class Findings:
    """The diagnostics found so far."""

    found: list[Diagnostic] = field(default_factory=list)
    _places: set[Location] = field(default_factory=set)
    _looked_at: int = 0

    def error(self, code: str, message: str, at: Location, *, hint: str = "", also: Also = ()) -> None:
        """Something that keeps the spec from being compiled."""
        self.found.append(Diagnostic(code, message, at, Severity.ERROR, hint, also))

    def warning(self, code: str, message: str, at: Location, *, hint: str = "", also: Also = ()) -> None:
        """Something that is very likely not meant."""
        self.found.append(Diagnostic(code, message, at, Severity.WARNING, hint, also))

    def told(self, at: Location) -> bool:
        """Whether something has been found at this very place: what follows from it need not be told."""
        self._places.update(finding.location for finding in self.found[self._looked_at :])
        self._looked_at = len(self.found)
        return at in self._places


def suggestion(name: str, known: Iterable[str], *, none: str = "") -> str:
    """A hint that names the known name nearest to `name`, or lists what there is; `none` when there is nothing."""
    names = list(known if isinstance(known, dict) else dict.fromkeys(known))
    close = most_similar(name, names)
    if close:
        return f"did you mean {close!r}?"
    if not names:
        return none
    return f"there are: {', '.join(sorted(names))}" if len(names) <= LISTED else ""


def article(noun: str) -> str:
    """The noun with `a` or `an`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
