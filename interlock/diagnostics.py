"""Findings about specs: where, how bad, what, why, and what to do. Values, never exceptions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How bad a finding is; only errors keep a bundle from being compiled."""

    ERROR = "error"
    WARNING = "warning"


class Location(NamedTuple):
    """A place in a file; line and column count from 1, columns in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` is kebab-case and never reused; `also` is the other place, where there is one."""

    code: str
    message: str
    location: Location
    severity: Severity = Severity.ERROR
    hint: str = ""
    also: tuple[tuple[Location, str], ...] = field(default=())

    def __str__(self) -> str:
        lines = [f"{self.location}: {self.severity}[{self.code}]: {self.message}"]
        lines += [f"  {place}: {note}" for place, note in self.also]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def in_order(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings by file, line, column, then code; exact repeats once."""
    return sorted(
        dict.fromkeys(findings), key=lambda d: (d.location.file, d.location.line, d.location.column, d.code, d.message)
    )
