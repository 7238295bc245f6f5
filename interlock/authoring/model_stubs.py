"""The stubbed models and retrievers of a suite: what they say and find, by the scripts that its author wrote."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.contract.limits import INLINE_LIMIT
from interlock.expressions import Expression, compile_all
from interlock.interpreter.events import Generated, Retrieved
from interlock.interpreter.scripted import Asked, Script, said
from interlock.interpreter.structured import object_in
from interlock.plan.models import GENERAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from interlock.interpreter.commands import Generate, Retrieve
    from interlock.spec.suite import FoundStub, ModelStub, Stub

    Conditions = Mapping[tuple[str, int], Callable[[dict[str, Any]], Any]]


S = TypeVar("S", "Stub", "FoundStub")


def conditions_of(stubs: Mapping[str, Sequence[S]]) -> Conditions:
    """The conditions of stubs by their name and place, compiled together; a stub may have none."""
    return compile_all(
        {
            (name, place): Expression(stub.when)
            for name, each in stubs.items()
            for place, stub in enumerate(each)
            if stub.when is not None
        }
    )


class StubbedModels:
    """The scripts of a suite, compiled once."""

    def __init__(
        self, models: Mapping[str, Sequence[ModelStub]], retrievers: Mapping[str, Sequence[FoundStub]]
    ) -> None:
        self.scripts = {role: Script([_reply(one) for one in replies]) for role, replies in models.items()}
        self.retrievers = retrievers
        self.conditions = conditions_of(retrievers)


class StubbedWriters:
    """Answers the questions of one case; what is used up is remembered."""

    def __init__(self, stubs: StubbedModels) -> None:
        self._stubs = stubs
        self._used: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.unanswered: list[str] = []

    def write(self, question: Generate, now_ms: int) -> Generated:
        """What the model of the role says, by its script or by that of `general`."""
        role = question.role if question.role in self._stubs.scripts else GENERAL
        script = self._stubs.scripts.get(role)
        asked = Asked(question.role, question.messages, schema=question.schema, max_bytes=INLINE_LIMIT)
        number = script.pick(asked, self._used[role]) if script else None
        if script is None or number is None:
            self.unanswered.append(question.role)
            return Generated(question.call_id, now_ms, message=f"no stub of model {question.role!r} answers this")
        self._used[role][number] = self._used[role].get(number, 0) + 1
        return _generated(question, script.replies[number], asked, now_ms)

    def find(self, search: Retrieve, now_ms: int) -> Retrieved:
        """What the retriever finds; nothing where no stub speaks of it."""
        for place, stub in enumerate(self._stubs.retrievers.get(search.retriever, ())):
            condition = self._stubs.conditions.get((search.retriever, place))
            if condition is None or condition({"query": search.query}):
                if stub.passages is None:
                    return Retrieved(search.call_id, now_ms, message="stubbed error")
                passages = tuple(_passage(one) for one in stub.passages[: search.top])
                return Retrieved(search.call_id, now_ms, passages)
        return Retrieved(search.call_id, now_ms, ())


def _reply(stub: ModelStub) -> dict[str, Any]:
    given = stub.model_dump(by_alias=True, exclude_none=True)
    return {key: value for key, value in given.items() if key in stub.model_fields_set or key == "with"}


def _passage(stub: Any) -> dict[str, Any]:
    source = {key: getattr(stub, key) for key in ("title", "document", "locator") if getattr(stub, key)}
    return {"text": stub.text, "source": source, "score": 1.0}


def _generated(question: Generate, reply: dict[str, Any], asked: Asked, now_ms: int) -> Generated:
    """The end of the question as a worker's activity would tell it."""
    spoken = said(reply, asked)
    if spoken.fault or len(spoken.text) > INLINE_LIMIT:
        return Generated(
            question.call_id, now_ms, message=f"stubbed {spoken.fault or 'answer that is too large'}", attempts=1
        )
    if question.schema is None:
        return Generated(question.call_id, now_ms, model_answer(question, text=spoken.text, finish=spoken.finish))
    found = object_in(spoken.text, question.schema, partial=question.partial)
    return Generated(
        question.call_id, now_ms, model_answer(question, spoken.text, found.value, found.problem, spoken.finish)
    )


def model_answer(
    question: Generate, text: str = "", value: Any = None, problem: str = "", finish: str = "stop"
) -> dict[str, Any]:
    """The fields of a `ModelAnswer`, as if one attempt had given it."""
    return {
        "text": text,
        "finish": finish,
        "model": f"stub of {question.role}",
        "id": question.call_id,
        "elapsed_ms": 0,
        "attempts": 1,
        "calls": [],
        "value": value,
        "problem": problem,
        "rung": "schema" if question.schema is not None else "",
        "input_tokens": None,
        "output_tokens": None,
    }
