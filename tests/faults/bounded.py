"""Runs in a process of its own, where time and memory are measured: specs of half a megabyte, and generated templates.

`python bounded.py specs` reads one size case a line (`name` TAB `path`); `python bounded.py templates SEED COUNT`.
Says one line of JSON for each case, or for all templates together.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

TEMPLATE_SECONDS = 1.0
SPEC_SECONDS = 60
"""After which a spec is given up."""


USUAL_SECONDS = {"numbers": 0.09, "objects": 0.06}
"""What a machine of today takes for the two loops that `slowness` measures."""


def slowness():
    """How much slower this machine is just now than the figures were meant for; others may be using it."""
    taken = {"numbers": seconds_of(numbers), "objects": seconds_of(objects)}
    return max(1.0, *(taken[name] / usual for name, usual in USUAL_SECONDS.items()))


def seconds_of(work):
    """The time of this process alone."""
    started = time.process_time()
    work()
    return time.process_time() - started


def numbers():
    """Add up."""
    total = 0
    for number in range(2_000_000):
        total += number
    return total


def objects():
    """Make many small objects, and look them up out of order: that memory is shared with others slows this down."""
    made = {f"name{number}": [number] for number in range(60_000)}
    return [made[name] for name in sorted(made, reverse=True)]


def peak_mb():
    """The largest this process has been; `ru_maxrss` would count the process that started it, too."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def specs():
    """Compile what is named, as `interlock check` does, and make its plan too; time, peak, findings."""
    from interlock.cli.checking import collect_rarely
    from interlock.compiler import compile_bundle, lower  # noqa: F401 - loaded before anything is measured
    from interlock.source import Bundle, read_document

    collect_rarely()
    for line in sys.stdin:
        if os.fork():  # each in a process of its own, that has loaded everything already
            os.wait()
            continue
        signal.alarm(SPEC_SECONDS)
        name, path = line.rstrip("\n").split("\t")
        content = Path(path).read_bytes()
        slow = slowness()
        started = time.process_time()
        document, read = read_document(content, "big.yaml")
        compiled = compile_bundle(Bundle("b", Path(path).parent, (document,) if document else (), {}), read=read)
        seconds = (time.process_time() - started) / slow
        found = [(one.location.file, one.location.line, one.location.column, one.code) for one in compiled.diagnostics]
        print(json.dumps({"name": name, "seconds": seconds, "mb": peak_mb(), "found": found[:50], "count": len(found),
                          "plans": len(compiled.plans)}), flush=True)  # fmt: skip
        os._exit(0)


# -- templates ------------------------------------------------------------------------------------------------------------

