"""A search as an action of a loop: what is searched for, and the passages that a model sees of it in the next round."""

from typing import TYPE_CHECKING

from interlock.interpreter.failures import Interrupted
from interlock.interpreter.masking import text_to_keep, without_secrets
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import noted, question
from interlock.interpreter.models.observing import observed
from interlock.interpreter.models.prompts import DATA, with_context
from interlock.interpreter.models.proposing import names_strangers
from interlock.interpreter.models.retrieving import searched
from interlock.interpreter.structured import object_schema
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.interpreter.models.scratchpad import Scratchpad
    from interlock.interpreter.models.selecting import Selection
    from interlock.plan.steps import ActStep

WORD = (
    "You word one search of documents, for what the user's last message asks and is not known yet. "
    "Give a few words under `query`, or null to search for the message as it stands."
)
QUERY_CHARS = 200
SCHEMA = object_schema(
    {"query": {"type": ["string", "null"], "description": f"what to search for; at most {QUERY_CHARS} characters"}}
)


def search(turn: Turn, step: "ActStep", selection: "Selection", number: int, pad: "Scratchpad") -> Calling[bool]:
    """Search a retriever; whether another action may follow. It lacks nothing, and changes nothing."""
    if not selection.ready:
        return False
    query = yield from _query(turn, step, pad)
    name = selection.candidate.name
    pad.action(number, selection)
    found = (yield from searched(turn, step, name, query)) if query else []
    pad.passages(name, found)
    return True


def _query(turn: Turn, step: "ActStep", pad: "Scratchpad") -> Calling[str]:
    """The message; once something has been found out, what a model makes of both."""
    said = turn.asking.said or str(turn.context["message"]["text"])
    if not pad.observations:
        return said.strip()
    role = roles.chooser(turn, "arguments")
    seen = without_secrets(turn, observed(turn, pad.blocks))
    messages = [
        {"role": "system", "content": f"{WORD}\n\n{DATA}"},
        {"role": "user", "content": with_context(seen, turn.asking.said or text_to_keep(turn))},
    ]
    asked = question(turn, step, "arguments", role, messages, schema=SCHEMA, partial=True)
    value = noted(turn, asked, (yield [asked])[0]) or {}
    if turn.interrupted:
        raise Interrupted
    query = str(value.get("query") or "").strip()[:QUERY_CHARS]
    return said.strip() if not query or names_strangers(turn, query) else query
