"""The programs of this process: one per digest, shared by all its runs for as long as one of them uses it."""

import hashlib
from collections.abc import Callable
from weakref import WeakValueDictionary

from interlock.contract.calls import ResolvedPlan
from interlock.interpreter.program import Program, link
from interlock.plan.plan import from_json

ReadPlan = Callable[[str], str | None]
"""Gives the JSON of the plan with a digest, from a store that outlives the runs, or none."""

_programs: WeakValueDictionary[str, Program] = WeakValueDictionary()
_store: list[ReadPlan] = []


def read_large_plans_with(read: ReadPlan) -> None:
    """Say where plans that are too large for a history are read from."""
    _store[:] = [read]


def program_of(resolved: ResolvedPlan) -> Program:
    """The program of the plan that a run's history names; raises if the text is not the one that the digest names."""
    program = _programs.get(resolved.digest)
    if program is None:
        text = resolved.plan_json or _stored(resolved.digest)
        if hashlib.sha256(text.encode()).hexdigest() != resolved.digest:
            raise ValueError(f"the plan that was read is not the one with digest {resolved.digest}")
        program = _programs[resolved.digest] = link(from_json(text))
    return program


def _stored(digest: str) -> str:
    text = _store[0](digest) if _store else None
    if text is None:
        raise LookupError(f"plan {digest} is too large for a history, and this worker's plan store does not have it")
    return text
