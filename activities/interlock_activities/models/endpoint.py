"""Where and as whom a provider is asked, out of what the plan says of its server."""

from typing import Final

from interlock.contract.calls import Json
from interlock_activities.failures import misconfigured
from interlock_activities.http_request import auth_headers
from interlock_activities.models.chat import Endpoint
from interlock_activities.references import References

_ADDRESSED: Final = ("openai", "anthropic")


def endpoint(provider: str, server: Json, references: References) -> Endpoint:
    """The address and headers, variables filled in; raises Failure, naming the variable that is missing.

    `openai` and `anthropic` have addresses of their own in a server, other providers that under `url`, if any.
    `auth: {bearer: …}` is `authorization: Bearer …`, and for Anthropic `x-api-key`, which is what it calls a key;
    whoever reaches Anthropic's format through a gateway writes `auth: {header: authorization, value: 'Bearer …'}`, and
    for Azure's form of OpenAI `auth: {header: api-key, value: …}`.
    """
    written = server.get(provider if provider in _ADDRESSED else "url") or ""
    if provider in _ADDRESSED and not written:
        raise misconfigured(f"its server has no address under {provider!r}")
    auth = server.get("auth")
    if provider == "anthropic" and auth and auth["kind"] == "bearer":
        auth = {**auth, "kind": "header", "header": "x-api-key"}
    headers, secrets = auth_headers(auth, references)
    return Endpoint(references.address(written), headers, secrets)
