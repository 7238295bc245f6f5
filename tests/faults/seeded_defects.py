"""Defects planted in a copy of our own code, each run against the tests that should catch it.

`python tests/faults/seeded_defects.py [SEED COUNT]` says for each whether it was caught; without arguments, all of them.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("interlock", "workflows", "activities", "specs", "tests", "demo", "docs", "worker.py", "pyproject.toml")
SECONDS = 240


@dataclass(frozen=True)
class Defect:
    """`was` stands once in `file`, and becomes `now`; `tests` are the least that should notice."""

    name: str
    file: str
    was: str
    now: str
    tests: str


DEFECTS = (
    Defect("an invented identifier admitted", "interlock/interpreter/models/proposing.py", "if known is not None and _is(given, known, exact):", "if known is not None:", "tests/faults/test_faults_proposals.py tests/assistant/test_choosing.py"),
    Defect("invented identifiers in texts", "interlock/interpreter/models/proposing.py", "_named(turn, form) - said for form", "_named(turn, form) - _named(turn, form) for form", "tests/faults/test_faults_proposals.py"),
    Defect("a tool that the step has not", "interlock/interpreter/models/selecting.py", "for name in (*step.tools, *step.procedures) if name not in done", "for name in turn.program.mounts if name not in done", "tests/faults/test_faults_obedient.py"),
    Defect("figures from nowhere", "interlock/interpreter/models/generating.py", 'refused = bool(strangers) if policy.mode == "strict"', 'refused = bool(strangers) if policy.mode == "prefer"', "tests/faults/test_faults_obedient.py"),
    Defect("passages cited that are not there", "interlock/interpreter/models/strangers.py", "if passages or turn.asking.retrievals else []", "if False else []", "tests/assistant/test_retrieving.py"),
    Defect("sensitive fields shown to models", "interlock/interpreter/models/prompts.py", "    if marks is not None:", "    if marks is None:", "tests/faults/test_faults_obedient.py"),
    Defect("a cancelled turn goes on", "workflows/interlock_workflows/driver.py", "task.cancelling() > 0", "task.cancelling() > 9", "tests/workflows/models/test_model_interrupted.py"),
    Defect("a call's own cells stale by what it invalidates", "interlock/interpreter/cells.py", "if path not in own}", "if path or own}", "tests/work/test_invalidating.py"),
    Defect("undone by cells that have become stale", "interlock/interpreter/work/effects.py", '{key: {**cell, "made_from": {}}', "{key: {**cell}", "tests/work/test_invalidating.py"),
    Defect("a request that may have arrived made anew", "interlock/interpreter/arguments.py", "if sent is None or", "if sent is None or sent or", "tests/work/test_invalidating.py"),
    Defect("a call without effect makes cells stale", "interlock/interpreter/returned.py", 'call.effect == "none" if tool.writes else', "False if tool.writes else", "tests/work/test_invalidating.py"),
    Defect("waits for a run that is over", "interlock/client/procedures.py", "if error.status is RPCStatusCode.NOT_FOUND:\n                    await", "if False:\n                    await", "tests/cli/test_runs.py"),
    Defect("duplicates run again", "interlock/interpreter/deliveries.py", '("repeated" if entry["body"] == digest else "conflict")', '("repeated" if entry["body"] == digest else "new")', "tests/interpreter/test_machine_deliveries.py"),
    Defect("role left out of a body's digest", "interlock/interpreter/deliveries.py", "role, kind, text = message.role, message.type, message.text", 'role, kind, text = "", message.type, message.text', "tests/interpreter/test_machine_deliveries.py"),
    Defect("old ids never forgotten", "interlock/interpreter/deliveries.py", 'message.now_ms - entry["at_ms"] > IDS_KEPT_MS:\n            return', 'message.now_ms - entry["at_ms"] > 9 * IDS_KEPT_MS:\n            return', "tests/interpreter/test_machine_deliveries.py"),
    Defect("the first of several numbers chosen", "interlock/interpreter/reading.py", "if not (certain and (is_one or slot.many)):", "if not certain:", "tests/interpreter/test_reading_slots.py tests/interpreter/test_source_traps.py"),
    Defect("masking off by one", "interlock/text/hits.py", '" " * (end - max(start, at))', '" " * (end - max(start, at) - 1)', "tests/text"),
    Defect("a word's edge not looked at behind", "interlock/text/phrases.py", "and not _goes_on(raw, last, 1, INVISIBLE | MARK)", "and True", "tests/text"),
    Defect("numbers read as letters", "interlock/text/phrases.py", "if shown.isdecimal() and not letters.isdecimal():", "if False and not letters.isdecimal():", "tests/text/test_text_screening.py"),
    Defect("width not folded", "interlock/text/patterns.py", '0x3000: " "}', '0x3001: " "}', "tests/text/test_text_patterns.py"),
    Defect("large repetitions allowed", "interlock/text/patterns.py", "LARGEST_REPETITION = 100", "LARGEST_REPETITION = 1000", "tests/text/test_text_patterns.py"),
    Defect("duplicate keys of JSON taken", "interlock/contract/strict_json.py", "if len(value) == len(pairs):", "if pairs is not None:", "tests/contract"),
    Defect("a longer text allowed", "interlock/contract/messages.py", "if len(value) > limit:", "if len(value) > limit + 1:", "tests/contract"),
    Defect("several arguments taken", "interlock/contract/messages.py", "if len(payloads) > 1:", "if len(payloads) > 2:", "tests/contract"),
    Defect("control characters in names", "interlock/contract/messages.py", "if not name.isprintable():", "if name.isprintable() and False:", "tests/contract"),
    Defect("redirects to undeclared hosts", "activities/interlock_activities/http_client.py", "if not request.redirects or (origin != home and not origin.listed(request.redirects)):", "if not request.redirects:", "tests/activities/test_http_directions.py"),
    Defect("the key follows a redirect", "activities/interlock_activities/http_client.py", "hop.headers if url.origin == here else {}", "hop.headers", "tests/activities/test_http_directions.py"),
    Defect("link-local addresses allowed", "activities/interlock_activities/addresses.py", "address.is_link_local\n            or ", "", "tests/activities/test_http_directions.py"),
    Defect("tunnelled addresses allowed", "activities/interlock_activities/addresses.py", "\n            or _is_tunnel(address)", "", "tests/activities/test_http_directions.py"),
    Defect("a common name vouches for a host", "activities/interlock_activities/http_client.py", "hostname_checks_common_name = False", "hostname_checks_common_name = True", "tests/faults/test_faults_hosts.py"),
    Defect("a link leads out of the data folder", "activities/interlock_activities/sql_address.py", "found = (home / path).resolve()", "found = home / path", "tests/activities/sql/test_sqlite_tools.py"),
    Defect("rows cut at the cap", "activities/interlock_activities/sql_rows.py", 'raise failed(f"more than {most}: let the statement find fewer", retryable=False, sent=False)', "return", "tests/activities/sql/test_sqlite_tools.py"),
    Defect("more stored than is declared", "interlock/interpreter/parting.py", "referenced(declared(one, value[name]))", "referenced(value[name])", "tests/activities/test_stored_values.py"),
    Defect("stored values without a limit", "activities/interlock_activities/stored_values.py", "if left < 0:", "if left < -STORED_LIMIT:", "tests/activities/test_stored_values.py"),
    Defect("a read allowed to write", "activities/interlock_activities/sql_tool.py", 'writes = request.writes and server.get("read_only") is False', "writes = True", "tests/activities/sql/test_sqlite_tools.py"),
    Defect("only the last attempt counts as sent", "activities/interlock_activities/tool_calls.py", "sent=failure.sent or earlier", "sent=failure.sent", "tests/activities/test_what_was_sent.py"),
    Defect("a retry that forgets the request before it", "activities/interlock_activities/tool_calls.py", "request.again or not none_changed", "not none_changed", "tests/activities/test_what_was_sent.py"),
    Defect("a refusal taken for proof of the attempts before it", "interlock/interpreter/effects.py", "came.earlier or may_have_acted", "may_have_acted", "tests/work/test_unknown.py"),
    Defect("a 5xx taken for a refusal", "interlock/interpreter/outcomes.py", "400 <= status < 500", "400 <= status < 600", "tests/work/test_effects.py"),
    Defect("a cast taken for an argument", "interlock/contract/sql.py", "    | (?P<sign>:: | .)", "    | (?P<sign>.)", "tests/contract/test_sql_statements.py"),
    Defect("what chooses an answer not followed", "interlock/compiler/handed_on.py", "        yield from _chosen_by(unit, step)\n\n\ndef _made_of", "\n\ndef _made_of", "tests/compiler/test_guards.py"),
    Defect("a failure chooses nothing", "interlock/compiler/handed_on.py", 'any(not caught or caught[0].action not in ("end", "fail")', "any(not caught", "tests/compiler/test_guards.py"),
    Defect("an event is the same for every run", "interlock/compiler/handed_on.py", "        case _:\n            yield RUN_ID", "        case _:\n            return", "tests/compiler/test_guards.py"),
    Defect("calls never stopped", "workflows/interlock_workflows/calling.py", "        asyncio.get_running_loop().call_soon(self.handle.cancel)\n", "", "tests/workflows/procedures/test_stopping.py"),
    Defect("an effect let go when it is stopped", "workflows/interlock_workflows/calling.py", "return waits if tool.writes else", "return waits if not tool.writes else", "tests/workflows/procedures/test_stopping.py"),
    Defect("new keys for a child after a reset", "workflows/interlock_workflows/opening.py", "_told(RUN_MEMO) if info.parent is not None", "_told(RUN_MEMO) if info.parent is None", "tests/workflows/procedures/test_runs.py"),
    Defect("the first of several rows taken for the fact", "interlock/interpreter/lookups.py", "if len(rows) > 1:", "if len(rows) > 9:", "tests/facts/test_stated.py"),
    Defect("prose beside facts believed", "interlock/interpreter/models/generating.py", 'if policy.mode == "strict" else about_facts and "unsourced_figures" in strangers', 'if policy.mode == "strict" else False', "tests/facts/test_facts_and_prose.py"),
    Defect("a figure of the user's taken for a fact", "interlock/interpreter/models/strangers.py", "return [*evidence.receipts(turn, shown)]\n", "return [*evidence.sources(turn, shown)]\n", "tests/facts/test_facts_and_prose.py"),
    Defect("something assumed for what means nothing", "interlock/interpreter/unrecognized.py", "turn.slots[slot] = beside(turn, slot, tuple(raws.values()))", "beside(turn, slot, tuple(raws.values()))", "tests/facts/test_unrecognized.py"),
    Defect("figures of a fact answer not held against the receipt", "interlock/interpreter/stating.py", "if not strange:", "if True:", "tests/facts/test_stated.py"),
    Defect("a miss counts as evidence", "interlock/interpreter/lookups.py", 'return call.fact is not None and call.fact["status"] != FOUND', "return False", "tests/facts/test_facts_and_prose.py"),
    Defect("a changed MCP tool called", "activities/interlock_activities/mcp_calls.py", "if request.definition and digest != request.definition:", "if False:", "tests/activities/mcp/test_mcp_servers.py"),
    Defect("any program started", "activities/interlock_activities/mcp_calls.py", "if not any(allowed and command[: len(allowed)] == allowed for allowed in self._commands):", "if False:", "tests/activities/mcp/test_mcp_servers.py"),
    Defect("a worker's whole environment handed on", "activities/interlock_activities/mcp_process.py", "return {name: environ[name] for name in DEFAULT_INHERITED_ENV_VARS if name in environ}", "return dict(environ)", "tests/activities/mcp/test_mcp_servers.py"),
    Defect("children of an MCP server left behind", "activities/interlock_activities/mcp_process.py", '    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))  # children that it left behind\n', "", "tests/activities/mcp/test_mcp_servers.py"),
    Defect("an MCP answer that is not strict", "activities/interlock_activities/mcp_process.py", "strict_json.loads(line, LONGEST_LINE)", "json.loads(line)", "tests/activities/mcp/test_mcp_answers.py"),
    Defect("one MCP call ends those of others", "activities/interlock_activities/mcp_http.py", "            return self._refused(self._failure(problem))", "            raise", "tests/activities/mcp/test_mcp_over_http.py"),
    Defect("an MCP server believed", "interlock/authoring/importing/definitions.py", 'said.get("readOnlyHint") is True', 'said.get("readOnlyHint")', "tests/importing/test_definitions.py"),
    Defect("a single message answered by another's reply", "interlock/client/sessions.py", "if not await began_with(self.client, where, start):", "if False:", "tests/workflows/test_client.py"),
    Defect("a plan in no store looked for over and over", "activities/interlock_activities/plans.py", "non_retryable=not request.digest", "non_retryable=False", "tests/activities/test_plan_resolution.py"),
    Defect("no cap on a body", "activities/interlock_activities/http_client.py", "if len(body) > limit:", "if len(body) > limit * 900:", "tests/activities/test_http_answers.py"),
    Defect("404 tried again", "activities/interlock_activities/meaning.py", "frozenset({408, 409, 425, 429})", "frozenset({404, 408, 409, 425, 429})", "tests/activities"),
    Defect("secrets in another case not blotted out", "activities/interlock_activities/failures.py", "flags=re.IGNORECASE", "flags=0", "tests/activities/test_calls_end.py"),
    Defect("path arguments not quoted", "activities/interlock_activities/http_request.py", 'quote(_text(values[name]), safe="")', 'quote(_text(values[name]), safe="/")', "tests/activities/test_http_requests.py"),
    Defect("inflation without a bound", "interlock/client/converter.py", "inflating.decompress(payload.data, INFLATED_LIMIT)", "inflating.decompress(payload.data)", "tests/workflows/test_converter.py"),
    Defect("keys sorted in payloads", "interlock/client/converter.py", 'separators=(",", ":"))', 'separators=(",", ":"), sort_keys=True)', "tests/workflows/test_converter.py"),
    Defect("a broken connection not retried", "interlock/client/delivery.py", "        RPCStatusCode.UNKNOWN,\n", "", "tests/workflows/test_client.py -k breaks"),
    Defect("work of a loop not counted", "interlock/expressions/limits.py", "meter[0] -= amount", "meter[0] -= 0", "tests/expressions/test_attacks.py"),
    Defect("rendered text unbounded", "interlock/expressions/limits.py", "MAX_TEXT = 65_536", "MAX_TEXT = 65_536_000", "tests/expressions/test_attacks.py"),
    Defect("identifiers not told by their names", "interlock/plan/naming.py", "return not words.isdisjoint(IDENTIFIER_WORDS) or", "return", "tests/interpreter/test_arguments_identifiers.py"),
    Defect("a hundred wrong names and no more", "interlock/compiler/findings.py", "MOST = 100", "MOST = 99", "tests/compiler/test_files.py"),
    Defect("references out of a document followed", "interlock/authoring/importing/nodes.py", 'if pointer != "#" and not pointer.startswith("#/"):', "if pointer is None:", "tests/importing/test_refused.py"),
    Defect("the source of an argument guessed", "interlock/authoring/importing/fields.py", "field.update(extra)", 'field.update({**extra, "from": "caller"})', "tests/importing/test_documents.py"),
    Defect("schemas that unfold without end", "interlock/authoring/importing/gathering.py", "if target.path in trail:", "if target.path in seen:", "tests/importing/test_documents.py"),
    Defect("timers of one advance fire at its end", "interlock/authoring/work_stage.py", "self.now_ms = max(self.now_ms, due)", "self.now_ms = end", "tests/authoring/test_work_suites.py"),
    Defect("calls of checks counted in a suite", "interlock/authoring/work_stage.py", "if command.at in run.calls_at:", "if run.calls_at:", "tests/authoring/test_work_suites.py"),
    Defect("a stubbed error taken for sent", "interlock/authoring/stubs.py", 'sent=outcome != "error"', "sent=True", "tests/authoring/test_work_suites.py"),
    Defect("a skipped step covered", "interlock/authoring/work_coverage.py", 'if outcome != "skipped":', "if True:", "tests/authoring/test_work_suites.py"),
    Defect("a paused branch not stopped", "interlock/interpreter/work/tasks.py", "            self._wake(task, Stopped())\n        elif", "            return\n        elif", "tests/work/test_pausing.py"),
    Defect("failed items forgotten over a pause", "interlock/interpreter/work/loops.py", "if key not in done and key not in failed]", "if key not in done]", "tests/work/test_pausing.py"),
    Defect("a write without a key repeated when its check fails", "interlock/interpreter/work/effects.py", 'if result.effect != "none" and not', 'if result.outcome == "unknown" and not', "tests/work/test_pausing.py"),
    Defect("a full mailbox drops in silence", "interlock/interpreter/work/receiving.py", "if len(waiting) >= EVENTS_KEPT or", "if", "tests/work/test_pausing.py"),
    Defect("undoings tried again over a pause", "interlock/interpreter/work/machine.py", "if one[0] not in tried]", "if one]", "tests/work/test_pausing.py"),
    Defect("a loop's key may change under another plan", "interlock/interpreter/work/retrying.py", "or before[step].known_by != after[step].known_by", "", "tests/work/test_another_plan.py"),
    Defect("a retried step out of time", "interlock/interpreter/work/retrying.py", '("due_ms", "next_ms", "failed")', '("next_ms", "failed")', "tests/work/test_pausing.py"),
    Defect("results of a pass gone before it is undone", "interlock/interpreter/work/walk.py", 'if "undo" in passes[prefix]:', 'if "undo" in passes[prefix] and not left:', "tests/work/test_pausing.py"),
)  # fmt: skip


def stands(defect):
    """How often the text that a defect replaces stands in its file; once, if the list is up to date."""
    return (ROOT / defect.file).read_text(encoding="utf-8").count(defect.was)


def outcome(defect):
    """`caught`, `missed`, or why it could not be tried."""
    if stands(defect) != 1:
        return f"stands {stands(defect)} times"
    with tempfile.TemporaryDirectory(prefix="interlock-defect-") as scratch:
        folder = Path(scratch)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        path = folder / defect.file
        path.write_text(path.read_text(encoding="utf-8").replace(defect.was, defect.now), encoding="utf-8")
        return _tested(folder, defect.tests.split())


def _tested(folder, tests):
    paths = os.pathsep.join(str(folder / name) for name in ("", "workflows", "activities"))
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "INTERLOCK_FAULTS": ""}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    try:
        got = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "caught"  # a test that hangs has noticed
    return {0: "missed", 1: "caught"}.get(got.returncode, f"pytest ended with {got.returncode}: {got.stdout[-300:]}")


def main(arguments):
    """Try them and say so; the number of those not caught is the exit code."""
    chosen = list(DEFECTS)
    if arguments:
        chosen = random.Random(int(arguments[0])).sample(chosen, int(arguments[1]))
    outcomes = [(defect.name, outcome(defect)) for defect in chosen if not print(f"{defect.name} …", file=sys.stderr)]
    for name, result in outcomes:
        print(f"{result}\t{name}")
    return sum(result != "caught" for _, result in outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
