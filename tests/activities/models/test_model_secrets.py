"""Credentials stay where they are: whatever a model service says back, they are in no answer, failure, beat or log."""

import asyncio
import base64
import json

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError

from tests.activities.models import services
from tests.activities.models.conftest import KEY, SECRET

AUTHS = {
    "bearer": {"kind": "bearer", "value": KEY},
    "basic": {"kind": "basic", "value": f"me:{KEY}"},
    "header": {"kind": "header", "header": "x-key", "value": KEY},
}


def escaped(text):
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def ways(provider, told):
    """How a service may say a credential back."""
    answer, stream = services.ANSWERS[provider], services.streamed
    halves = [told[: len(told) // 2], told[len(told) // 2 :]]
    return {
        "text": services.raw(body=answer(f"key {told}")),
        "upper": services.raw(body=answer(f"key {told.upper()}")),
        "id": services.raw(body=answer() | {"id": told}),
        "model": services.raw(body=answer() | {"model": told}),
        "elsewhere": services.raw(body=answer() | {"debug": {told: 1}}),
        "escaped": services.raw(body=json.dumps(answer("@")).replace("@", escaped(told)).encode()),
        "arguments": services.raw(body=answer(None, calls=[("t", {"a": [told]})])),
        "object": services.raw(body=answer('{"city": "' + escaped(told) + '"}')),
        "error": services.raw(401, {"error": {"message": told, "code": told}}),
        "escaped error": services.raw(500, b'{"error": {"code": "' + escaped(told).encode() + b'"}}'),
        "header": services.raw(body=answer(), x_echo=told),
        "retry": services.raw(429, body={}, retry_after=told),
        "html": services.raw(body=told.encode(), content_type="text/html"),
        "location": services.raw(302, location=f"http://{told}.test/"),
        "encoding": services.raw(body=answer(), content_encoding=told),
        "reason": services.raw(body=answer(finish=told)),
        "broken": told.encode() + b"\r\n\r\n",
        "streamed": stream(provider, pieces=[f"key {told} "]),
        "in halves": stream(provider, pieces=["key ", *halves, " more"]),
        "streamed arguments": stream(provider, calls=[("t", {"a": told})]),
        "streamed error": services.stream_of(f'data: {{"type": "error", "error": {{"code": "{told}"}}}}\n\n'.encode()),
        "streamed object": stream(provider, pieces=['{"city": "', escaped(told), '"}']),
        "event name": services.stream_of(f"event: {told}\ndata: {told}\n\n".encode()),
    }


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("auth", AUTHS)
@pytest.mark.parametrize("way", ways("openai", "x" * 9))
def test_a_credential_said_back_is_nowhere(serve, asking, generate, environment, said, provider, auth, way, watch):
    sent = base64.b64encode(f"me:{SECRET}".encode()).decode() if auth == "basic" else SECRET
    wire = serve(ways(provider, sent)[way])
    streamed = way in ("streamed", "in halves", "streamed arguments", "streamed error", "streamed object", "event name")
    schema = {"type": "object"} if "object" in way else None
    request = asking(
        wire, provider, server={"auth": AUTHS[auth]}, streamed=streamed, schema=schema,
        messages=[{"role": "user", "content": "planted-question"}],
    )  # fmt: skip
    made = environment()
    with pytest.raises(ApplicationError) as failure:
        generate(request, environment=made, during=watch)
    history = Failure()
    asyncio.run(DataConverter.default.encode_failure(failure.value, history))
    everything = f"{history} {said()} {made.beats} {watch.seen} {failure.value.details}".lower()
    assert sent in str(wire.seen[0].headers), "it was not sent"
    assert "model_called" in everything
    for planted in (sent[:10].lower(), SECRET[:10], "planted-question", "http://127"):
        assert planted not in everything
    assert failure.value.__cause__ is None


def test_a_credential_is_in_no_repr(asking):
    from interlock_activities.models.endpoint import endpoint
    from interlock_activities.references import References

    request = asking(server={"auth": AUTHS["basic"], "openai": "http://{{ env.HOST }}"})
    found = endpoint("openai", request.server, References({"HOST": "planted-host"}, {"MODEL_KEY": SECRET}))
    assert repr(found) == "Endpoint()"


def test_a_short_credential_is_blotted_out_of_messages(serve, asking, failing):
    wire = serve(status=401, body={"error": {"code": "no_kEy7_here"}})
    failure = failing(asking(wire, server={"auth": AUTHS["bearer"]}), secrets={"MODEL_KEY": "KeY7"})
    assert "[secret]" in failure.message
