"""Parts an answer from what is to stay outside the run: a reference stands in its place.

Needs no turn: the shell that gets the answer parts it, and so does the stage of a suite.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interlock.contract.stored import referenced
from interlock.plan.base import Field
from interlock.plan.fields import declared, misfits


@dataclass
class Parted:
    """`payload` with references, the contents by their digest, and in words what is not as declared."""

    payload: Any = None
    contents: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""


def stored_fields(fields: Mapping[str, Field] | None) -> dict[str, Field]:
    """The fields whose values stay outside the run, as what they hold: not references, but the values."""
    stored = {name: one for name, one in (fields or {}).items() if one.stored}
    return {name: one.model_copy(update={"stored": False}) for name, one in stored.items()}


def parted(fields: Mapping[str, Field], unwrap: str, payload: Any) -> Parted:
    """`payload` with a reference for each of `fields` that is there at `unwrap`; only what is declared is stored."""
    found = Parted()
    found.payload = _at(unwrap.split(".") if unwrap else (), fields, payload, found)
    return found


def _at(path: Sequence[str], fields: Mapping[str, Field], value: Any, found: Parted) -> Any:
    if not path:
        return {**value, **_references(fields, value, found)} if isinstance(value, dict) else value
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and step in value:
        return {**value, step: _at(rest, fields, value[step], found)}
    if isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
        index = int(step)
        return [*value[:index], _at(rest, fields, value[index], found), *value[index + 1 :]]
    return value


def _references(fields: Mapping[str, Field], value: Mapping[str, Any], found: Parted) -> dict[str, Any]:
    references = {}
    for name, one in fields.items():
        if value.get(name) is None:
            continue
        misfit = next(misfits(one, value[name], name), None)
        if misfit is not None:
            found.problem = f"the answer is not as `output` says: {misfit}"
            return {}
        references[name], content = referenced(declared(one, value[name]))
        found.contents[references[name]["digest"]] = content
    return references
