"""What a runtime sees and what it may say. It is a pure function of the one to the other, and can do nothing else.

No command, state or clock is within its reach: so equal rounds give equal moves, in a replay too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from interlock.interpreter.structured import object_schema

if TYPE_CHECKING:
    from interlock.interpreter.state import Json

NO_TOOL = "no_tool"
"""What a model says in place of a name, where it chooses none."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that may be done in this round; `description` is in the words of its author."""

    name: str
    kind: Literal["tool", "procedure", "retriever"]
    description: str


@dataclass(frozen=True, slots=True)
class View:
    """All that a runtime sees of a round.

    `ruled` is the action that the identifiers of the message choose by themselves; empty where the choice is open.
    `blocks` is the scratchpad of this step so far, oldest first, each with its `kind` and `round`:

    - `thought`: `text`, and the `control` that came with it;
    - `action`: `name`, `by` whom it was chosen, and whether `more` is to follow;
    - `observation`: `name`, `outcome`, and `result` of a success or a `message`; of a search, its `passages`.

    `asked` says whether the model has been asked in this round, `answer` what it said: none if nothing usable.
    """

    round: int
    actions: tuple[Action, ...]
    ruled: str
    blocks: "tuple[Json, ...]"
    may_hand_over: bool = False
    asked: bool = False
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model, once a round. `task` says what it decides, `properties` is the JSON Schema of each part of it.

    The actions, the author's guidance and the conversation go with the question; the observations if it `sees` them.
    """

    task: str
    properties: "Json"
    sees: bool = True

    @property
    def schema(self) -> "Json":
        """What the answer must be: an object with all of the parts, and no other."""
        return object_schema(self.properties)


@dataclass(frozen=True, slots=True)
class Act:
    """Try an action. Not `ready`: something is missing, as far as the model knows that which is named by `missing`."""

    name: str
    ready: bool = True
    missing: tuple[str, ...] = ()
    more: bool = False
    thought: str = ""


@dataclass(frozen=True, slots=True)
class HandOver:
    """Leave the conversation to a person, where the step allows it."""

    thought: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """Do no more; the flow goes on."""

    thought: str = ""


Move: TypeAlias = Ask | Act | HandOver | End


class Runtime(Protocol):
    """How the rounds go. Both methods are pure: equal arguments, equal answers, and nothing is changed."""

    def goes_on(self, blocks: "tuple[Json, ...]") -> bool:
        """Whether another round may begin after the last observation, of a success or of a call without an effect."""

    def choose(self, view: View) -> Move:
        """What is done in this round. After an `Ask` it is called again, with the answer."""
