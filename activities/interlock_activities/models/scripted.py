"""The scripted provider: a model that says what a script says, for tests, demonstrations and work without a network."""

from collections import Counter
from collections.abc import Mapping, Sequence

from interlock.contract.calls import Json
from interlock.interpreter.scripted import NO_REPLY, Asked, Script, said
from interlock.plan.models import GENERAL
from interlock_activities.failures import Failure, failed, timed_out
from interlock_activities.models.chat import Chat, Completion, Rung, Tokens
from interlock_activities.models.pace import estimated_tokens

_OVERLOADED_MS = 1_000


class ScriptedProvider:
    """A `ChatProvider` with a script for each role; how often a reply was used is counted as long as it lives."""

    rungs: tuple[Rung, ...] = ("schema",)

    def __init__(self, scripts: Mapping[str, Sequence[Json]]) -> None:
        self._scripts = {role: Script(replies) for role, replies in scripts.items()}
        self._used: dict[str, Counter[int]] = {role: Counter() for role in scripts}

    async def chat(self, chat: Chat, tokens: Tokens) -> Completion:
        """The first reply that matches; raises Failure for a fault, and where no reply is left."""
        asked = Asked(chat.role, chat.messages, chat.tools, chat.schema, chat.max_bytes)
        role = chat.role if chat.role in self._scripts else GENERAL
        script = self._scripts.get(role)
        at = script.pick(asked, self._used[role]) if script else None
        if script is None or at is None:
            raise failed(NO_REPLY, retryable=False)
        self._used[role][at] += 1
        answer = said(script.replies[at], asked)
        if answer.fault == "timeout":
            raise timed_out(chat.timeout_ms)
        if answer.fault:
            status = 429 if answer.fault == "overloaded" else 500
            pause = _OVERLOADED_MS if answer.fault == "overloaded" else None
            raise Failure("error", f"status {status} (scripted)", True, status, retry_after_ms=pause)
        if chat.streamed:
            for word in _words(answer.text):
                tokens(word)
        return Completion(
            text=answer.text,
            calls=answer.calls,
            finish=answer.finish,
            model=chat.model,
            id=f"scripted-{at + 1}",
            input_tokens=estimated_tokens(chat),
            output_tokens=len(answer.text.split()),
        )


def _words(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + text.split(" ")[-1:] if text else []
