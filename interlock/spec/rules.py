"""Rules between the keys of one part: exactly one of some, at least one of some, this one only beside that."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol


def listed(names: Sequence[str], last: str = "or") -> str:
    """`'a', 'b' or 'c'`."""
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold; `keys` are the written keys at fault, none when something is missing."""

    code: str
    message: str
    keys: tuple[str, ...] = ()
    hint: str = ""


class Rule(Protocol):
    """Something that must hold between the keys of one part."""

    def check(self, keys: AbstractSet[str]) -> Broken | None:
        """What is wrong with a part that has these keys."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """Exactly one of `keys`; with `optional`, at most one."""

    what: str
    keys: tuple[str, ...]
    optional: bool = False
    remedy: str = ""
    """What to do when there is none."""

    def check(self, keys: AbstractSet[str]) -> Broken | None:
        """Several, or none, are wrong."""
        found = [key for key in self.keys if key in keys]
        if len(found) == 1:
            return None
        if found:
            return Broken(
                "exactly-one", f"{self.what}: {listed(found, 'and')} exclude each other", tuple(found), "keep one"
            )
        if self.optional:
            return None
        return Broken("exactly-one", f"{self.what}: one of {listed(self.keys)} is missing", hint=self.remedy)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of `keys`."""

    what: str
    keys: tuple[str, ...]

    def check(self, keys: AbstractSet[str]) -> Broken | None:
        """None is wrong."""
        if any(key in keys for key in self.keys):
            return None
        return Broken("missing-key", f"{self.what} needs at least one of {listed(self.keys)}")


@dataclass(frozen=True, slots=True)
class Beside:
    """`key` stands only beside one of `needs`."""

    key: str
    needs: tuple[str, ...]

    def check(self, keys: AbstractSet[str]) -> Broken | None:
        """The key alone is wrong."""
        if self.key not in keys or any(need in keys for need in self.needs):
            return None
        return Broken("lonely-key", f"{self.key!r} does nothing without {listed(self.needs)}", (self.key,))


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """At least one key, whichever."""

    def check(self, keys: AbstractSet[str]) -> Broken | None:
        """An empty map is wrong."""
        if keys:
            return None
        return Broken("empty-map", "an empty map says nothing", hint="leave the key out, or say what it holds")
