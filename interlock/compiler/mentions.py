"""Which parts a part names: by a key (`call: x`), or by a path within an expression (`slots.x`)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.compiler.choices import CHOOSING, named_tools
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import flow_steps
from interlock.expressions.limits import MOST_PARSED
from interlock.expressions.paths import paths_of
from interlock.plan.models import AUTO, GENERAL, TOOL_CALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

ROOTS = {
    "slots": "slots",
    "intents": "intents",
    "conditions": "conditions",
    "decisions": "decisions",
    "config": "config",
    "cells": "tools",
}
"""Context roots whose names are parts, with the plural that declares them."""

ASKING = CHOOSING | {"generate"}
"""Actions that ask a model."""

NOTHING = "none"
"""The response that says on purpose that nothing is said."""


class Mention(NamedTuple):
    """A name of a part, and where it stands. `weak`: it does not make the part run or be read."""

    plural: str
    name: str
    path: Path
    weak: bool = False


def read_paths(site: Site) -> tuple[tuple[str, ...], ...]:
    """The context paths that a site reads."""
    if site.form == "path":
        return (tuple(site.text.split(".")),)
    return _paths(site.text, site.template)


@lru_cache(maxsize=MOST_PARSED)
def _paths(text: str, template: bool) -> tuple[tuple[str, ...], ...]:
    """Many passes ask the same."""
    return paths_of(text, template=template)


def in_site(site: Site) -> Iterator[Mention]:
    """The parts that a site reads; reading a cell does not call its tool."""
    for root, *rest in read_paths(site):
        if root in ROOTS and rest:
            yield Mention(ROOTS[root], rest[0], site.path, weak=root == "cells")


def by_key(part: Part) -> tuple[Mention, ...]:
    """The parts that a part names by a key of its own, worked out once."""
    memo = part.unit.memo
    key = ("by key", part.plural, part.name)
    if key not in memo:
        memo[key] = tuple(_by_key(part))
    found: tuple[Mention, ...] = memo[key]
    return found


def _by_key(part: Part) -> Iterator[Mention]:
    model, path = part.model, part.path
    match part.plural:
        case "slots":
            yield from _one("vocabularies", model.vocabulary, (*path, "vocabulary"))
        case "intents":
            yield from _one("vocabularies", model.follow_up, (*path, "follow_up"))
        case "conditions":
            yield from _one("tools", model.call, (*path, "call"))
        case "tools":
            yield from _tool(model, path)
        case "models":
            yield from _one("servers", model.server, (*path, "server"))
        case "flows":
            for step in flow_steps(part):
                yield from _step(part.unit, step)
                yield from _roles(part.unit, step)


def of_part(part: Part) -> tuple[Mention, ...]:
    """All parts that a part names, worked out once."""
    memo = part.unit.memo
    key = ("mentions", part.plural, part.name)
    if key not in memo:
        memo[key] = (*by_key(part), *(mention for site in sites_of(part) for mention in in_site(site)))
    found: tuple[Mention, ...] = memo[key]
    return found


def in_lists(unit: Unit) -> Iterator[Mention]:
    """The parts that an Agent's mounts, gates and routes name by key, and the steps and guards of a Procedure."""
    if unit.steps is not None:
        yield Mention("flows", unit.steps.name, unit.steps.path)
    for index, guard in enumerate(unit.work.guard or () if unit.work else ()):
        yield Mention("conditions", guard.by, ("guard", index, "by"))
        yield from _many("tools", guard.except_, ("guard", index, "except"), weak=True)
    for item in unit.mounts:
        path = ("mounts", item.index)
        yield from _one("tools", item.model.call, (*path, "call"))
        yield from _one("intents", item.model.intent, (*path, "intent"))
        yield from _one("responses", item.model.respond, (*path, "respond"))
    for item in unit.run_mounts:
        yield from _one("intents", item.model.intent, ("mounts", item.index, "intent"))
    for item in unit.gates:
        yield from _gate(item.model, ("gates", item.index))
    for item in unit.routes:
        yield Mention("flows", item.model.flow, ("routes", item.index, "flow"))
    for item in unit.model_rules:
        yield Mention("models", item.model.model, ("model_rules", item.index, "model"))


def _one(plural: str, name: str | None, path: Path) -> Iterator[Mention]:
    if name is not None:
        yield Mention(plural, name, path)


def _many(plural: str, names: Sequence[str] | None, path: Path, *, weak: bool = False) -> Iterator[Mention]:
    for index, name in enumerate(names or ()):
        yield Mention(plural, name, (*path, index), weak)


def _tool(tool: Any, path: Path) -> Iterator[Mention]:
    yield from _one("servers", tool.server, (*path, "server"))
    yield from _many("tools", tool.invalidates, (*path, "invalidates"), weak=True)
    for key in ("requires", "ensures"):
        for index, check in enumerate(getattr(tool, key) or ()):
            yield from _one("conditions", check.condition, (*path, key, index, "condition"))
            yield from _one("tools", check.call, (*path, key, index, "call"))
    if tool.read_back is not None:
        yield Mention("tools", tool.read_back.call, (*path, "read_back", "call"))


def _gate(gate: Any, path: Path) -> Iterator[Mention]:
    yield from _one("vocabularies", gate.screen, (*path, "screen"))
    yield from _many("vocabularies", gate.allow, (*path, "allow"))
    yield from _one("slots", gate.fills, (*path, "fills"))
    yield from _one("tools", gate.call, (*path, "call"))
    yield from _one("responses", gate.respond, (*path, "respond"))
    yield from _many("tools", gate.skip, (*path, "skip"), weak=True)
    for name in gate.assume or ():
        yield Mention("slots", name, (*path, "assume", name))


def _step(unit: Unit, step: Written) -> Iterator[Mention]:
    model, path = step.model, step.path
    match step.action:
        case "call":
            yield Mention("tools", model.call, (*path, "call"))
            yield from _many("slots", model.expand, (*path, "expand"))
        case "collect":
            yield from _many("slots", model.collect, (*path, "collect"))
        case "respond" if model.respond != NOTHING:
            yield Mention("responses", model.respond, (*path, "respond"))
        case "retrieve":
            yield Mention("retrievers", model.retrieve, (*path, "retrieve"))
        case "act" | "plan":
            yield from (Mention("tools", name, place) for name, place in named_tools(unit, step))
            if step.action == "act":
                yield from _many("retrievers", model.act.retrievers, (*path, "act", "retrievers"))
        case "flow":
            yield Mention("flows", model.flow, (*path, "flow"))


def _roles(unit: Unit, step: Written) -> Iterator[Mention]:
    """The roles that a step asks: the one it names, the one that chooses tools, and `general`, the last resort."""
    if step.action not in ASKING:
        return
    place = (*step.path, step.action)
    yield Mention("models", GENERAL, place)
    if step.action == "generate" and step.model.generate != AUTO:
        yield Mention("models", step.model.generate, place)
    if step.action in CHOOSING and unit.knows("models", TOOL_CALL):
        yield Mention("models", TOOL_CALL, place)
