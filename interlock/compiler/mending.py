"""Mends what has the wrong shape in a document, so that all the rest of it can be checked in the same run.

A key, a word or an action that was plainly meant takes the place of what is written. What is not plain is left out, or
something stands in for it where it is required: that is a hole, and what depends on it is not to be judged.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from interlock.compiler.rewritten import GONE, Rewritten
from interlock.compiler.shape import MOST_FINDINGS, path_of, shape_findings
from interlock.compiler.shape_keys import fitting_key, meant_action
from interlock.compiler.shape_values import meant_form, meant_value
from interlock.compiler.stand_ins import STAND_IN, stand_in
from interlock.spec import KINDS
from interlock.spec.forms import form_at, is_text, keys_of, model_of
from interlock.spec.rules import AnyOf, OneOf
from interlock.spec.steps import ACTIONS, BaseStep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from interlock.diagnostics import Diagnostic
    from interlock.source import Document, KeyPath
    from interlock.spec import Spec
    from interlock.spec.base import SpecModel

MOST_ROUNDS = 24
"""Each round mends what the one before has laid open."""

HARMLESS = frozenset({"title", "description", "timeout", "reason", "labels", "usage", "retry"})
"""Optional keys whose absence no check minds: where one is left out nothing else is in doubt."""

_ORDER = {"extra_forbidden": 0, "missing": 1}


@dataclass(frozen=True)
class Mended:
    """`document` has the data as mended, with the places as written; `holes` are paths as written.

    `findings` are about what was not recognised at first, as under a misspelt key.
    """

    spec: Spec
    document: Document
    written: Document
    holes: Mapping[KeyPath, None]
    findings: list[Diagnostic]
    as_written: Callable[[KeyPath], KeyPath]

    @cached_property
    def _within(self) -> Mapping[KeyPath, list[KeyPath]]:
        found: defaultdict[KeyPath, list[KeyPath]] = defaultdict(list)
        for hole in self.holes:
            for length in range(1, len(hole) + 1):
                found[hole[:length]].append(hole)
        return found

    def within(self, at: KeyPath) -> list[KeyPath]:
        """The holes in what was written at a path."""
        return self._within.get(at, [])

    def is_whole(self, path: KeyPath) -> bool:
        """Whether there is no hole in what is at a path now, or around it."""
        at = self.as_written(path)
        return not self.within(at) and not any(at[:length] in self.holes for length in range(1, len(at)))


def mended(written: Document) -> Mended | None:
    """The spec in a document with mistakes in its shape; None if it is not known what it is."""
    kind = written.data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return None
    copy = Rewritten(written)
    mending = _Mending(KINDS[kind], copy)
    for _ in range(MOST_ROUNDS):
        try:
            spec: Any = mending.model.model_validate(copy.data)
        except ValidationError as error:
            mending.mend(error)
        else:
            return Mended(spec, copy.document, written, mending.holes, mending.findings, copy.as_written)
    return None


@dataclass(slots=True)
class _Mending:
    """`guessed` and `laid_open` name values by who holds them, and those who hold them by their identity."""

    model: type[SpecModel]
    copy: Rewritten
    holes: dict[KeyPath, None] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    guessed: set[tuple[int, str | int]] = field(default_factory=set)
    laid_open: set[Any] = field(default_factory=set)
    _held: list[Any] = field(default_factory=list)
    """Whatever is known by its identity, so that nothing else comes to have the same."""

    def mend(self, error: ValidationError) -> None:
        """One round: everything that is wrong now; of what nobody is told, whole parts are left out."""
        problems = error.errors(include_url=False, include_input=False)
        located = [(*path_of(self.copy.document, problem["loc"]), problem) for problem in problems]
        if laid_open := [one for path, _, one in located if self.laid_open and self._is_laid_open(path)]:
            self.findings += shape_findings(self.copy.document, self.model, laid_open)
        self.laid_open = set()
        first, more = located[:MOST_FINDINGS], located[MOST_FINDINGS:]
        for path, at_key, problem in sorted(first, key=lambda one: (one[1], _ORDER.get(one[2]["type"], 2))):
            if self._is_there(path, problem["type"]):
                self._mend(path, problem, at_key=at_key)
        for whole in dict.fromkeys(path[:2] for path, *_ in more):
            if self._is_there(whole, ""):
                self._leave_out(whole)
        self.copy.close_up()

    def _is_laid_open(self, path: KeyPath) -> bool:
        """Whether a place is within what was recognised in the last round, so that nobody has looked at it yet."""
        around = [self.copy.at(path[:length]) for length in range(len(path) + 1)]
        spots = {(id(holder), key) for holder, key in zip(around, path, strict=False)}
        return not self.laid_open.isdisjoint({*map(id, around), *spots})

    def _is_there(self, path: KeyPath, problem: str) -> bool:
        """Whether there still is what a problem is about; a missing key must still be missing."""
        if not path:
            return True
        holder = self.copy.at(path[:-1])
        if isinstance(holder, dict):
            return (path[-1] in holder) != (problem == "missing")
        return isinstance(holder, list) and self.copy.at(path) is not GONE

    def _mend(self, path: KeyPath, problem: Mapping[str, Any], *, at_key: bool) -> None:
        value = self.copy.at(path)
        match problem["type"]:
            case "missing":
                self._stand_in(path)
            case "extra_forbidden":
                self._unknown_key(path)
            case "key_rule":
                self._rules(path, value)
            case "step_action" if isinstance(value, dict):
                self._action(path, value)
            case _ if at_key:
                self._wrong_name(path, problem)
            case _:
                self._wrong_value(path, value, problem)

    def _unknown_key(self, path: KeyPath) -> None:
        model = model_of(self._form(path[:-1]))
        meant = fitting_key(model, self.copy.at(path[:-1]), str(path[-1])) if model is not None else ""
        if meant:
            self._rename(path, meant)
        else:
            self._hole(path)
            self.copy.take_out(path)

    def _action(self, path: KeyPath, step: dict[str, Any]) -> None:
        foreign = [key for key in step if key not in keys_of(BaseStep)]
        key, meant = meant_action(foreign) if foreign else ("", "")
        if meant in ACTIONS:
            self._rename((*path, key), meant)
            self.laid_open.add(id(step))
        else:
            self._leave_out(path)

    def _rules(self, path: KeyPath, part: dict[str, Any]) -> None:
        model = model_of(self._form(path))
        for rule in model.key_rules if model is not None else ():
            while broken := rule.check(part.keys()):
                if broken.keys:
                    self._hole((*path, broken.keys[-1]))
                    self.copy.take_out((*path, broken.keys[-1]))
                elif isinstance(rule, OneOf | AnyOf):
                    self._stand_in((*path, rule.keys[0]))
                else:
                    self._leave_out(path)
                    return

    def _wrong_name(self, path: KeyPath, problem: Mapping[str, Any]) -> None:
        """Of a part, or of something else with a name of its own: it is kept under a name as near as may be."""
        holder, key = self.copy.at(path[:-1]), str(path[-1])
        self._hole(path)
        if is_text(self._form(path[:-1])):
            self._wrong_language(path, holder)
        elif (meant := meant_form(problem["ctx"]["pattern"], key)) and meant not in holder:
            self._rename(path, meant)
        else:
            self.copy.take_out(path)

    def _wrong_language(self, path: KeyPath, holder: dict[str, Any]) -> None:
        """The text stands for a language that lacks one; a map without any language was not meant as one."""
        spoken = self.copy.data.get("languages")
        languages = spoken if isinstance(spoken, list) else []
        if not any(other in languages for other in holder):
            self.copy.put(path[:-1], STAND_IN)
        elif free := [one for one in languages if one not in holder]:
            self._rename(path, free[0])
        else:
            self.copy.take_out(path)

    def _wrong_value(self, path: KeyPath, value: Any, problem: Mapping[str, Any]) -> None:
        holder = self.copy.at(path[:-1])
        meant = meant_value(self._form(path), value, problem)
        if meant is None or (id(holder), path[-1]) in self.guessed:
            self._leave_out(path)
            return
        self.guessed.add((id(holder), path[-1]))
        self._held += [holder, value]
        self.copy.put(path, meant)
        if isinstance(value, dict | list):
            self.laid_open.add(id(value))

    def _leave_out(self, path: KeyPath) -> None:
        """Without what is at `path`; where it is required, something stands in for it."""
        around = self._form(path[:-1])
        model = model_of(around)
        if model is not None and _is_required(model, str(path[-1])):
            self._stand_in(path)
            return
        self._hole(path)
        if is_text(around):
            self.copy.put(path, STAND_IN)
        else:
            self.copy.take_out(path)

    def _stand_in(self, path: KeyPath) -> None:
        self._hole(path)
        model = model_of(self._form(path[:-1]))
        assert model is not None
        self.copy.put(path, stand_in(keys_of(model)[str(path[-1])]))

    def _hole(self, path: KeyPath) -> None:
        for length, step in enumerate(path):
            if step in HARMLESS and model_of(self._form(path[:length])) is not None:
                return
        self.holes[self.copy.as_written(path)] = None

    def _rename(self, path: KeyPath, name: str) -> None:
        holder = self.copy.at(path[:-1])
        self.copy.rename(path, name)
        self.laid_open.add((id(holder), name))

    def _form(self, path: KeyPath) -> Any:
        return form_at(self.model, self.copy.data, path)


def _is_required(model: type[SpecModel], key: str) -> bool:
    return any(field.is_required() for name, field in model.model_fields.items() if (field.alias or name) == key)
