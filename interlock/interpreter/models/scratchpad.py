"""The scratchpad of one `act` step: thoughts, actions and observations, in the order in which they came.

It is JSON, and all that the loop knows: one that a procedure interrupts goes on from it as if it had never stopped.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.interpreter.runtimes.port import HandOver, Move
from interlock.interpreter.turn import CallResult

if TYPE_CHECKING:
    from interlock.interpreter.models.selecting import Selection
    from interlock.interpreter.state import Json

THOUGHT_CHARS = 500
"""How much of what a model gives as its reason is kept."""

UNSHOWN = ("result", "passages", "went_out", "from")
"""What of a block is not in the record: results stand there with their calls, as far as they may be seen."""


@dataclass(slots=True)
class Scratchpad:
    """The blocks so far."""

    blocks: "list[Json]" = field(default_factory=list)

    @property
    def round(self) -> int:
        """The last round begun; 0 before the first."""
        return int(self.blocks[-1]["round"]) if self.blocks else 0

    @property
    def observations(self) -> "list[Json]":
        """What came of the actions."""
        return [block for block in self.blocks if block["kind"] == "observation"]

    def thought(self, number: int, move: Move, selection: "Selection | None") -> None:
        """What a runtime has decided, and why; a choice without a word leaves nothing."""
        text = getattr(move, "thought", "")[:THOUGHT_CHARS]
        if text:
            control = "continue" if selection else "hand_off" if isinstance(move, HandOver) else "end"
            self.blocks.append({"kind": "thought", "round": number, "text": text, "control": control})

    def action(self, number: int, selection: "Selection") -> None:
        """What is tried."""
        block = {"name": selection.candidate.name, "by": selection.by, "more": selection.more}
        self.blocks.append({"kind": "action", "round": number, **block})

    @property
    def ends(self) -> "list[Json]":
        """Where the results are from."""
        return [block["from"] for block in self.observations if "from" in block]

    def observation(self, result: CallResult, run: str = "") -> None:
        """What came of it; `run` is the one of a procedure."""
        came: Json = {"result": result.result} if result.outcome == "success" else {}
        said = {"message": result.message} if result.message else {}
        block: Json = {"name": result.tool, "outcome": result.outcome, **came, **said}
        block["went_out"] = result.went_out
        if "result" in block and (run or result.receipt_id):
            block["from"] = {"run": run} if run else {"receipt": result.receipt_id}
        self.blocks.append({"kind": "observation", "round": self.round, **block})

    def passages(self, name: str, found: "list[Json] | None") -> None:
        """What came of a search; none where it has failed."""
        outcome = "error" if found is None else "success"
        block = {"name": name, "outcome": outcome, "passages": found or [], "went_out": False}
        self.blocks.append({"kind": "observation", "round": self.round, **block})

    @property
    def found(self) -> "list[Json]":
        """The passages of all searches."""
        return [one for block in self.observations for one in block.get("passages", ())]

    def results(self, step: str, at: str) -> list[CallResult]:
        """The calls and runs that the blocks tell of; those of an earlier turn do not count as calls of this one."""
        return [
            CallResult(
                block["name"], step, at, block["outcome"], result=block.get("result"), message=block.get("message", "")
            )
            for block in self.observations
            if "passages" not in block
        ]


def for_record(block: "Json") -> "dict[str, Any]":
    """A block without the values that calls have brought."""
    return {key: value for key, value in block.items() if key not in UNSHOWN}
