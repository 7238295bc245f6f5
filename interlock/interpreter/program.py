"""A plan made ready to run: everything compiled and looked up once, shared by all sessions of a process."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from interlock.expressions.compile import compile_all
from interlock.expressions.sources import Expression, Source, Value
from interlock.expressions.sources import Text as TextSource
from interlock.interpreter.texts_of_plan import expressions_of, texts_of, values_of
from interlock.plan.base import EVERY_LANGUAGE, Text
from interlock.plan.plan import Plan
from interlock.plan.tools import Mount

Compiled: TypeAlias = Callable[[Mapping[str, Any]], Any]

PROGRAMS_KEPT = 256


class Program:
    """One plan with its compiled expressions, texts and values. Immutable once made."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.digest = plan.digest
        self.mounts: dict[str, Mount] = {mount.call: mount for mount in plan.mounts}
        self._compiled = compile_all(_sources(plan))

    def condition(self, expression: str) -> Compiled:
        """The condition under a `when` or `that` of this plan: gives True, False or `NotMet`."""
        return self._compiled["when", expression]

    def text(self, text: Text, language: str) -> Compiled:
        """A text for people in `language`, or in the first language it has; gives a string or raises `Missing`."""
        chosen = text.get(language)
        if chosen is None:
            chosen = text.get(EVERY_LANGUAGE)
        if chosen is None:
            chosen = next((text[one] for one in self.plan.languages if one in text), None) or next(iter(text.values()))
        return self._compiled["text", chosen]

    def value(self, value: Any) -> Compiled:
        """A value of this plan in which strings are templates; gives JSON or raises `Missing`."""
        return self._compiled["value", _key(value)]


@lru_cache(maxsize=PROGRAMS_KEPT)
def _linked(digest: str, holder: "_Holder") -> Program:  # noqa: ARG001 - the digest is the key
    return Program(holder.plan)


class _Holder:
    """Carries a plan past the cache's key: equal to any other, so that the digest alone decides."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder)

    def __hash__(self) -> int:
        return 0


def link(plan: Plan) -> Program:
    """The program of `plan`; the same object for plans of one digest."""
    return _linked(plan.digest, _Holder(plan))


def _key(value: Any) -> str:
    return value if isinstance(value, str) else "\0" + json.dumps(value, sort_keys=True)


def _sources(plan: Plan) -> dict[tuple[str, str], Source]:
    sources: dict[tuple[str, str], Source] = {}
    sources.update({("when", text): Expression(text) for text in expressions_of(plan)})
    sources.update({("text", text): TextSource(text) for text in texts_of(plan)})
    sources.update({("value", _key(value)): Value(value) for value in values_of(plan)})
    return sources
