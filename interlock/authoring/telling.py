"""What the record of a turn says, in lines for people: gates, route, steps, calls with the source of every argument."""

import json
from collections.abc import Iterator
from typing import Any

from interlock.plan.runtimes import PIPELINE

Json = dict[str, Any]
Line = tuple[str, str]

ANNOTATES = frozenset({"pass", "assume", "skip"})
"""Verdicts that let the turn go on."""

READ_NOW = frozenset({"message", "kept"})
"""Where a slot has its value from when its turn says the rest."""


def ending_gate(record: Json) -> Json | None:
    """The gate that ended the turn."""
    return next((gate for gate in reversed(record.get("gates") or ()) if gate["verdict"] not in ANNOTATES), None)


def told(record: Json) -> list[Line]:
    """What decided the turn: `(subject, line)` pairs in the order of the turn, gates that let it pass left out."""
    return list(_event(record) if record.get("kind") == "event" else _turn(record))


def told_call(call: Json) -> Iterator[Line]:
    """A call of a procedure: its outcome, the source of every argument, what stopped it, and what it has filled."""
    yield from _call(call, {})
    for block in call.get("blocks") or ():
        yield "stopped", f"{block['argument']}: {block['reason']}"
    for check in (*(call.get("requires") or ()), *(call.get("ensures") or ())):
        yield "check", f"{check['check']} ({check['at']}): {check['reason']}"
    if call.get("read_back"):
        yield "read back", f"the effect {call['read_back']}"
    if call.get("filled"):
        yield "fills", ", ".join(f"cells.{name}" for name in call["filled"])


def _event(record: Json) -> Iterator[Line]:
    yield "event", f"{record['event']}: {record['effect']}"


def _turn(record: Json) -> Iterator[Line]:
    for gate in record.get("gates") or ():
        if gate["verdict"] != "pass":
            yield "gate", f"{gate['id']} ({gate['at']}): {gate['verdict']}{_hits(gate)}"
    for found in record.get("identifiers") or ():
        yield "slot", f"{found['slot']} = {found['value']} ← {_words(found)}{_earlier(found, record)}"
    if record.get("intents"):
        yield "intent", ", ".join(record["intents"])
    route = record.get("route")
    if route:
        going_on = "goes on with flow" if route.get("continued") else "flow"
        yield "route", f"{route['id']}{_at(route)}: {going_on} {route['flow']}"
    yield from _walk(record)
    yield from _guarded(record.get("guard_flags") or {})
    if memory := record.get("memory"):
        yield "memory", f"of {memory['by']}: {_remembered(memory)}"
    for problem in record.get("problems") or ():
        yield "problem", f"{problem['code']} ({problem['at']}): {problem['message']}"
    if record.get("waits_for"):
        yield "waits", f"for {', '.join(record['waits_for'])}"


def _remembered(memory: Json) -> str:
    """What was read and left; counts, for its words are not in the record."""
    said = []
    for what in ("read", "written"):
        done = memory[what]
        if done is not None:
            counts = ", ".join(f"{number} {name}" for name, number in done.items() if name != "error")
            said.append(f"{what} {counts}" if counts else f"not {what}, {done.get('error', 'nothing is there')}")
    return "; ".join(said) or "not asked"


def _walk(record: Json) -> Iterator[Line]:
    """Calls, tables and steps: each step with the calls it made and the failure that was caught there."""
    steps = list(record.get("steps") or ())
    calls = list(record.get("calls") or ())
    caught = list(record.get("caught") or ())
    places = [step["at"] for step in steps]
    for call in calls:
        if call["at"] not in places:  # a gate's
            yield from _call(call, record)
    tables_at = max((places.index(call["at"]) + 1 for call in calls if call["at"] in places), default=0)
    for number, step in enumerate(steps):
        if number == tables_at:
            yield from told_tables(record)
        yield from _models(record, step["at"])
        own = [call for call in calls if call["at"] == step["at"]]
        calls = [call for call in calls if call["at"] != step["at"]]
        for call in own:
            yield from _call(call, record)
        if not own:
            yield "step", f"{step['id']} ({step['at']})"
        for one in [one for one in caught if one["step"] == step["id"]]:
            caught.remove(one)
            yield "catch", f"{one['kind']} ({one['at']})"
    if tables_at >= len(steps):
        yield from told_tables(record)


def _models(record: Json, at: str) -> Iterator[Line]:
    """The questions to models and retrievers at one step, and what each round of a loop has chosen."""
    for search in record.get("retrievals") or ():
        if search["at"] == at:
            found = [one.get("title") or one.get("document") or "?" for one in search.get("sources") or ()]
            said = search.get("error") or (", ".join(dict.fromkeys(found)) if found else "nothing found")
            yield "search", f"{search['retriever']} ({at}): {said}"
    for chosen in record.get("selections") or ():
        if chosen["at"] == at:
            yield from _round(chosen, record)
    for plan in record.get("plans") or ():
        if plan["at"] == at:
            actions = ", ".join(one["action"] for one in plan["steps"]) or "nothing"
            yield "plan", f"{plan['verdict']}: {actions}{''.join(f'; {one}' for one in plan['problems'])}"
    for asked in record.get("generations") or ():
        if asked["at"] == at and "role" in asked:
            yield told_question(asked, _runtime(record, at) if asked["stage"] == "selection" else "")


