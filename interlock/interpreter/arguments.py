"""The arguments of one call: each from its one source with its provenance, and verified; or why it must not go out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.interpreter import identifiers
from interlock.interpreter.fields import misfits
from interlock.interpreter.sources import Block, Desk, Given, Nothing, read

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.tools import Argument, Taking


@dataclass(frozen=True, slots=True)
class Assembled:
    """Arguments with where each came from; they may be sent only if nothing blocks.

    `paths` are the context paths that the values were made from.
    """

    arguments: "Json" = field(default_factory=dict)
    origins: dict[str, "Json"] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    paths: frozenset[str] = frozenset()


def assemble(desk: Desk, tool: "Taking", bind: Mapping[str, Any]) -> Assembled:
    """Every declared argument, and nothing else, in the order declared."""
    slots = identifiers.slots_of(desk.turn.program.plan, tool.input, bind)
    given: dict[str, Given] = {}
    blocks: list[Block] = []
    for name, argument in tool.input.items():
        read_ = _settled(name, argument, read(desk, name, argument, bind), slots.get(name, ""))
        if isinstance(read_, Block):
            blocks.append(read_)
        elif read_ is not None:
            given[name] = read_
            blocks += _verified(desk, name, argument, read_, slots.get(name, ""))
    return Assembled(
        arguments={name: one.value for name, one in given.items()},
        origins={name: one.origin for name, one in given.items()},
        blocks=tuple(blocks),
        paths=frozenset().union(*(one.paths for one in given.values())),
    )


def as_sent(assembled: Assembled, key: str) -> "Json":
    """A request that may have had its effect, as JSON: what is sent again must be the same."""
    return {
        "arguments": assembled.arguments,
        "origins": assembled.origins,
        "paths": sorted(assembled.paths),
        "key": key,
    }


def sent_before(tool: "Taking", sent: "Json | None") -> Assembled | None:
    """The arguments that were sent before, unless the tool has other arguments by now."""
    if sent is None or not sent["arguments"].keys() <= tool.input.keys():
        return None
    return Assembled(sent["arguments"], sent["origins"], paths=frozenset(sent["paths"]))


def _settled(name: str, argument: "Argument", read_: Given | Nothing | Block, slot: str) -> Given | Block | None:
    """What becomes of an argument without a value: its default, left out, or a block. An identifier has no default."""
    if not isinstance(read_, Nothing):
        return read_
    if argument.default is not None and not slot:
        return Given(argument.default, {"source": "default"}, frozenset())
    if argument.optional:
        return None
    return Block(read_.why, name, read_.reason, read_.slot)


def _verified(desk: Desk, name: str, argument: "Argument", given: Given, slot: str) -> Iterator[Block]:
    lost = identifiers.untraceable(desk, name, argument, given, slot)
    if lost:
        yield Block("untraceable", name, lost, slot)
        return
    for misfit in misfits(argument, given.value, name):
        yield Block("invalid", name, str(misfit), slot)
