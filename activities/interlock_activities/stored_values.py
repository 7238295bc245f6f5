"""What stays outside the runs: whole values for the tools that take them, references for what tools answer."""

import asyncio
from dataclasses import replace
from typing import Any

from interlock.contract import strict_json
from interlock.contract.calls import Json, ToolRequest
from interlock.contract.limits import INLINE_LIMIT, STORED_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock.interpreter.parting import Parted, parted
from interlock.plan.base import Field
from interlock_activities.content_store import ContentStore, DamagedContentError
from interlock_activities.failures import failed, misconfigured
from interlock_activities.meaning import Received


class StoredValues:
    """Stands between a call and its transport. Large values are read and written in threads: the worker goes on."""

    def __init__(self, store: ContentStore | None) -> None:
        self._store = store

    async def whole(self, request: ToolRequest) -> ToolRequest:
        """The request with values in place of references; raises Failure, before anything is sent."""
        referring = any(one.get("stored") for one in request.arguments)
        if not referring and not request.stored:
            return request
        if self._store is None:
            raise misconfigured("it has values that are stored, and this worker has no INTERLOCK_VALUE_STORE")
        if not referring:
            return request
        return replace(request, arguments=await asyncio.to_thread(_filled, request.arguments, self._store))

    async def parted(self, request: ToolRequest, received: Received) -> Received:
        """The answer with references in place of values, all of which are stored by then; raises Failure."""
        if not request.stored or self._store is None:
            return received
        found = await asyncio.to_thread(_stored, request.stored, received.payload, self._store)
        problem = found.problem or _too_large(found.payload)
        if problem:
            raise failed(problem, retryable=False, status=received.status)
        return replace(received, payload=found.payload)


def _filled(arguments: list[Json], store: ContentStore) -> list[Json]:
    left = STORED_LIMIT
    filled = []
    for one in arguments:
        if one.get("stored"):
            content = _content(one["name"], one["value"]["digest"], store)
            left -= len(content)
            if left < 0:
                raise misconfigured(f"stored arguments of more than {STORED_LIMIT:,} bytes")
            filled.append({**one, "value": strict_json.loads(content, STORED_LIMIT)})
        else:
            filled.append(one)
    return filled


def _content(argument: str, digest: str, store: ContentStore) -> bytes:
    try:
        content = store.get(digest)
    except (DamagedContentError, OSError) as problem:
        raise failed(f"argument {argument!r} cannot be read: {_words(problem)}", sent=False, tried=False) from None
    if content is None:
        raise failed(f"argument {argument!r}: nothing is stored here under {digest[:12]}", sent=False, tried=False)
    return content


def _stored(declared: Json, payload: Any, store: ContentStore) -> Parted:
    fields = {name: Field.model_validate(one) for name, one in declared["fields"].items()}
    found = parted(fields, declared["unwrap"], payload)
    if not found.problem:
        try:
            for content in found.contents.values():
                store.put(content)
        except OSError as problem:
            raise failed(f"the answer cannot be stored: {_words(problem)}") from None
    return found


def _too_large(payload: Any) -> str:
    try:
        strict_json.check(payload, INLINE_LIMIT)
    except NotStrictJsonError as problem:
        return f"the answer is refused, but for what is stored of it: {problem}"
    return ""


def _words(problem: Exception) -> str:
    """What an operator can use, without a path of the machine."""
    return (problem.strerror or type(problem).__name__) if isinstance(problem, OSError) else str(problem)