def told_question(asked: Json, runtime: str = "") -> Line:
    """A question to a model, for a runtime if one is to be named, and what came of it."""
    said = asked.get("problem") or asked.get("error") or asked.get("finish")
    by = f" by {runtime}" if runtime else ""
    return "model", f"{asked['role']} ({asked['at']}): {asked['stage']}{by}, {said}"


def _guarded(flags: Json) -> Iterator[Line]:
    """What was written and not said, and figures of it that nobody gave."""
    figures = ", ".join(flags.get("unsourced_figures") or ())
    why = f"{figures}: in no source" if figures else ""
    if flags.get("prose_dropped"):
        yield "dropped", "what the model wrote" + (f" ({why})" if why else "")
    elif why:
        yield "figures", why


def _round(chosen: Json, record: Json) -> Iterator[Line]:
    """A round of a loop: what was thought, if the runtime lets a model think, and what was chosen."""
    for block in record.get("scratchpad") or ():
        if block["kind"] == "thought" and (block["step"], block["round"]) == (chosen["step"], chosen["round"]):
            yield "thought", f"{block['text']} ({block['control']})"
    yield "choice", f"{chosen.get('tool') or 'no tool'}, by {chosen.get('by', 'rules')}"


def _runtime(record: Json, at: str) -> str:
    """The runtime of a step, where the reader does not take it for granted."""
    own = (one.get("runtime") for one in record.get("selections") or () if one["at"] == at)
    runtime = next(own, None) or record.get("runtime")
    return "" if runtime in (None, PIPELINE) else str(runtime)


def told_tables(record: Json) -> Iterator[Line]:
    """Tables by the rows that hit; most ask about what a call has brought."""
    for name, decided in (record.get("decisions") or {}).items():
        yield "table", _table(name, decided)


def _table(name: str, decided: Json) -> str:
    rows = ", ".join(decided.get("rows") or ())
    if decided.get("error"):
        return f"{name} ({decided['at']}): {decided['error']}"
    return f"{name} ({rows or decided['at']}): {_result(decided.get('result')) if rows else 'no row holds'}"


def _result(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_value(one)}" for name, one in value.items())
    return _value(value)


def _value(value: Any) -> str:
    """Text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _hits(gate: Json) -> str:
    return "".join(f", {_quoted(raw)} at {start}..{end}" for raw, start, end in gate.get("hits") or ())


def _at(rule: Json) -> str:
    return f" ({rule['at']})" if rule.get("at") else ""


def _call(call: Json, record: Json) -> Iterator[Line]:
    why = f", {call['error']}" if call.get("error") else ""
    tried = f" at attempt {call['attempts']}" if call.get("attempts", 1) > 1 else ""
    yield "call", f"{call['tool']} ({call['at']}): {_came_to(call)}{tried}{why}"
    yield from told_sources(call, record)
    for name in call.get("invented") or ():
        yield "dropped", f"{name}: the model gave one that the user has not said"


def told_sources(entry: Json, record: Json) -> Iterator[Line]:
    """Where each value is from that a call was sent, a procedure was given, or a variable was set to."""
    for name, source in (entry.get("sources") or {}).items():
        value = f" = {_value(entry['arguments'].get(name))}" if "arguments" in entry else ""
        yield "source", f"{name}{value} ← {_source(source, record)}"


def _came_to(call: Json) -> str:
    """The outcome of a call, and of a look-up what it has found."""
    if "unrecognized" in call:
        return f"{_quoted(str(call['unrecognized']['raw']))} is no {call['unrecognized']['argument']}"
    return f"{call['outcome']}, {call['fact'].replace('_', ' ')}" if "fact" in call else str(call["outcome"])


def _source(source: Json, record: Json) -> str:
    """Where an argument has its value from: the path, the words read, and the turn if it is an earlier one."""
    rest = [_words(one) for one in (source.get("found") or ([source] if "raw" in source else []))]
    if source.get("from", "message") not in READ_NOW:
        rest.append(source["from"])
    rest += [f"receipt {source['receipt']}"] if source.get("receipt") else []
    rest += [_end(source)] if "given_by" in source or "run" in source or "event" in source else []
    if source.get("made_of"):
        rest += [f"made of {', '.join(map(_made_of, source['made_of']))}"]
    elif source.get("reads"):
        rest += [f"reads {', '.join(source['reads'])}"]
    rest += ["given by the caller"] if source.get("by") else []
    return f"{source['source']}{': ' if rest else ''}{', '.join(rest)}{_earlier(source, record)}"


def _made_of(end: Json) -> str:
    if "more" in end:
        return f"{end['more']} more"
    known = f"receipt {end['receipt']}" if "receipt" in end else _end(end)
    return f"{end['source']} ({known})" if known else str(end["source"])


def _end(end: Json) -> str:
    """What a value came with that no call has brought."""
    if by := end.get("given_by"):
        return f"given by {by['run']} at {by['step']}"
    return next((f"{name} {end[name]}" for name in ("event", "run", "model") if name in end), "")


def _words(found: Json) -> str:
    return f"{_quoted(found['raw'])} at {found['start']}..{found['end']}"


def _earlier(found: Json, record: Json) -> str:
    """Words said before are told with their turn."""
    turn = found.get("turn")
    return f" of turn {turn}" if turn is not None and turn != record.get("turn", turn) else ""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
