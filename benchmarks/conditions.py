"""One condition under `when`, in a small context and in one of 17 kB."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.measuring import Effort, cpu_seconds, installed
from benchmarks.table import Row
from interlock.expressions import Expression, compile_all

CONDITION = "slots.x and message.type == 'user_chat'"
SMALL = {"slots": {"x": "ABCU1234567", "y": None}, "message": {"type": "user_chat", "text": "where is it?"}}
LARGE_BYTES = 17_000


def rows(effort: Effort) -> Iterator[Row]:
    """Two rows."""
    compiled = compile_all({"it": Expression(CONDITION)})["it"]
    for size, context in (("small", SMALL), ("17 kB", large())):
        contenders = {"ours": partial(compiled, context)} | dict(
            installed(
                {
                    "jinja2": ("jinja2", partial(_jinja, context)),
                    "zen-engine": ("zen", partial(_zen, context)),
                    "rule-engine": ("rule_engine", partial(_rule_engine, context)),
                }
            )
        )
        assert all(call() for call in contenders.values())
        times = cpu_seconds(contenders, effort)
        ours = times.pop("ours")
        yield Row(f"one condition, {size} context", ours, 0.15e-6, times, peer=("jinja2", 12e-6))


def large() -> dict[str, Any]:
    """The small context beside the results of earlier calls."""
    cells = {f"tool_{n}": {"status": "IN_TRANSIT", "eta": "2025-06-01", "number": f"{n:012}"} for n in range(202)}
    context = SMALL | {"cells": cells}
    assert abs(len(json.dumps(context)) - LARGE_BYTES) < LARGE_BYTES / 20
    return context


def _jinja(context, module):
    return partial(module.Environment().compile_expression(CONDITION), context)


def _zen(context, module):
    return partial(module.compile_expression("slots.x != null and message.type == 'user_chat'").evaluate, context)


def _rule_engine(context, module):
    return partial(module.Rule("slots['x'] and message['type'] == 'user_chat'").matches, context)
