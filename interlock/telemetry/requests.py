"""What the span of an activity says: of a call of a tool, a question to a model, a search, in OpenTelemetry's names.

Arguments of tools and questions of searches are not among it: they may hold what is `sensitive`, which the workflow's
own spans have masked. A further stage that is an activity is one more case here.
"""

import json
from typing import Any, NamedTuple

from temporalio.exceptions import ApplicationError

from interlock.contract.calls import ToolAnswer, ToolRequest
from interlock.contract.memory import MemoryEntry, MemoryQuestion
from interlock.contract.models import ModelAnswer, ModelRequest
from interlock.contract.retrieval import Passages, RetrieveRequest
from interlock.telemetry.spans import Facts, Kind

STAGES = {"selection": "tool-selection", "arguments": "argument-generation", "generation": "generation"}
"""What a model is asked for, to the stage of a turn."""


class Said(NamedTuple):
    """The name of a span and what is known at once: facts, and texts that stand in it only where that is allowed."""

    name: str
    facts: Facts
    texts: Facts = {}
    kind: Kind = "internal"


def asked(request: Any) -> Said | None:
    """The span of what an activity is asked; none for one that is no stage."""
    match request:
        case ToolRequest():
            return Said("tool-call", _of_call(request))
        case ModelRequest():
            name = STAGES.get(request.stage, request.stage)
            return Said(name, _of_question(request), _texts_of_question(request), "client")
        case RetrieveRequest():
            return Said("retrieval", _of_search(request))
        case MemoryQuestion():
            return Said("memory-read", {"interlock.memory.by": request.person.by})
        case MemoryEntry():
            facts = {"interlock.memory.by": request.person.by, "interlock.memory.results": len(request.found)}
            return Said("memory-write", facts)
        case _:
            return None


def answered(answer: Any) -> tuple[Facts, Facts]:
    """Facts and texts of an answer."""
    match answer:
        case ToolAnswer():
            return {"interlock.tool.status": answer.status}, {}
        case ModelAnswer():
            return _of_answer(answer), {"gen_ai.output.messages": [_written(answer)]}
        case Passages():
            found = {"interlock.retrieval.passages": len(answer.passages)}
            return found, {"interlock.retrieval.documents": answer.passages}
        case _:
            return {}, {}


def _of_call(request: ToolRequest) -> Facts:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": request.tool,
        "gen_ai.tool.call.id": request.call_id,
        "interlock.tool.transport": request.transport,
        "interlock.step": request.step,
        "interlock.run": request.run_id,
    }


def _of_question(request: ModelRequest) -> Facts:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": request.provider,
        "gen_ai.system": request.provider,  # its older name, which many still read
        "gen_ai.request.model": request.model,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.max_tokens": request.max_tokens,
        "interlock.role": request.role,
        "interlock.step": request.step,
        "interlock.run": request.run_id,
        "interlock.call": request.call_id,
    }


def _of_answer(answer: ModelAnswer) -> Facts:
    return {
        "gen_ai.response.id": answer.id,
        "gen_ai.response.model": answer.model,
        "gen_ai.response.finish_reasons": [answer.finish],
        "gen_ai.usage.input_tokens": answer.input_tokens,
        "gen_ai.usage.output_tokens": answer.output_tokens,
        "interlock.rung": answer.rung,
    }


def retriever_of(request: RetrieveRequest) -> str:
    """What is searched, in words of the spec."""
    retriever = request.retriever
    return retriever.get("python") or f"{retriever.get('bundle')}/{retriever.get('documents')}"


def failure_of(error: BaseException) -> str:
    """The kind of a failure, which is all that is told of it."""
    return (error.type if isinstance(error, ApplicationError) else None) or type(error).__name__


def _of_search(request: RetrieveRequest) -> Facts:
    return {
        "interlock.retriever": retriever_of(request),
        "interlock.step": request.step,
        "interlock.run": request.run_id,
    }


def _texts_of_question(request: ModelRequest) -> Facts:
    sent = [_message(one["role"], str(one.get("content") or "")) for one in request.messages]
    return {"gen_ai.input.messages": sent}


def _written(answer: ModelAnswer) -> Facts:
    text = answer.text or ("" if answer.value is None else json.dumps(answer.value, ensure_ascii=False))
    return _message("assistant", text) | {"finish_reason": answer.finish}


def _message(role: str, text: str) -> Facts:
    return {"role": role, "parts": [{"type": "text", "content": text}]}
