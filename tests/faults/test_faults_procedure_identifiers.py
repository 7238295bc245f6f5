"""Identifiers are byte-identical through a procedure: loops, cells, templates, children, events, keys, HTTP and SQL."""

import asyncio
import dataclasses
import json
import sqlite3
from pathlib import Path
from urllib.parse import quote

import pytest

from interlock.client.converter import JsonConverter, _inflated, compressed
from interlock.compiler import compile_folder
from interlock.contract.calls import ToolRequest
from interlock.interpreter.commands import CallTool, RunProcedure
from interlock.interpreter.events import EventReceived, ProcedureEnded, ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.state import restored
from interlock_activities.addresses import AddressRules
from interlock_activities.references import References
from interlock_activities.sql_tool import SqlTransport
from interlock_workflows import calling, carried

CONVERTER = JsonConverter()
NOW_MS = 1_780_000_000_000
AT_ONCE = 100
SHARE_OF_SQL = 10
"""One in so many goes through a database too."""


@pytest.fixture(scope="session")
def hops(load):
    """The identifiers, and the way of a call out and back."""
    return load(Path(__file__).with_name("test_faults_identifiers.py"))


def passed_on(value):
    """A value as one workflow gives it to another."""
    return CONVERTER.from_payload(_inflated(compressed(CONVERTER.to_payload(value))), dict)


class Service:
    """What was sent, and the database."""

    def __init__(self, hops, plans, folder):
        self.hops, self.plans, self.out, self.keys, self.gave = hops, plans, {}, [], {}
        self.sql = SqlTransport(References({}, {}), AddressRules(()), folder)

    async def answer(self, program, call):
        """A call's way out and back."""
        plan = program.plan
        request = calling.request_of(plan, plan.tools[call.tool], "run", call)
        if call.tool in ("store", "load"):
            request = CONVERTER.from_payload(_inflated(compressed(CONVERTER.to_payload(request))), ToolRequest)
            payload = passed_on({"payload": (await self.sql(request)).payload})["payload"]
        else:
            answer, out = self.hops.over_the_wire(request, lambda value: {"no": value})
            self.out.setdefault(call.tool, []).append(out)
            payload = answer.payload
        self.keys.append(call.key)
        return ToolReturned(call.call_id, "returned", NOW_MS, status=200, payload=payload)


class Run:
    """A run whose every value goes over every hop that there is."""

    def __init__(self, row, service, name, given):
        self.row, self.service, self.program = row, service, link(service.plans[name])
        self.machine = WorkMachine(
            self.program, started(self.program, run_id="r", given=passed_on(given), now_ms=NOW_MS)
        )

    async def work(self, commands):
        """Until only an event is waited for, or it is over."""
        waiting = list(commands)
        while waiting:
            command = waiting.pop(0)
            if isinstance(command, CallTool):
                waiting += self.machine.handle(await self.service.answer(self.program, command))
            elif isinstance(command, RunProcedure):
                child = Run(self.row, self.service, command.procedure, command.input)
                await child.work(child.machine.begin(NOW_MS))
                result = passed_on(child.machine.state.result)
                self.service.gave[command.input["no"]] = result
                waiting += self.machine.handle(ProcedureEnded(command.child_id, "done", NOW_MS, result))

    def continue_as_new(self):
        """Put everything away as a run does that goes on in another one; the commands that the other begins with."""
        self.machine.pause()
        assert self.machine.can_leave
        packed = carried.packed(self.machine.state, "work", refused=[])
        packed = dataclasses.replace(packed, payload=_inflated(packed.payload))
        self.machine = WorkMachine(self.program, restored(carried.unpacked(packed)["work"]))
        return self.machine.begin(NOW_MS)


async def test_identifiers_are_byte_identical_through_procedures(row, hops, tmp_path):
    plans = compile_folder(Path(__file__).parent / "specs" / "numbers").plans
    database = sqlite3.connect(tmp_path / "kept.db")
    database.execute("CREATE TABLE kept (no TEXT, request TEXT UNIQUE)")
    database.commit()
    wanted, seen = row.times(20_000, 1_000_000), set()
    while row.injected.total() < wanted:
        nos = {hops.an_identifier(row.dice) for _ in range(AT_ONCE)} - seen
        seen |= nos
        service = Service(hops, plans, tmp_path)
        await one_run(row, service, sorted(nos), database)
        await service.sql.aclose()
        await asyncio.sleep(0)
    database.close()


async def one_run(row, service, nos, database):
    """Some at a time through one run, and what of it was the same everywhere."""
    kept = nos[::SHARE_OF_SQL]
    run = Run(row, service, "numbers", {"nos": nos, "kept": kept})
    row.injected["numbers"] += len(nos)
    database.execute("DELETE FROM kept")
    database.commit()
    await run.work(run.machine.begin(NOW_MS))
    await run.work(run.continue_as_new())
    await run.work(run.machine.handle(EventReceived("e", "more", passed_on({"no": nos[-1]}), NOW_MS)))
    state, found, paid = run.machine.state, service.out.get("find", []), service.out.get("pay", [])
    if state.status != "done":
        row.violation("not done", state.failure)
        return
    asked = {(out.target, out.private["x-no"]) for out in found}
    for number, no in enumerate(nos):
        quoted = quote(no, safe="")
        places = {
            "request": (f"/items/{quoted}?q={quoted}", no) in asked,
            "child": service.gave.get(no) == ({"no": no, "line": no, "nos": kept} if no in kept else None),
            "result": state.result["nos"][number] == no,
        }
        row.hit["numbers"] += service.hops.judged(row, places, no)
    bodies = {out.content: out.private["idempotency-key"] for out in paid}
    for no in nos:
        body = json.dumps({"no": no, "note": f"paid {no}, 谢谢"}, ensure_ascii=False, separators=(",", ":")).encode()
        row.expect(bodies.get(body) == f"pay {no}", "body or key", no, bodies.get(body))
    row.expect(state.result["no"] == nos[-1], "event", nos[-1])
    row.expect([one[0] for one in database.execute("SELECT no FROM kept ORDER BY rowid")] == kept, "database", kept)
    row.hit["in a database"] += len(kept)
