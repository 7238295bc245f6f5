"""Names: declared twice among the parts that one spec can see, or named and not declared at all."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from interlock.compiler.findings import MOST, article, suggestion
from interlock.compiler.intents import inherited
from interlock.compiler.mentions import NOTHING, by_key, in_lists
from interlock.compiler.units import PLURALS, SINGULAR
from interlock.expressions.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.mentions import Mention
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit


def check_duplicates(project: Project, findings: Findings) -> None:
    """Two parts of one name; only constants and intents may meet one of a Library."""
    for unit in project.everything:
        for plural in PLURALS:
            _collisions(unit, plural, findings)
        for name in unit.parts("responses"):
            if name == NOTHING:
                message = "a response cannot be named 'none': `respond: none` says on purpose that nothing is said"
                findings.error("reserved-name", message, unit.key("responses", name))


def _collisions(unit: Unit, plural: str, findings: Findings) -> None:
    """Own parts against those of the Libraries, and the Libraries against each other where they first meet."""
    for part in unit.parts(plural).values():
        if (other := inherited(part)) is not None:
            _meeting(part, other, findings)
        elif plural == "intents" and part.model.merge and not unit.incomplete and not unit.is_broken(plural, part.name):
            message = f"there is no intent {part.name!r} in a Library to merge with"
            findings.error("nothing-to-merge", message, part.key("merge"), hint="leave `merge` out")
    for index, library in enumerate(unit.libraries):
        others = unit.libraries[:index]
        for part in chain.from_iterable(member.parts(plural).values() for member in library.closure()):
            _siblings(unit, part, others, library, findings)


def _siblings(unit: Unit, part: Part, others: list[Unit], library: Unit, findings: Findings) -> None:
    """A part that comes in by two Libraries as two different parts."""
    for other in others:
        found = other.find(part.plural, part.name)
        if found is None or found is part or library.find(part.plural, part.name) is not part:
            continue
        if part.plural == "config" and part.name in unit.parts("config"):
            continue
        message = f"two Libraries that {unit.name!r} uses declare a {SINGULAR[part.plural]} {part.name!r}"
        also = ((found.key(), f"in {found.unit.name!r}"), (part.key(), f"in {part.unit.name!r}"))
        findings.error("duplicate-name", message, unit.key("uses"), also=also, hint="rename one of them")


def _meeting(part: Part, other: Part, findings: Findings) -> None:
    also = ((other.key(), f"in {other.unit.name!r}"),)
    if part.plural == "config":
        mine, theirs = shape_of(part.model), shape_of(other.model)
        if mine.kind != theirs.kind and {mine.kind, theirs.kind} != {"integer", "number"}:
            message = f"config {part.name!r} is {article(theirs.kind)} in the Library and {article(mine.kind)} here"
            findings.error("override-type", message, part.value(), also=also, hint="an override keeps the type")
    elif part.plural == "intents":
        if part.model.merge is None:
            hint = "say `merge: append` or `merge: replace`, or rename one of them"
            findings.error(
                "duplicate-name", f"{part.called} is declared in a Library too", part.key(), also=also, hint=hint
            )
    else:
        message = f"{part.called} is declared in a Library too"
        findings.error("duplicate-name", message, part.key(), also=also, hint="rename one of them")


def check_targets(project: Project, findings: Findings) -> None:
    """Every name under a key must be declared; an unknown name is reported where it stands."""
    for unit in project.everything:
        unknown = (mention for mention in _mentions(unit) if not _is_known(unit, mention))
        for mention in islice(unknown, MOST):
            _unknown(unit, mention, findings)


def _is_known(unit: Unit, mention: Mention) -> bool:
    """Whether nothing is to be told of a name; that a Procedure has no slots and flows at all is another mistake."""
    out_of_place = unit.kind == "Procedure" and mention.plural in ("slots", "flows")
    return out_of_place or unit.knows(mention.plural, mention.name)


def _mentions(unit: Unit) -> Iterator[Mention]:
    yield from in_lists(unit)
    for parts in unit.own.values():
        for part in parts.values():
            yield from by_key(part)


def _unknown(unit: Unit, mention: Mention, findings: Findings) -> None:
    what = SINGULAR[mention.plural]
    broken = {name: None for member in unit.closure() for name in member.broken.get(mention.plural, ())}
    visible = unit.visible.get(mention.plural, {})
    known = {**visible, **broken} if broken else visible
    hint = suggestion(mention.name, known, none=f"nothing is declared under `{mention.plural}`")
    place = unit.key(*mention.path) if mention.path[-1] == mention.name else unit.value(*mention.path)
    findings.error("unknown-target", f"there is no {what} {mention.name!r}", place, hint=hint)
