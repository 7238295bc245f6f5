"""One `when` condition, side by side with what a user would pick; medians of interleaved rounds, in one run.

python benchmarks/bench_expressions.py
"""

from importlib import import_module
from statistics import median
from time import perf_counter, process_time

import jinja2

from interlock.expressions import Expression, Shape, check_expression, compile_all, compile_first, object_of

CONDITION = "slots.x and message.type == 'user_chat'"
CONTEXT = {
    "slots": {"x": "ABCU1234567", "y": None},
    "message": {"type": "user_chat", "text": "where is it?"},
    "cells": {f"tool_{n}": {"a": n, "b": "text"} for n in range(20)},
}
SCOPE = {
    "slots": object_of({"x": Shape("string", may_be_none=True), "y": Shape("string", may_be_none=True)}),
    "message": object_of({"type": Shape("string"), "text": Shape("string")}),
}
ROUNDS, CALLS = 15, 2_000


def jinja():
    """Jinja's own compiled expression."""
    compiled = jinja2.Environment().compile_expression(CONDITION)
    return lambda: compiled(CONTEXT)


def rule_engine():
    """rule-engine, which reads nearly the same text."""
    rule = import_module("rule_engine").Rule("slots['x'] and message['type'] == 'user_chat'")
    return lambda: rule.matches(CONTEXT)


def zen_engine():
    """zen-engine's compiled expression."""
    compiled = import_module("zen").compile_expression("slots.x != null and message.type == 'user_chat'")
    return lambda: compiled.evaluate(CONTEXT)


def ours():
    """The compiled condition."""
    compiled = compile_all({"it": Expression(CONDITION)})["it"]
    return lambda: compiled(CONTEXT)


def by_hand():
    """The same written in Python: the floor."""
    return lambda: bool(CONTEXT["slots"]["x"] and CONTEXT["message"]["type"] == "user_chat")


def microseconds(call, number):
    """CPU time of one call."""
    started = process_time()
    for _ in range(number):
        call()
    return (process_time() - started) / number * 1e6


def rivals():
    """Every contender that is installed."""
    for name, build in {
        "jinja2": jinja,
        "rule-engine": rule_engine,
        "zen-engine": zen_engine,
        "by hand": by_hand,
    }.items():
        try:
            yield name, build()
        except ImportError:
            print(f"{name:12} not installed, left out")


def measure_condition():
    """Medians over interleaved rounds."""
    contenders = {"interlock": ours(), **dict(rivals())}
    assert all(call() for call in contenders.values())
    seen = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, call in contenders.items():
            seen[name].append(microseconds(call, CALLS))
    base = median(seen["interlock"])
    print(f"one condition: {CONDITION}")
    for name, times in seen.items():
        print(f"  {name:12} {median(times):9.3f} µs   {median(times) / base:8.1f} x")


def measure_once(label, work):
    """Wall time of something done once per spec or start."""
    started = perf_counter()
    work()
    print(f"  {label:44} {(perf_counter() - started) * 1e3:9.2f} ms")


def measure_building():
    """Checking and compiling a thousand conditions, and a chain of a thousand routes."""
    texts = [f"slots.x == 'v{n}' and message.type != 'form{n}'" for n in range(1_000)]
    print("a thousand conditions")
    measure_once("parse and check", lambda: [check_expression(text, SCOPE) for text in texts])
    measure_once("compile, parsed already", lambda: compile_all(dict(enumerate(map(Expression, texts)))))
    mixed = [f"slots.y == 'v{n}'" if n % 2 else f"message.type == 'v{n}' and slots.x" for n in range(1_000)]
    for label, conditions in {
        "first met of neighbours, none is": texts,
        "first met of alternating, none is": mixed,
    }.items():
        first = compile_first(conditions)
        times = [microseconds(lambda: first(CONTEXT), 20) for _ in range(ROUNDS)]  # noqa: B023 - called at once
        print(f"  {label:44} {median(times):9.2f} µs")


if __name__ == "__main__":
    measure_condition()
    measure_building()
