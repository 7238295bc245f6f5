"""A plan made ready to run: everything compiled and looked up once, shared by all sessions of a process."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from interlock.expressions.compile import compile_all
from interlock.expressions.outcomes import Missing
from interlock.expressions.sources import Expression, Source, Value
from interlock.expressions.sources import Text as TextSource
from interlock.interpreter.decomposing.registry import decomposer_of
from interlock.interpreter.finder import Finder
from interlock.interpreter.gate_order import screens_of, stretches_of
from interlock.interpreter.lookups import looked_up
from interlock.interpreter.routing import Routes
from interlock.interpreter.runtimes.registry import runtime_of
from interlock.interpreter.screening import Screens
from interlock.interpreter.tables import Table
from interlock.interpreter.texts_of_plan import expressions_of, texts_of, told_in, values_of, variables_of
from interlock.plan.base import EVERY_LANGUAGE, Text
from interlock.plan.plan import Plan
from interlock.plan.sensitive import sensitive_in
from interlock.plan.steps import ActStep, CallStep, steps_in

Compiled: TypeAlias = Callable[[Mapping[str, Any]], Any]

PROGRAMS_KEPT = 256


class Program:
    """One plan with its compiled expressions, texts and values. Immutable once made."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.digest = plan.digest
        self.decomposers = {name: decomposer_of(name) for name in _decomposers(plan)}
        self.runtimes = {name: runtime_of(name) for name in _runtimes(plan)}
        self.mounts = {mount.call: mount for mount in plan.mounts}
        self.screens = Screens(plan)
        self.finder = Finder(plan)
        self.prefixes = sorted((gate for gate in plan.gates if gate.prefix), key=lambda gate: -len(gate.prefix))
        self.routes = Routes(plan)
        self.tables = {name: Table(decision) for name, decision in plan.decisions.items()}
        self.identifiers = frozenset(name for name, slot in plan.slots.items() if slot.kind == "patterns")
        self.written = frozenset(
            step.id for steps in plan.flows.values() for step in steps_in(steps) if step.action == "generate"
        )
        self.extracted = tuple(name for name, slot in plan.slots.items() if slot.kind == "extract")
        self.slots_of: dict[str, list[str]] = {}
        for name, slot in plan.slots.items():
            if slot.kind == "vocabulary":
                self.slots_of.setdefault(slot.vocabulary, []).append(name)
        self.bare = tuple(name for name, slot in plan.slots.items() if slot.in_context)
        self.looked_up = looked_up(plan)
        self.looks_up = any(tool.fact is not None for tool in plan.tools.values())
        self.watches = bool(self.looked_up) or any(slot.looks_like for slot in plan.slots.values())
        self.followed = tuple(name for name, intent in plan.intents.items() if intent.follow_up)
        self.tools_of: dict[str, set[str]] = {}
        for mount in plan.mounts:
            self.tools_of.setdefault(mount.intent, set()).add(mount.call)
        self.told = told_in(plan)
        self.no_slots: dict[str, Any] = dict.fromkeys(plan.slots)
        self.no_intents = dict.fromkeys(plan.intents, False)
        self.no_vars: dict[str, Any] = dict.fromkeys(variables_of(plan))
        self._titles = {
            (name, term.code): term.title for name, words in plan.vocabularies.items() for term in words.terms
        }
        self._capabilities = {name: _capability(plan, name) for name in plan.slots}
        compiled = compile_all(_sources(plan))
        self._conditions, self._texts, self._values = (
            {text: function for (kind, text), function in compiled.items() if kind == wanted}
            for wanted in ("when", "text", "value")
        )
        self.screen_gates = screens_of(plan)
        self.sensitive = sensitive_in(plan)
        self.sensitive_slots = frozenset(
            name for name in plan.slots if self.sensitive is not None and self.sensitive.within(("slots", name))
        )
        self.gates = stretches_of(plan)

    def condition(self, expression: str) -> Compiled:
        """The condition under a `when` or `that` of this plan: gives True, False or `NotMet`."""
        return self._conditions[expression]

    def text(self, text: Text, language: str) -> Compiled:
        """A text for people in `language`, or in the first language it has; gives a string or raises `Missing`."""
        chosen = text.get(language)
        if chosen is None:
            chosen = text.get(EVERY_LANGUAGE)
        if chosen is None:
            chosen = next((text[one] for one in self.plan.languages if one in text), None) or next(iter(text.values()))
        return self._texts[chosen]

    def value(self, value: Any) -> Compiled:
        """A value of this plan in which strings are templates; gives JSON or raises `Missing`."""
        return self._values[_key(value)]

    def term_title(self, vocabulary: str, code: str, language: str) -> str:
        """How people read a code: its title, or the code where there is none."""
        title = self._titles.get((vocabulary, code))
        if title is None:
            return code
        try:
            return str(self.text(title, language)({"config": self.plan.config}))
        except Missing:
            return code

    def is_code(self, vocabulary: str, value: Any) -> bool:
        """Whether a value is a code of the vocabulary."""
        return isinstance(value, str) and (vocabulary, value) in self._titles

    def capability(self, slot: str) -> tuple[frozenset[str], frozenset[str]]:
        """Intents and tools that `slot` serves: tools that read it, and the intents of their mounts."""
        return self._capabilities[slot]


_PROGRAMS: dict[str, Program] = {}


def link(plan: Plan) -> Program:
    """The program of `plan`; the same object for plans of one digest, as long as it is among the last used."""
    program = _PROGRAMS.pop(plan.digest, None) or Program(plan)
    _PROGRAMS[plan.digest] = program
    while len(_PROGRAMS) > PROGRAMS_KEPT:
        del _PROGRAMS[next(iter(_PROGRAMS))]
    return program


def _capability(plan: Plan, slot: str) -> tuple[frozenset[str], frozenset[str]]:
    path = f"slots.{slot}"
    tools = {name for name, tool in plan.tools.items() if any(one.source == path for one in tool.input.values())}
    intents = {mount.intent for mount in plan.mounts if mount.intent and mount.call in tools}
    return frozenset(intents), frozenset(tools)


def _runtimes(plan: Plan) -> set[str]:
    """Those that the Agent and its steps name."""
    steps = (step for flow in plan.flows.values() for step in steps_in(flow))
    return {plan.runtime, *(step.runtime for step in steps if isinstance(step, ActStep) and step.runtime)}


def _decomposers(plan: Plan) -> set[str]:
    steps = (step for flow in plan.flows.values() for step in steps_in(flow))
    return {step.decompose for step in steps if isinstance(step, CallStep) and step.decompose}


def _key(value: Any) -> str:
    return value if isinstance(value, str) else "\0" + json.dumps(value, sort_keys=True)


def _sources(plan: Plan) -> dict[tuple[str, str], Source]:
    sources: dict[tuple[str, str], Source] = {}
    sources.update({("when", text): Expression(text) for text in expressions_of(plan)})
    sources.update({("text", text): TextSource(text) for text in texts_of(plan)})
    sources.update({("value", _key(value)): Value(value) for value in values_of(plan)})
    return sources
