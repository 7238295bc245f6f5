"""What the machine asks of its shell, as frozen data. Nothing here is done by the machine itself."""

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool of the plan once (with the attempts of its retry policy) and answer with `ToolReturned`.

    Several in one list are independent and may run side by side. `arguments` are by declared argument name.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    step: str
    at: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a turn: `body` is the reply of the public contract, and stands in the state too."""

    message_id: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Changed:
    """The status of the session or its outbox changed; the shell may update what it shows about the run."""

    status: str


Command: TypeAlias = CallTool | Reply | Changed