CONTEXT = {
    "a": {"k": 1, "v": "单号 x", "n": None, "0": [1, 2]},
    "b": [3, "x", None, 2**70, 1.5],
    "rows": [{"k": n % 7, "v": "y" * (n % 50)} for n in range(400)],
    "text": "0123456789" * 4_000,
    "big": list(range(30_000)),
    "huge": 10**900,
    "now": datetime(2026, 11, 30, tzinfo=UTC),
    "$show": lambda value, path: f"{path}:{value}",
}
PATHS = ["a", "a.k", "a.v", "a.n", "a.0", "b", "b.1", "rows", "rows.0.k", "text", "big", "huge", "now", "nowhere", "a.__class__", "text.upper"]  # fmt: skip
LITERALS = ["0", "1", "-1", "2.5", "1e300", "9999999999999999999", "''", "'a'", "'%s'", "'{}'", "true", "none", "[]", "[1, 'a']", "'x' * 9"]  # fmt: skip
FILTERS = [
    "length", "first", "last", "sum", "min", "max", "sort", "unique", "round", "round(9)", "abs", "upper", "lower", "trim", "number",
    "string", "date", "datetime", "duration", "show", "join(',')", "join(text)", "map('k')", "map('v')", "default(1)", "default(big)",
    "any('k', '==', 1)", "all('v', '<', 'b')", "replace('0', text)", "replace('1', '22')", "sort('v')", "attr('x')", "format(1)", "tojson",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "//", "%", "~", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or", "is", "|", "."]  # fmt: skip
SOUND = ["~", "==", "!=", "in", "and", "or", "+", "-", "*", "<", ">="]
TESTS = ["none", "not none", "defined", "not defined", "within('4h')", "older_than('1d')", "number", "string", "sameas(1)"]  # fmt: skip


def an_expression(dice, depth):
    """An expression, some of them not of the language."""
    if depth <= 0 or dice.random() < 0.2:
        names = PATHS if dice.random() < 0.7 else LITERALS
        return dice.choice(names if dice.random() < 0.1 else names[:13])
    inner = lambda: an_expression(dice, depth - 1)  # noqa: E731 - it is said so often
    kind = dice.randrange(10)
    if kind <= 2:
        return f"({inner()}) {dice.choice(OPERATORS if dice.random() < 0.2 else SOUND)} ({inner()})"
    if kind <= 4:
        return f"({inner()}) | {dice.choice(FILTERS if dice.random() < 0.2 else FILTERS[:28])}"
    if kind == 5:
        return f"{inner()} is {dice.choice(TESTS if dice.random() < 0.2 else TESTS[:6])}"
    if kind == 6:
        return f"({inner()}) if ({inner()}) else ({inner()})"
    if kind == 7:
        return f"[{inner()}, {inner()}]"
    if dice.random() < 0.05:
        return dice.choice([f"({inner()})[{inner()}]", f"{inner()}({inner()})"])
    return dice.choice([f"not ({inner()})", f"-({inner()})", f"({inner()})"])


def a_template(dice, depth=3):
    """Text, expressions and blocks."""
    parts = []
    for _ in range(dice.randint(1, 4)):
        kind = dice.randrange(8)
        inside = a_template(dice, depth - 1) if depth > 0 else "x"
        if kind <= 3:
            parts.append("{{ " + an_expression(dice, 4) + " }}")
        elif kind == 4:
            name = dice.choice(["r", "r", "s", "a"])
            parts.append(f"{{% for {name} in {an_expression(dice, 1)} %}}{inside}{{{{ {name} }}}}{{% endfor %}}")
        elif kind == 5:
            parts.append(f"{{% if {an_expression(dice, 3)} %}}{inside}{{% else %}}{inside}{{% endif %}}")
        elif kind == 6:
            parts.append(
                dice.choice(["单号 ", "{", "}}", "{%", "#}", "{# x #}", "\\", "'", "\n", "\u202e"])
                if dice.random() < 0.2
                else "单号 "
            )
        elif dice.random() < 0.1:
            parts.append(
                dice.choice(["{% set x = 1 %}", "{% include 'x' %}", "{{", "{% endfor %}", "{{ self }}", "{% for %}"])
            )
    return "".join(parts)


def broken(dice, text):
    """The same with a few characters gone, doubled or changed."""
    letters = list(text)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(letters) or 1)
        letters[at : at + 1] = dice.choice(
            [
                "",
                "{",
                "}",
                "%",
                "'",
                "(",
                ")",
                "[",
                "]",
                "|",
                ".",
                "_",
                "\0",
                "９",
                "\n",
                letters[at] * 2 if letters else "",
            ]
        )
    return "".join(letters)


def templates(seed, count):
    """Check, compile and run generated templates; what was wrong with any, and how many ran."""
    from interlock.expressions import Missing, Shape, Template, check_template, compile_all
    from interlock.expressions.limits import MAX_TEXT

    scope = {name: Shape("datetime") if name == "now" else Shape() for name in CONTEXT if name != "$show"}
    dice = random.Random(seed)
    wrong, counts = [], {"refused": 0, "rendered": 0, "stopped": 0}
    before = json.dumps({name: value for name, value in CONTEXT.items() if name not in ("now", "$show")})
    for _ in range(count):
        text = a_template(dice)
        if dice.random() < 0.25:
            text = broken(dice, text)
        started = time.process_time()
        try:
            _, problems = check_template(text, scope)
            if problems:
                counts["refused"] += 1
            else:
                value = compile_all({"it": Template(text)})["it"](CONTEXT)
                counts["rendered"] += 1
                if isinstance(value, str) and len(value) > max(MAX_TEXT, len(CONTEXT["text"])):
                    wrong.append((text, f"{len(value)} characters"))
                if isinstance(value, int) and value.bit_length() > 8_192:
                    wrong.append((text, f"{value.bit_length()} bits"))
        except Missing:
            counts["stopped"] += 1
        except BaseException as error:  # noqa: BLE001 - any other is what is looked for
            wrong.append((text, repr(error)[:300]))
        seconds = time.process_time() - started
        if seconds > TEMPLATE_SECONDS:
            wrong.append((text[:2_000], f"{seconds:.2f} s"))
    if before != json.dumps({name: value for name, value in CONTEXT.items() if name not in ("now", "$show")}):
        wrong.append(("", "the context was changed"))
    print(json.dumps({"wrong": wrong[:20], "counts": counts, "mb": peak_mb()}))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    specs() if sys.argv[1] == "specs" else templates(int(sys.argv[2]), int(sys.argv[3]))
