"""A desk that books: its tools, their library, and the plans of procedures that call them."""

import asyncio
import secrets
from textwrap import dedent

from tests.compiled import plans_in

HEAD = "apiVersion: interlock/v1\nkind: Procedure\nname: {}\nuses: [tools]\n"
LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  book:
    python: book
    effect: write
    idempotency: {argument: reference}
    input: {name: {type: string, from: caller}}
    output: {booked: {type: string}}
    produces: {booked: {at: booked}}
    ensures: [{that: result.booked != ''}]
    retry: {attempts: 2, backoff: 10ms}
  wire:
    python: wire
    effect: irreversible
    idempotency: {none: the bank has no keys}
    input: {name: {type: string, from: caller}}
    output: {booked: {type: string}}
    ensures: [{that: result.booked != ''}]
  unbook:
    python: unbook
    effect: write
    idempotency: {argument: reference}
    input: {booked: {type: string, from: cells.book.booked}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
  grow:
    python: grow
    effect: read
    output: {text: {type: string}}
"""


class Desk:
    """Tools that remember their calls; they fail as long as `broken`, and for names other than `only` if that is set."""

    def __init__(self):
        self.calls, self.broken, self.booked, self.only = [], False, asyncio.Event(), None

    async def book(self, name, reference):
        self.calls.append(("book", name, reference))
        self.booked.set()
        return self._answer(name)

    async def wire(self, name):
        self.calls.append(("wire", name, ""))
        return self._answer(name)

    def _answer(self, name):
        if self.broken or (self.only is not None and name not in self.only):
            raise RuntimeError("broken")
        return {"booked": f"00{name}"}

    async def unbook(self, booked, reference):
        self.calls.append(("unbook", booked, reference))
        return {"gone": True}

    async def grow(self):
        return {"text": secrets.token_hex(110_000)}

    @property
    def functions(self):
        return {"book": self.book, "unbook": self.unbook, "wire": self.wire, "grow": self.grow}


def plans_of(folder, **procedures):
    """The plans of procedures given as name to the keys below the head."""
    (folder / "tools.yaml").write_text(LIBRARY)
    for name, text in procedures.items():
        (folder / f"{name}.yaml").write_text(HEAD.format(name.replace("_", "-")) + dedent(text))
    return tuple(plans_in(folder).values())
