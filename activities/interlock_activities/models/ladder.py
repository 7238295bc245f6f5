"""Asks for one object as a schema says in the best way that a service knows, and keeps in mind which that is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from interlock.contract.calls import Json
from interlock.interpreter.structured import Found, checked, object_in
from interlock_activities.failures import Failure, misconfigured
from interlock_activities.models.chat import Chat, Completion, Rung, Unsupported
from interlock_activities.models.learnt import Learnt

Ask: TypeAlias = Callable[[Chat], Awaitable[Completion]]

_ENDS = {"refused": "the model refused", "length": "the answer was cut off at its greatest length"}


@dataclass(frozen=True, slots=True)
class Structured:
    """A completion, and the object in it that a schema asked for."""

    completion: Completion
    value: Any = None
    problem: str = ""
    rung: Rung = ""


class Ladder:
    """Goes down a provider's rungs where a service refuses one, and begins there the next time."""

    def __init__(self) -> None:
        self._learnt: Learnt[tuple[str, str], Rung] = Learnt()

    async def answer(self, chat: Chat, rungs: tuple[Rung, ...], ask: Ask) -> Structured:
        """The answer, and what was asked for with it; raises Failure where no way is known."""
        if chat.schema is None:
            return Structured(await ask(chat))
        if chat.choose not in ("auto", "none"):
            raise misconfigured("an object is asked for, and the call of a tool is forced")
        service = (chat.endpoint.address, chat.model)
        begin = self._learnt.get(service, rungs[0])
        left = list(rungs[rungs.index(begin) :] if begin in rungs else rungs)
        while True:
            rung = left.pop(0)
            asked = _asked(chat, rung)
            try:
                completion = await ask(asked)
            except Unsupported as refusal:
                if left:
                    continue
                raise Failure("error", refusal.message, retryable=False, status=refusal.status) from None
            self._learnt.put(service, rung)
            return _read(completion, asked, _object_tool(chat))


def _asked(chat: Chat, rung: Rung) -> Chat:
    if rung == "tool":
        tool = _object_tool(chat)
        described = "Gives the answer. Its arguments are the answer."
        own: Json = {"name": tool, "description": described, "parameters": chat.schema}
        others = chat.tools if chat.choose == "auto" else ()
        return replace(chat, rung=rung, tools=(*others, own), choose="required" if others else tool)
    asked = replace(chat, rung=rung)
    return asked.instructed() if rung in ("json", "text") else asked


def _object_tool(chat: Chat) -> str:
    """A name for the tool whose arguments are the answer, unlike all others."""
    taken = {tool["name"] for tool in chat.tools}
    return next(name for name in ("answer", *(f"answer_{n}" for n in range(len(taken) + 1))) if name not in taken)


def _read(completion: Completion, asked: Chat, tool: str) -> Structured:
    if asked.rung == "tool":
        given = [call for call in completion.calls if call["name"] == tool]
        others = tuple(call for call in completion.calls if call["name"] != tool)
        finish = "stop" if completion.finish == "calls" and not others else completion.finish
        completion = replace(completion, calls=others, finish=finish)
        found = _found_in_call(given[0]["arguments"], asked) if given and finish not in _ENDS else None
    else:
        found = None
    found = found or _found_in_text(completion, asked)
    return Structured(completion, found.value, found.problem, asked.rung)


def _found_in_call(arguments: Json | None, asked: Chat) -> Found:
    if arguments is None:
        return Found(problem="its arguments are no JSON object")
    return checked(arguments, asked.schema, partial=asked.partial)


def _found_in_text(completion: Completion, asked: Chat) -> Found:
    if completion.finish in _ENDS:
        return Found(problem=_ENDS[completion.finish])
    if completion.calls:
        known = {tool["name"] for tool in asked.tools}
        called = all(call["name"] in known for call in completion.calls)
        return Found(problem="it called tools instead" if called else "it called a tool that there is not")
    return object_in(completion.text, asked.schema, partial=asked.partial)
