"""Procedures at random over the machine alone: however often a run goes on from its state, it does the same, once."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from interlock.plan.steps import DoStep, RunStep, steps_in
from tests.faults import procedures_at_random

HAD_AN_EFFECT = ("lost before", "lost after", "wrong")
SCRIPTS = 4
"""Worlds that each procedure is tried in."""


@pytest.fixture(scope="session")
def work(load):
    """The world of procedures at random."""
    return load(Path(__file__).with_name("work_at_random.py"))


def played(work, plans, seed, given, pauses=None):
    """A run to its end, with what is sent to it."""
    ledger = work.Ledger(seed)
    shell = work.Shell(plans, "main", given, ledger, pauses=pauses)
    work.scripted(shell, seed, plans["main"].work.events)
    shell.until_over()
    return shell, ledger


def at_rest(row, dice):
    """Goes on from the state, or pauses and stays, whenever nothing is under way."""

    def pauses(shell):
        if shell.at_rest and dice.random() < 0.4:
            shell.pause()
            if dice.random() < 0.2 or not shell.machine.can_leave:
                row.hit["stays"] += 1
                shell.resume()
            elif not shell.machine.finished:
                row.hit["at rest"] += 1
                shell.again()

    return pauses


def at_any_time(row, dice):
    """Pauses at any time, and goes on from the state once what is under way has ended."""

    def pauses(shell):
        if not shell.leaving and dice.random() < 0.15:
            shell.pause()
        if shell.leaving and shell.machine.can_leave and not shell.machine.finished:
            row.hit["at any time"] += 1
            shell.again()

    return pauses


def test_a_procedure_does_the_same_once_however_often_it_goes_on_from_its_state(row, work, tmp_path):
    for number in range(row.times(300, 20_000)):
        written = procedures_at_random.written(random.Random(f"{row.seed} {number}"), tmp_path)
        if not written.errors:
            for script in range(SCRIPTS):
                compared(row, work, dict(written.plans), f"{row.seed} {number} {script}")
    for kind in ("done", "ended", "cancelled"):
        row.expect(row.injected[kind] > 20, "hardly any", kind, dict(row.injected))


def compared(row, work, plans, seed):
    """The same run three times: not interrupted, at rest, and at any time."""
    dice = random.Random(f"pauses {seed}")
    given = {"names": ["a", "b", "c", "d"][: dice.randint(0, 4)], "n": dice.randint(0, 3)}
    whole, first = played(work, plans, seed, given)
    row.injected[whole.state.status] += 1
    judged(row, work, plans, seed, whole, first)
    again, second = played(work, plans, seed, given, at_rest(row, dice))
    judged(row, work, plans, seed, again, second)
    one, two = work.outcome(whole, first), work.outcome(again, second)
    different = {key: (one[key], two[key]) for key in one if one[key] != two[key]}
    row.expect(not different, "different", seed, different)
    judged(row, work, plans, seed, *played(work, plans, seed, given, at_any_time(row, dice)))


def judged(row, work, plans, seed, shell, ledger):
    """No effect twice, no key for two, no success repeated, nothing undone out of order."""
    twice = {one: count for one, count in ledger.effects.items() if count > 1}
    row.expect(not twice, "an effect twice", seed, twice)
    keys = Counter((tool, name) for tool, name, key in ledger.effects if key and ledger.effects[tool, name, key])
    made = {name: count - keys["unmake", name] for (tool, name), count in keys.items() if tool == "make"}
    row.expect(all(count <= 1 for count in made.values()), "an effect under two keys, and not undone", seed, keys)
    well = Counter((tool, name) for tool, name, answer in ledger.reported if isinstance(answer, dict))
    again = {name: count for (tool, name), count in well.items() if tool == "make" and count > 1 + well["unmake", name]}
    row.expect(not again, "done again though done", seed, again)
    as_one = [
        step for plan in plans.values() for step in steps_in(plan.work.steps) if isinstance(step, DoStep | RunStep)
    ]
    if not any(step.compensate for step in as_one):
        left = [name for tool, name in keys if tool != "unmake" and not keys["unmake", name]]
        left += [name for (tool, name, key), count in ledger.effects.items() if not key and count]
        row.expect(shell.state.leaves or not left, "an effect remains, and is not told", seed, left)
    if shell.to_undo is not None:
        undone_in_order(row, work, plans, seed, shell, ledger)


def undone_in_order(row, work, plans, seed, shell, ledger):
    """What had an effect, or may have, is undone last things first."""
    steps = {step.id: step for step in steps_in(plans["main"].work.steps)}
    groups = any(isinstance(step, DoStep) and step.compensate for step in steps.values())
    done = {}
    for number, (tool, name, answer) in enumerate(ledger.reported):
        if tool == "make" and (isinstance(answer, dict) or answer in HAD_AN_EFFECT):
            done[name] = number
    mine = [one for one in shell.to_undo if steps[work.last(one)].action == "call"]
    order = [done[work.paid_as(one)] for one in mine]
    row.expect(order == sorted(order), "kept in another order", seed, mine)
    named = {work.paid_as(one) for one in mine}
    wanted = {name for name in done if steps.get(name.split("-")[0]) and steps[name.split("-")[0]].compensate}
    row.expect(groups or named == wanted, "what is to be undone", seed, named, wanted)
    undoing = [key.removeprefix("run:") for tool, _, key in ledger.calls if tool == "unmake" and key.startswith("run:")]
    seen = [re.sub(r"(^|/)us(\d+)$", r"\1s\2", one) for one in dict.fromkeys(undoing)]
    wanted = [one for one in reversed(shell.to_undo) if one in seen]
    row.expect(seen == wanted, "undone in another order", seed, seen, wanted)
    row.hit["undone"] += len(seen)
