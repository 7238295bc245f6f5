"""What every provider of models keeps to, as plain functions that assert it: for tests of providers, ours and others'.

Give `conforms` a provider and a chat with an endpoint and a model that answer; or each of `CHECKS`, for a test of its
own. A live model is asked about a dozen short questions.
"""

import asyncio
import copy
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, TypeAlias, get_args

from interlock.contract.calls import Json
from interlock_activities.failures import Failure
from interlock_activities.models.chat import Chat, ChatProvider, Completion, Endpoint, Finish, Rung
from interlock_activities.models.ladder import Ladder

Check: TypeAlias = Callable[[ChatProvider, Chat], Awaitable[None]]

TOOL: Final[Json] = {
    "name": "look_up",
    "description": "Looks a city up.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
_CANCELLED_WITHIN_S: Final = 2.0
_AT_ONCE: Final = 4
_NOWHERE: Final = "http://127.0.0.1:1/v1"
_CREDENTIAL: Final = "a-credential-to-be-kept"


async def conforms(provider: ChatProvider, chat: Chat) -> None:
    """Runs every check, one after the other."""
    for check in CHECKS:
        await check(provider, chat)


async def names_its_rungs(provider: ChatProvider, _: Chat) -> None:
    """It knows at least one way to be asked for an object, each once."""
    assert provider.rungs, "no rungs"
    assert len(set(provider.rungs)) == len(provider.rungs), "a rung stands twice"
    assert set(provider.rungs) <= set(get_args(Rung)) - {""}, f"unknown rungs among {provider.rungs}"


async def answers_in_text(provider: ChatProvider, chat: Chat) -> None:
    """A plain question has an answer, and stays as it was asked."""
    before = copy.deepcopy(chat)
    completion = await provider.chat(chat, _nobody)
    _sound(completion)
    assert completion.text, "no text"
    assert completion.finish in ("stop", "length"), completion.finish
    assert chat == before, "the chat was changed"


async def shows_what_it_writes(provider: ChatProvider, chat: Chat) -> None:
    """A streamed answer has been shown whole, piece by piece, when it is given."""
    pieces: list[str] = []
    completion = await provider.chat(replace(chat, streamed=True), pieces.append)
    _sound(completion)
    assert "".join(pieces) == completion.text, "the pieces are not the text"
    assert all(pieces), "an empty piece"


async def ends_where_nobody_may_see_it(provider: ChatProvider, chat: Chat) -> None:
    """A Failure raised by `tokens` ends the call."""

    def refuse(_: str) -> None:
        raise Failure("error", "not to be seen", retryable=False)

    failure = await _failure_of(provider, replace(chat, streamed=True), refuse)
    assert failure.message == "not to be seen", failure.message


async def takes_a_conversation(provider: ChatProvider, chat: Chat) -> None:
    """Messages of every role are taken, calls and their results among them."""
    call = {"id": "call_7", "name": TOOL["name"], "arguments": {"city": "Hamburg"}}
    messages: tuple[Json, ...] = (
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "Where is Hamburg?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_7", "content": '{"country": "Germany"}'},
        {"role": "user", "content": "And in one word?"},
        {"role": "user", "content": "Please."},
    )
    _sound(await provider.chat(replace(chat, messages=messages, tools=(TOOL,)), _nobody))


async def calls_a_tool(provider: ChatProvider, chat: Chat) -> None:
    """The tool that must be called is called, streamed or not."""
    for streamed in (False, True):
        asked = replace(chat, tools=(TOOL,), choose=TOOL["name"], streamed=streamed)
        completion = await provider.chat(asked, _nobody)
        _sound(completion)
        assert completion.finish == "calls", completion.finish
        assert completion.calls[0]["name"] == TOOL["name"], "another tool was called"


async def gives_an_object(provider: ChatProvider, chat: Chat) -> None:
    """An object that a schema asks for comes by one of the rungs."""
    asked = replace(chat, schema=SCHEMA)
    found = await Ladder().answer(asked, provider.rungs, lambda one: provider.chat(one, _nobody))
    assert found.value is not None, f"no object at {found.rung!r}: {found.problem}"
    assert set(found.value) == {"city"}, "another object"


async def serves_many(provider: ChatProvider, chat: Chat) -> None:
    """Several questions at once have their answers."""
    for completion in await asyncio.gather(*(provider.chat(chat, _nobody) for _ in range(_AT_ONCE))):
        _sound(completion)


async def ends_when_cancelled(provider: ChatProvider, chat: Chat) -> None:
    """A call that is cancelled ends at once, unless it is done."""
    running = asyncio.ensure_future(provider.chat(chat, _nobody))
    await asyncio.sleep(0)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=_CANCELLED_WITHIN_S)
    assert done, "it runs on"
    assert running.cancelled() or running.exception() is None, repr(running.exception())


async def fails_where_nobody_answers(provider: ChatProvider, chat: Chat) -> None:
    """A service that cannot be reached is a Failure that may pass, and tells no credential."""
    if not chat.endpoint.address:
        return  # it asks nobody
    nowhere = Endpoint(_NOWHERE, {"authorization": f"Bearer {_CREDENTIAL}"}, (_CREDENTIAL,))
    failure = await _failure_of(provider, replace(chat, endpoint=nowhere), _nobody)
    assert failure.retryable, "it may pass"
    assert failure.kind in ("error", "timeout"), failure.kind
    assert _CREDENTIAL not in f"{failure} {failure!r}", "a credential is told"


CHECKS: Final[tuple[Check, ...]] = (
    names_its_rungs,
    answers_in_text,
    shows_what_it_writes,
    ends_where_nobody_may_see_it,
    takes_a_conversation,
    calls_a_tool,
    gives_an_object,
    serves_many,
    ends_when_cancelled,
    fails_where_nobody_answers,
)


def _sound(completion: Completion) -> None:
    assert isinstance(completion.text, str)
    assert completion.finish in get_args(Finish), completion.finish
    assert (completion.finish == "calls") <= bool(completion.calls), "calls without a call"
    ids = [call["id"] for call in completion.calls]
    assert all(ids), "a call without an id"
    assert len(set(ids)) == len(ids), "two calls have one id"
    for call in completion.calls:
        assert set(call) == {"id", "name", "arguments"}, sorted(call)
        assert isinstance(call["arguments"], dict | None), "arguments that are no object"
    for tokens in (completion.input_tokens, completion.output_tokens):
        assert tokens is None or (type(tokens) is int and tokens >= 0), tokens


async def _failure_of(provider: ChatProvider, chat: Chat, tokens: Callable[[str], None]) -> Failure:
    try:
        await provider.chat(chat, tokens)
    except Failure as failure:
        return failure
    raise AssertionError("it answered")


def _nobody(_: str) -> None:
    """Watches nothing."""
