"""The gates of a turn: screens first, then the others as written; the first that ends the turn gives its answer."""

from interlock.expressions.outcomes import Missing, NotMet
from interlock.interpreter import calls, quick_match
from interlock.interpreter.called import answered
from interlock.interpreter.conditions import NeedsRead
from interlock.interpreter.contended import settle
from interlock.interpreter.gate_order import GateRun, seen_entry
from interlock.interpreter.lifecycle import transition
from interlock.interpreter.needs import needs_of_tool
from interlock.interpreter.reading import read
from interlock.interpreter.replies import Answer, Outcome, Source
from interlock.interpreter.slots import assume, put
from interlock.interpreter.texts import engine_text, options_said, said
from interlock.interpreter.turn import Calling, Turn
from interlock.plan.rules import Gate
from interlock.text.hits import Hit, mask

SAYS: dict[str, tuple[Outcome, Source]] = {
    "reply": ("answer", "fixed_reply"),
    "ask": ("ask", "gate"),
    "refuse": ("refuse", "gate"),
    "handoff": ("handed_off", "gate"),
}
"""Verdict to the outcome of the turn and the source of its answer."""


def screened(turn: Turn) -> Calling[Answer | None]:
    """Run the screens over the raw text; what they find is masked before anything else reads the message."""
    screens = turn.program.screen_gates
    raw = turn.message.text
    hits = turn.program.screens.scan(raw)
    if not hits:
        turn.gates += [run.unmatched for run in screens]
        return None
    turn.text = mask(raw, [hit for found in hits.values() for hit in found])
    counting: list[Hit] = []
    for run in screens:
        answer = _safely(turn, run, hits.get(run.gate.id))
        if answer is None and turn.gates[-1]["verdict"] != "pass":
            answer = yield from _acted(turn, run.gate)
        if answer is not None:
            return answer
        if turn.gates[-1]["verdict"] != "pass":
            counting += hits[run.gate.id]
    _reread(turn, mask(raw, counting))
    return None


def gated(turn: Turn, begun: int = 0) -> Calling[Answer | None] | None:
    """Let the turn pass the gates that are not screens; those from the first on that may act are still to be run."""
    stretches = turn.program.gates
    for number in range(begun, len(stretches)):
        stretch = stretches[number]
        found = 0 if stretch.first is None else stretch.first(turn.context)
        if found >= 0:
            return _run(turn, number, found)
        turn.gates += stretch.passed
    return None


def _run(turn: Turn, number: int, found: int) -> Calling[Answer | None]:
    """Run the gates from `found` on of stretch `number`, and of those behind it."""
    stretch = turn.program.gates[number]
    turn.gates += stretch.passed[:found]
    for run in stretch.runs[found:]:
        answer = _safely(turn, run, None)
        if answer is None and turn.gates[-1]["verdict"] != "pass":
            answer = yield from _acted(turn, run.gate)
        if answer is not None:
            return answer
    rest = gated(turn, number + 1)
    return None if rest is None else (yield from rest)


def _reread(turn: Turn, text: str) -> None:
    """Take `text` for what is read; a screen whose `when` has read the message has read one that hid more."""
    if text == turn.text:
        return
    turn.text = text
    if turn.read:
        assumed = [filled for filled in turn.slots.values() if filled.source == "assumed"]
        read(turn)
        for filled in assumed:
            if filled.slot not in turn.slots:
                put(turn, filled)


def _safely(turn: Turn, run: GateRun, hits: list[Hit] | None) -> Answer | None:
    try:
        return _judged(turn, run, hits)
    except Missing as missing:
        return _cannot(turn, run.gate, str(missing))
    except NeedsRead as needed:
        return _cannot(turn, run.gate, f"conditions.{needed.name}: a gate cannot read first")


def _judged(turn: Turn, run: GateRun, hits: list[Hit] | None) -> Answer | None:
    """Put into the record whether the gate lets the turn pass or acts; an answer if that cannot be told."""
    gate = run.gate
    if gate.screen and not hits:
        turn.gates.append(run.unmatched)
        return None
    if gate.prefix and not quick_match.wins(turn, gate):
        turn.gates.append(run.unmatched)
        return None
    if gate.when and not gate.prefix:
        met = turn.program.condition(gate.when)(turn.context)
        if isinstance(met, NotMet):
            turn.gates.append(seen_entry(gate, "pass", met.reason, path=met.path))
            return _cannot(turn, gate, f"{met.path}: {met.reason}") if met.is_fault else None
        if not met:
            turn.gates.append(run.passed)
            return None
    seen = seen_entry(gate, gate.verdict, "met", hits=[[hit.raw, hit.start, hit.end] for hit in hits or ()])
    turn.gates.append(seen)
    return None


def _acted(turn: Turn, gate: Gate) -> Calling[Answer | None]:
    try:
        return (yield from _verdict(turn, gate))
    except Missing as missing:
        return _cannot(turn, gate, str(missing))


def _verdict(turn: Turn, gate: Gate) -> Calling[Answer | None]:
    usage = quick_match.prepare(turn, gate) if gate.prefix else None
    if usage is not None:
        return usage
    if gate.verdict == "assume":
        if not turn.read:
            read(turn)
        for name, value in gate.assume.items():
            if name not in turn.slots:
                assume(turn, name, turn.program.value(value)(turn.context))
        return None
    if gate.verdict == "skip":
        turn.skipped_tools.update(gate.skip)
        return None
    if gate.verdict == "call":
        return (yield from _called(turn, gate))
    return spoken(turn, gate)


def _called(turn: Turn, gate: Gate) -> Calling[Answer]:
    """Call the gate's tool and say what came of it; a quick match that lacks something says how it is used."""
    if not turn.read:
        read(turn)
    settle(turn, needs_of_tool, gate.call)
    result = yield from calls.call(turn, tool=gate.call, bind={}, step_id=gate.id, at=gate.at, slot_values=None)
    if gate.prefix and result.outcome in ("missing", "ambiguous"):
        return quick_match.usage(turn, gate)
    answer = answered(turn, result, gate.respond, "quick_match" if gate.prefix else "gate")
    answer.prefix = gate.prefix or None
    return answer


def spoken(turn: Turn, gate: Gate) -> Answer:
    """The answer of a gate that says a text. Raises `Missing` when the text cannot be rendered."""
    assert gate.text is not None
    outcome, source = SAYS[gate.verdict]
    answer = Answer(outcome, said(turn, gate.text), source, gate.reason, rule=gate.id)
    answer.options = options_said(turn, gate.options, gate.at)
    if gate.verdict == "handoff":
        turn.state.status = transition(turn.state.status, "handoff")[0]
    return answer


def _cannot(turn: Turn, gate: Gate, why: str) -> Answer:
    """A gate that cannot be evaluated lets nothing through."""
    turn.failed(gate.at, "gate-failed", why)
    turn.gates.append(seen_entry(gate, "refuse", "gate_failed"))
    text = engine_text(turn.program, turn.language, "failed")
    return Answer("refuse", text, "gate", "gate_failed", rule=gate.id)
