"""The method, path and path parameters of a tool's `http`."""

import re

_PARAMETER = re.compile(r"\{([^{}]*)\}")
BODILESS = frozenset({"GET", "DELETE"})


def method_and_path(http: str) -> tuple[str, str]:
    """`GET`, `/orders/{order_no}`."""
    method, _, path = http.partition(" ")
    return method, path


def parameters(path: str) -> dict[str, int]:
    """The names in braces, with their offset in the path."""
    return {match[1]: match.start() for match in _PARAMETER.finditer(path)}


def lonely_braces(path: str) -> list[tuple[str, int]]:
    """Braces that have no other one, with their offset in the path."""
    rest = _PARAMETER.sub(lambda match: " " * len(match[0]), path)
    return [(sign, offset) for offset, sign in enumerate(rest) if sign in "{}"]
