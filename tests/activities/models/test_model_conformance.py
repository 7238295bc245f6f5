"""Our own providers keep to what all providers keep to. `conforms` is for others: point it at any."""

import asyncio

import pytest

from interlock_activities.addresses import AddressRules
from interlock_activities.http_client import HttpClient
from interlock_activities.models.chat import Chat, Endpoint
from interlock_activities.models.conformance import CHECKS, TOOL, conforms
from interlock_activities.models.formats import ANTHROPIC, OPENAI
from interlock_activities.models.http_provider import HttpProvider
from interlock_activities.models.scripted import ScriptedProvider
from tests.activities.models import services

WIRES = {"openai": OPENAI, "anthropic": ANTHROPIC}
SCRIPT = [
    {"when": f"'{TOOL['name']}' in tools and 'Hamburg' not in prompt", "call": TOOL["name"], "with": services.OBJECT},
    {"reply": "It is in Hamburg.", "times": 50},
]


def question(address=""):
    messages = ({"role": "user", "content": "Where is it?"},)
    return Chat(role="writer", model="m-1", messages=messages, timeout_ms=3_000, endpoint=Endpoint(address))


@pytest.fixture(params=["openai", "anthropic", "scripted"])
def pointed(request, serve):
    """Runs checks on a provider that is pointed at a service."""

    def run(check):
        async def work():
            if request.param == "scripted":
                await check(Scripted({"writer": SCRIPT}), question())
                return
            client = HttpClient(AddressRules())
            wire = serve(handler=services.obliging(request.param))
            try:
                await check(HttpProvider(client, WIRES[request.param]), question(f"http://127.0.0.1:{wire.port}/v1"))
            finally:
                await client.aclose()

        asyncio.run(work())

    return run


class Scripted(ScriptedProvider):
    """A script cannot see that an object is asked for, so the test says it."""

    async def chat(self, chat, tokens):
        if chat.schema is not None:
            return await ScriptedProvider({"writer": [{"value": services.OBJECT}]}).chat(chat, tokens)
        return await super().chat(chat, tokens)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_provider_conforms(pointed, check):
    pointed(check)


def test_all_checks_run_in_one(pointed):
    pointed(conforms)


class Broken(ScriptedProvider):
    """Gives text that nobody was shown."""

    async def chat(self, chat, tokens):
        return await super().chat(chat, lambda _: None)


def test_a_provider_that_does_not_conform_is_found():
    with pytest.raises(AssertionError, match="the pieces are not the text"):
        asyncio.run(conforms(Broken({"writer": SCRIPT}), question()))
