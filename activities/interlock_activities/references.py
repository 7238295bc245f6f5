"""Resolves `{{ env.X }}` and `{{ secrets.X }}` by name; what they stand for never leaves an activity."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from interlock_activities.failures import misconfigured

_REFERENCE = re.compile(r"\{\{\s*(env|secrets)\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")

_TELLING = 8


def holds_secret(text: str, secrets: Iterable[str]) -> bool:
    """Whether `text` holds one of the secrets; short ones stand in ordinary text by chance and prove nothing."""
    found = text.lower()
    return any(secret.lower() in found for secret in secrets if len(secret) >= _TELLING)


@dataclass(frozen=True, slots=True)
class References:
    """The variables of a worker: `env` for addresses, `secrets` for credentials only."""

    env: Mapping[str, str]
    secrets: Mapping[str, str]

    def address(self, text: str) -> str:
        """`text` with its `env` references filled in."""
        return self._filled(text, {"env": self.env}, [])

    def credential(self, text: str) -> tuple[str, tuple[str, ...]]:
        """`text` with all references filled in, and the secrets that are now in it."""
        found: list[str] = []
        return self._filled(text, {"env": self.env, "secrets": self.secrets}, found), tuple(found)

    def _filled(self, text: str, roots: Mapping[str, Mapping[str, str]], found: list[str]) -> str:
        def value(match: re.Match[str]) -> str:
            root, name = match.groups()
            if root not in roots:
                raise misconfigured(f"'{root}.{name}' may only stand under auth")
            resolved = roots[root].get(name, "")
            if not resolved:
                raise misconfigured(f"environment variable {name!r} is not set")
            if root == "secrets":
                found.append(resolved)
            return resolved

        filled = _REFERENCE.sub(value, text)
        if "{{" in _REFERENCE.sub("", text):
            raise misconfigured("only {{ env.NAME }} can stand in a server, and {{ secrets.NAME }} under its auth")
        return filled
