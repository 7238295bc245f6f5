"""What is counted and timed, on the meter of Temporal's runtime: nothing where it exports nothing, nothing on a replay.

Labels are names that authors have written and words of ours. Temporal adds namespace, task queue and type.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from temporalio.common import MetricMeter

    from interlock.contract.models import ModelAnswer, ModelRequest

TURNS: Final = "interlock_turns"
TURN_DURATION: Final = "interlock_turn_duration"
GATE_VERDICTS: Final = "interlock_gate_verdicts"
CALLS: Final = "interlock_calls"
PROCEDURES: Final = "interlock_procedures"
CALL_DURATION: Final = "interlock_call_attempt_duration"
MODEL_CALLS: Final = "interlock_model_calls"
MODEL_TOKENS: Final = "interlock_model_tokens"
MODEL_DURATION: Final = "interlock_model_duration"
RETRIEVAL_DURATION: Final = "interlock_retrieval_duration"

ABOUT: Final = {
    TURNS: "Turns by outcome; `failed` has no reply, `repeated` got the reply of an earlier one.",
    TURN_DURATION: "From a message to its reply, without the time that gates and texts take.",
    GATE_VERDICTS: "Gates that did not let a turn pass, and what identifiers said of calls.",
    CALLS: "Calls of tools by their result, those that were not sent too.",
    PROCEDURES: "Runs of procedures that are over, by outcome.",
    CALL_DURATION: "Attempts of calls.",
    MODEL_CALLS: "Attempts to ask a model, by why its answer ended or how it failed.",
    MODEL_TOKENS: "Tokens that models have counted.",
    MODEL_DURATION: "Attempts to ask a model.",
    RETRIEVAL_DURATION: "Attempts of searches.",
}
DURATIONS: Final = (TURN_DURATION, CALL_DURATION, MODEL_DURATION, RETRIEVAL_DURATION)

Json = dict[str, Any]


def counted(meter: "MetricMeter", name: str, number: int = 1, **labels: str) -> None:
    """Something has happened that many times."""
    meter.create_counter(name, ABOUT[name]).add(number, labels)


def timed(meter: "MetricMeter", name: str, seconds: float, **labels: str) -> None:
    """Something has taken that long."""
    meter.create_histogram_timedelta(name, ABOUT[name]).record(timedelta(seconds=seconds), labels)


def turn_taken(meter: "MetricMeter", record: Json) -> None:
    """A turn has ended, with all that its record says."""
    times, outcome = record["timings"], record["outcome"]
    counted(meter, TURNS, outcome=outcome)
    timed(meter, TURN_DURATION, (times["ended_ms"] - times["started_ms"]) / 1000, outcome=outcome)
    for gate in record["gates"]:
        if gate["verdict"] != "pass":
            counted(meter, GATE_VERDICTS, gate=gate["id"], verdict=gate["verdict"])
    calls_made(meter, record["calls"])


def calls_made(meter: "MetricMeter", audits: Iterable[Json]) -> None:
    """Calls have ended, as the record has them."""
    for audit in audits:
        counted(meter, CALLS, tool=audit["tool"], result=audit["outcome"])
        if "pre_gate" in audit:
            counted(meter, GATE_VERDICTS, gate="pre-generation-gate", verdict=audit["pre_gate"]["verdict"])


def model_asked(meter: "MetricMeter", asked: "ModelRequest", answer: "ModelAnswer | None", result: str) -> None:
    """An attempt to ask a model has ended."""
    counted(meter, MODEL_CALLS, role=asked.role, model=asked.model, result=result)
    if answer is not None:
        for direction, tokens in (("input", answer.input_tokens), ("output", answer.output_tokens)):
            counted(meter, MODEL_TOKENS, tokens or 0, role=asked.role, model=asked.model, direction=direction)
