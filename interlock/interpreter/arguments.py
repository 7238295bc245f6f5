"""The arguments of one call: each from its one source with its provenance, and verified; or why it must not go out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.interpreter import cells, identifiers
from interlock.interpreter.masking import is_sensitive
from interlock.interpreter.sources import Block, Desk, Given, Nothing, read
from interlock.plan.fields import misfits

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.tools import Argument, Taking


@dataclass(frozen=True, slots=True)
class Assembled:
    """Arguments with where each came from; they may be sent only if nothing blocks.

    `made_from` is what stood, when they were bound, at the context paths that they were made from.
    """

    arguments: "Json" = field(default_factory=dict)
    origins: dict[str, "Json"] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    made_from: "Json" = field(default_factory=dict)


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
    paths = frozenset[str]().union(*(one.paths for one in given.values()))
    return Assembled(
        arguments={name: one.value for name, one in given.items()},
        origins={name: one.origin for name, one in given.items()},
        blocks=tuple(blocks),
        made_from=cells.made_from(desk.turn.state, paths, desk.current),
    )


def as_sent(assembled: Assembled, key: str) -> "Json":
    """A request that may have had its effect, as JSON: what is sent again must be the same."""
    return {
        "arguments": assembled.arguments,
        "origins": assembled.origins,
        "made_from": assembled.made_from,
        "key": key,
    }


def sent_before(desk: Desk, tool: "Taking", sent: "Json | None") -> Assembled | None:
    """The arguments that were sent before, unless the tool has other arguments by now."""
    if sent is None or not sent["arguments"].keys() <= tool.input.keys():
        return None
    made_from = sent.get("made_from")
    if made_from is None:  # sent by a version that kept the paths alone
        made_from = cells.made_from(desk.turn.state, sent["paths"], desk.current)
    return Assembled(sent["arguments"], sent["origins"], made_from=made_from)


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
    for misfit in misfits(argument, given.value, name, hidden=is_sensitive(desk.turn, given.origin)):
        yield Block("invalid", name, str(misfit), slot)
