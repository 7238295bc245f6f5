"""Whole turns in this process: what the rules decide for a message, and a flow of six steps through the machine."""

import itertools
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.flow_rivals import by_hand, langgraph
from benchmarks.measuring import Effort, cpu_seconds, in_turn, installed
from benchmarks.plans import deciding, six_steps
from benchmarks.table import Row
from benchmarks.words import MESSAGE, as_long_as_200, identifier_patterns, vocabulary
from interlock.interpreter.commands import Reply
from interlock.interpreter.events import MessageReceived
from interlock.interpreter.machine import Machine, opened
from interlock.interpreter.pipeline import answer
from interlock.interpreter.program import link
from interlock.interpreter.roots import new_turn

NOW_MS = 1_750_000_000_000
USER = {"id": "u1", "tier": "basic"}


def rows(effort: Effort) -> Iterator[Row]:
    """The decision alone, the same with its record, and the flow."""
    yield from _decisions(effort)
    yield _six_steps(effort)


def _decisions(effort: Effort) -> Iterator[Row]:
    phrases, patterns = vocabulary(1_000), identifier_patterns(50)
    plan = deciding(phrases, patterns)
    texts = [as_long_as_200(MESSAGE.format(f"{phrases[n]}，QAE1234567{n % 10}")) for n in range(25, 1_000, 50)]
    contenders = {"ours": _deciding(plan, texts), "with its record": _handling(plan, texts)}
    contenders |= dict(
        installed({"jinja2 + `in` loop + re": ("jinja2", partial(_combined, plan, phrases, patterns, texts))})
    )
    said = {name: [call() for _ in texts] for name, call in contenders.items()}
    assert len(set(said["ours"])) == len(texts)
    assert all(one == said["ours"] for one in said.values())
    times = cpu_seconds(contenders, effort)
    ours, recorded = times.pop("ours"), times.pop("with its record")
    work = "decision of a turn: 1,000 phrases, 50 patterns, 20 gates, 1,000 routes, a text"
    yield Row(f"{work}, without its record", ours, 50e-6, times)
    yield Row("the same turn through the machine, with reply and record", recorded, None, times)


def _message(number: int, text: str) -> MessageReceived:
    return MessageReceived(id=f"m{number}", text=text, now_ms=NOW_MS + number)


def _opened(plan):
    program = link(plan)
    return program, opened(program, session_id="s", run_id="r", user=USER, now_ms=NOW_MS)


def _deciding(plan, texts):
    program, state = _opened(plan)
    following = in_turn([_message(n, text) for n, text in enumerate(texts)])

    def decide() -> str:
        turn = new_turn(program, state, following(), {})
        try:
            next(answer(turn))
        except StopIteration as end:
            turn.context.close()  # as the machine does, so that nothing is left to the collector
            return end.value.text
        raise AssertionError("no tool is called here")

    return decide


def _handling(plan, texts):
    program, state = _opened(plan)
    machine, following, numbers = Machine(program, state), in_turn(texts), itertools.count()

    def handle() -> str:
        commands = machine.handle(_message(next(numbers), following()))
        return next(one.body["text"] for one in commands if isinstance(one, Reply))

    return handle


def _combined(plan, phrases, patterns, texts, module):
    """The same rules as somebody would write them on libraries at hand."""
    compiled = module.Environment().compile_expression  # no HTML here
    gates = [compiled(gate.when) for gate in plan.gates]
    routes = [(compiled(route.when), route.flow) for route in plan.routes if route.when]
    says = module.Template(plan.flows["answer"][0].text["*"])
    shapes = [re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in patterns]
    folded = [(phrase.lower(), f"T{number}") for number, phrase in enumerate(phrases)]
    following = in_turn(texts)

    def decide() -> str:
        text = following()
        lowered = text.lower()
        topics = [code for phrase, code in folded if phrase in lowered]
        numbers = [found[0] for shape in shapes for found in shape.finditer(text)]
        slots = {"topic": topics[0] if topics else None, "number": numbers[0] if numbers else None}
        context = {"message": {"type": "user_chat", "text": text}, "slots": slots, "user": USER}
        if any(gate(**context) for gate in gates) or not any(route(**context) for route, _ in routes):
            raise AssertionError("every message here has its route")
        return says.render(**context)

    return decide


def _six_steps(effort: Effort) -> Row:
    program, state = _opened(six_steps())
    machine, numbers = Machine(program, state), itertools.count()

    def ours() -> Any:
        return machine.handle(_message(next(numbers), "how heavy is it?"))[0].body["text"]

    contenders = {"ours": ours, "loop by hand, no checks": by_hand()} | dict(
        installed({"langgraph": ("langgraph.graph", langgraph)})
    )
    assert {call() for call in contenders.values()} == {"14 kg: freight"}
    a_second = {name: 1 / seconds for name, seconds in cpu_seconds(contenders, effort).items()}
    ours_a_second = a_second.pop("ours")
    return Row(
        "turn of six steps in this process",
        ours_a_second,
        10_000,
        a_second,
        unit="turns/s",
        more_is_better=True,
        peer=("langgraph", 605),
    )
