"""`run`, `record`, `retry`, `cancel` and `audit` as people run them, against `interlock dev` and a service that fails."""

import asyncio
import json
import re
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from interlock.cli import root
from interlock.cli.following import outcome_lines
from interlock.client import connect
from interlock.client.procedures import Procedures
from tests.cli.commands import COMMAND, environment

pytestmark = pytest.mark.server

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: office
servers: {office: {http: "{{ env.OFFICE_URL }}"}}
tools:
  find:
    http: GET /claims/{no}
    effect: read
    input: {no: {type: string, from: input.no}}
    output: {account: {type: string}}
    produces: {account: {at: account}}
  pay:
    http: POST /payments
    effect: irreversible
    idempotency: {none: the office knows no keys}
    input: {account: {type: string, from: cells.find.account}}
    output: {payment: {type: string}}
    produces: {payment: {at: payment}}
    ensures: [{that: result.payment != ''}]
    timeout: 2s
  take_back:
    http: POST /cancellations
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {payment: {type: string, from: cells.pay.payment}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
"""
PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: pay-claim
uses: [office]
input: {no: {type: string}}
events: {agreed: {by: {type: string}}}
on_cancel: compensate
steps:
  - call: find
  - call: pay
    compensate: [{call: take_back}]
  - when: input.no == 'C-wait'
    receive: agreed
  - when: input.no == 'C-fail'
    fail: Never.
result: {payment: "{{ cells.pay.payment }}"}
"""
CLAIMS = """
apiVersion: interlock/v1
kind: Procedure
name: many-claims
uses: [office]
input: {numbers: {type: list, items: {type: string}}}
steps:
  - for_each:
      items: "{{ input.numbers }}"
      as: no
      key: "{{ no }}"
      do: [{run: pay-claim, with: {no: "{{ no }}"}}]
"""
AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
routes: [{flow: echo}]
flows: {echo: [{reply: "Hello, {{ message.text }}"}]}
"""


class Office(BaseHTTPRequestHandler):
    """Pays, unless it is told to hang up in the middle."""

    paid: list[str]
    hangs_up: bool

    def do_GET(self):
        self.answer({"account": "000193274650918273645"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/payments":
            self.server.paid.append(json.loads(body)["account"])
            if self.server.hangs_up:
                self.close_connection = True
                self.connection.close()
                return
        self.answer({"payment": f"{len(self.server.paid):020}", "gone": True})

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def office():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Office)
    server.handle_error = lambda *_: None
    server.paid, server.hangs_up = [], False
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, text in {
        "desk/agent": AGENT,
        "claims/office": LIBRARY,
        "claims/pay": PROCEDURE,
        "claims/whole": CLAIMS,
    }.items():
        path = folder / "specs" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def beside(office):
    return environment(PYTHONUNBUFFERED="1", OFFICE_URL=f"http://127.0.0.1:{office.server_port}")


@pytest.fixture(scope="module")
def dev(folder, office):
    """The address of an `interlock dev`, and what it said."""
    process = subprocess.Popen([*COMMAND, "dev"], cwd=folder, env=beside(office), stdout=-1, text=True)
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("Ctrl-C"):
            break
    yield re.search(r"(?m)^Temporal server +(\S+)", said)[1], said
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


@pytest.fixture
def told(folder, office, dev, monkeypatch):
    """The command line at that server: exit code, output, error output."""

    def run(*words, said=None, address=True):
        words = [*words, "--address", dev[0]] if address else words
        if words[0] in ("run", "chat"):
            done = subprocess.run(
                [*COMMAND, *words],
                cwd=folder,
                env=beside(office),
                input=said,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            return done.returncode, done.stdout, done.stderr
        done = CliRunner(env=beside(office)).invoke(root, words, prog_name="interlock")
        assert isinstance(done.exception, SystemExit | None), done.exception
        return done.exit_code, done.stdout, done.stderr

    monkeypatch.chdir(folder)
    office.hangs_up = False
    return run


def claim(no):
    return json.dumps({"no": no})


def test_dev_says_what_can_be_done_with_each_kind(dev):
    address, said = dev
    assert f"talk to it       interlock chat desk --address {address}\n" in said
    assert f"run it           interlock run pay-claim --input JSON --address {address}\n" in said


def test_a_run_is_shown_step_by_step_with_sources_and_ends_with_its_result(told):
    code, output, errors = told("run", "pay-claim", "--id", "one", "--input", claim("C-1"))
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "run one"
    assert re.fullmatch(r" +step  ✓ find  \(pay\.yaml:10:5, \d+ ms\)", lines[1])
    assert any("account = 000193274650918273645 ← cells.find.account: receipt " in line for line in lines)
    assert lines[-4:-1] == ["done", "{", f'  "payment": "{1:020}"']


def test_the_same_id_starts_nothing_again_and_another_input_is_a_conflict(told, office):
    paid = len(office.paid)
    told("run", "pay-claim", "--id", "same", "--brief", "--input", claim("C-2"))
    code, output, _ = told("run", "pay-claim", "--id", "same", "--json", "--input", "-", said=claim("C-2"))
    assert (code, json.loads(output)["status"], len(office.paid)) == (0, "done", paid + 1)
    code, _, errors = told("run", "pay-claim", "--id", "same", "--input", claim("C-3"))
    assert code == 1
    assert "was started with another input" in errors


def test_an_effect_that_nobody_knows_of_is_asked_about_before_a_retry(told, office):
    office.hangs_up = True
    code, output, _ = told("run", "pay-claim", "--id", "lost", "--brief", "--input", claim("C-4"))
    assert code == 1
    assert "once the cause is mended: interlock retry lost --resolved pay=happened|did_not_happen --address " in output
    code, _, errors = told("retry", "lost")
    assert (code, "must be said first, under `resolved`: pay" in errors) == (1, True)
    assert told("retry", "lost", "--resolved", "pay")[0] == 2
    office.hangs_up = False
    paid = len(office.paid)
    assert told("retry", "lost", "--resolved", "pay=did_not_happen", "--by", "ann")[:2] == (0, "lost: running\n")
    code, output, _ = told("run", "pay-claim", "--id", "lost", "--brief", "--input", claim("C-4"))
    assert (code, len(office.paid)) == (0, paid + 1)
    assert "retry  by ann" in output


def test_a_cancelled_run_is_undone_and_a_second_word_changes_nothing(told):
    waiting = json.dumps({"no": "C-wait"})
    following = threading.Thread(target=told, args=("run", "pay-claim", "--id", "gone", "--json", "--input", waiting))
    following.start()
    while "pay  (" not in told("record", "gone")[1]:
        assert following.is_alive()
    assert told("cancel", "gone", "--by", "ann")[:2] in [(0, "gone: undoing\n"), (0, "gone: running\n")]
    following.join()
    code, output, _ = told("record", "gone")
    assert (code, "undone  pay" in output, "cancel  by ann" in output) == (0, True, True)
    assert told("cancel", "gone")[::2] == (1, "Error: run 'gone' is over: it has failed\n")


def test_a_run_that_temporal_ends_is_followed_to_its_end_and_called_what_it_is(told, dev):
    outputs = []
    words = ("run", "pay-claim", "--id", "shot", "--brief", "--input", claim("C-wait"))
    following = threading.Thread(target=lambda: outputs.append(told(*words)))
    following.start()
    while "pay  (" not in told("record", "shot")[1]:
        assert following.is_alive()
    asyncio.run(terminated(dev[0], "shot"))
    following.join()
    code, output, _ = outputs[0]
    last = ["terminated: Temporal has ended the run where it stood, and nothing is undone", "not undone: pay"]
    assert (code, output.splitlines()[-2:]) == (1, last)
    assert "terminated  Temporal was told to end the run where it stood" in told("record", "shot")[1]
    assert told("cancel", "shot")[::2] == (1, "Error: run 'shot' is over: it was terminated\n")


async def begun(address, run):
    desk = await Procedures.connect(address)
    await desk.start("pay-claim", {"no": "C-wait"}, id=run)
    await desk.status(run)


async def terminated(address, run):
    client = await connect(address)
    await client.get_workflow_handle(run).terminate()


def test_the_record_is_told_in_lines_or_as_json_after_a_number(told):
    told("run", "pay-claim", "--id", "noted", "--json", "--input", claim("C-5"))
    code, output, errors = told("record", "noted", "--json", "--after", "1")
    records = [json.loads(line) for line in output.splitlines()]
    assert (code, errors) == (0, "")
    assert [one.get("step", one.get("event")) for one in records] == ["pay", "agreed", "fail", "done"]
    assert records[0]["calls"][0]["sources"]["account"]["source"] == "cells.find.account"
    assert told("record", "noted", "--after", "9")[:2] == (0, "nothing is recorded of noted after number 9.\n")
    code, _, errors = told("record", "nobody")
    assert (code, errors.startswith("Error: no run 'nobody'")) == (1, True)


def test_the_record_of_a_session_is_told_too(told):
    assert told("chat", "desk", "--session", "s1", "--brief", said="one\ntwo\n")[0] == 0
    code, output, _ = told("record", "desk:s1", "--json")
    assert (code, [json.loads(line)["turn"] for line in output.splitlines()]) == (0, [1, 2])
    assert "turn  2" in told("record", "desk:s1", "--after", "1")[1]


def test_the_six_figures_are_complete_and_those_of_a_run_can_be_asked_for(told):
    told("run", "pay-claim", "--id", "audited", "--json", "--input", claim("C-6"))
    code, output, errors = told("audit", "pay-claim", "specs/claims", "--run", "audited")
    assert (code, errors) == (0, "")
    assert [line.split("  ")[0].strip() or line for line in output.splitlines()][:1] == ["1 run, 2 calls"]
    assert output.count("100.0 %") == 5
    code, output, _ = told("audit", "pay-claim", "specs/claims", "--json")
    found = json.loads(output)
    assert (code, found["runs"] > 1, len(found["figures"])) == (0, True, 6)
    assert all(figure["complete"] for figure in found["figures"].values())
    code, _, errors = told("audit", "desk", "specs/desk", "--run", "nobody")
    assert (code, "no run 'nobody'" in errors) == (1, True)


def test_an_audit_covers_the_runs_that_were_begun_and_names_those_that_temporal_ended(told, dev):
    told("run", "many-claims", "--id", "many", "--json", "--input", json.dumps({"numbers": ["C-8", "C-9"]}))
    code, output, errors = told("audit", "many-claims", "specs/claims", "--run", "many")
    assert (code, errors) == (0, "")
    assert output.splitlines()[:2] == ["3 runs, 4 calls", "  1 of many-claims, 2 of pay-claim"]
    assert output.count("100.0 %") == 5
    code, output, _ = told("audit", "many-claims", "specs/claims", "--json", "--run", "many", "--run", "many")
    found = json.loads(output)
    assert (found["runs"], found["of"], found["missing"]) == (3, {"many-claims": 1, "pay-claim": 2}, [])
    assert found["figures"]["arguments of writes with provenance"]["whole"] == 2
    asyncio.run(begun(dev[0], "cut"))
    asyncio.run(terminated(dev[0], "cut"))
    code, output, _ = told("audit", "pay-claim", "specs/claims", "--run", "cut")
    assert (code, output.splitlines()[1]) == (0, "      cut was terminated: its last calls may be in no record")


def test_a_run_that_fails_for_good_ends_with_1_and_its_reason(told):
    code, output, _ = told("run", "pay-claim", "--brief", "--input", claim("C-fail"))
    assert (code, output.splitlines()[-2:]) == (1, ["failed: Never.", "not undone: pay"])
    nowhere = (1, "Error: no run 'nobody': it was never started, or ended too long ago\n")
    assert told("retry", "nobody")[::2] == nowhere


def test_an_input_that_does_not_fit_is_told_before_anything_runs(told, office):
    paid = len(office.paid)
    for given in ("{}", '{"no": 7}', "[]", "@nothing"):
        code, _, errors = told("run", "pay-claim", "--input", given)
        assert code in (1, 2)
        assert "Traceback" not in errors
        assert errors
    assert len(office.paid) == paid


def test_run_brings_its_own_server_and_worker(told):
    code, output, errors = told("run", "pay-claim", "specs/claims", "--brief", "--input", claim("C-7"), address=False)
    assert (code, errors) == (0, "")
    assert "done" in output.splitlines()
    code, _, errors = told("run", "desk", "specs/desk", address=False)
    assert (code, "talk to it with `interlock chat desk`" in errors) == (2, True)


def test_a_run_whose_server_ends_with_the_command_is_told_how_to_have_one_that_stays():
    status = {"status": "failed", "failure": {"step": "pay", "message": "no"}, "unresolved": ["pay"], "effects": []}
    first, remedy = outcome_lines("one", status, None)
    assert "stands still at pay: no" in first
    assert all(words in remedy for words in ("interlock dev", "--address"))
    assert "interlock retry" not in remedy
