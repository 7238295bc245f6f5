"""Names for what is imported: snake_case for parts, kebab-case for the spec, capitals for variables; each one once."""

import re
from collections.abc import Collection

from interlock.expressions.parser import KEYWORDS

LONGEST = 60

TAKEN = KEYWORDS | {"false", "no", "none", "null", "off", "on", "true", "yes"}
"""Words that mean something in expressions or in YAML."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WIRE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def words_of(text: str) -> list[str]:
    """The words of a name, split at signs and capitals; letters of other scripts are not in them."""
    return [word.lower() for word in _WORD.findall(text)]


def snake(text: str, otherwise: str = "") -> str:
    """`getHTTPStatus-v2` as `get_http_status_v2`; `otherwise` where nothing is left."""
    name = ""
    for word in words_of(text[:1000]):
        joined = f"{name}{'' if not name or word.isdigit() else '_'}{word}"
        if len(joined) > LONGEST:
            break
        name = joined
    name = name.lstrip("0123456789_") or otherwise
    return f"{name}_" if name in TAKEN else name


def kebab(text: str) -> str:
    """`HR Service` as `hr-service`; "" where nothing is left."""
    return "-".join(words_of(text[:1000]))[:LONGEST].strip("-").lstrip("0123456789-")


def of_call(method: str, path: str) -> str:
    """A name for a call that has none of its own."""
    return snake(f"{method} {path}", method.lower())


def wire(text: str) -> str:
    """A name for an argument: as it is on the wire where that can be."""
    fits = is_wire(text) and text not in KEYWORDS and len(text) <= LONGEST
    return text if fits else snake(text, "argument")


def is_wire(text: str) -> bool:
    """Whether a name can stand in a spec as it is."""
    return _WIRE.fullmatch(text) is not None


def unique(name: str, taken: Collection[str]) -> str:
    """The name, or the first of `name_2`, `name_3` … that is free."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
