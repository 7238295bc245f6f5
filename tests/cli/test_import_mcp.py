"""`interlock import mcp`: what it asks, what it tells, how it ends."""

import sys
from pathlib import Path

import pytest
import yaml

from tests.activities.mcp.started import over_http

pytest.importorskip("mcp", reason="needs the extra `mcp`")

SERVERS = Path(__file__).parents[1] / "activities" / "mcp"
DESK = f"{sys.executable} {SERVERS / 'desk_server.py'}"
RAW = f"{sys.executable} {SERVERS / 'raw_server.py'}"


def test_a_library_of_a_program_is_written_and_told(place):
    done = place.run("import", "mcp", "desk", "--command", DESK, "-o", "desk.yaml", "--only", "echo", "--only", "b*")
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    assert done.stderr == "2 tools, 0 arguments to give a source\n"
    made = yaml.safe_load((place.folder / "desk.yaml").read_text())
    assert made["servers"] == {"desk": {"mcp": {"command": DESK.split()}}}
    assert list(made["tools"]) == ["echo", "big"]
    assert made["tools"]["echo"]["effect"] == "irreversible"
    assert len(made["tools"]["echo"]["definition"]) == 64
    assert place.run("import", "mcp", "desk", "--command", DESK, "-o", "desk.yaml").exit_code == 1


def test_variables_are_handed_on_by_name_and_stay_out_of_the_library(place, monkeypatch):
    monkeypatch.setenv("DESK_TOKEN", "word-of-honour")
    done = place.run("import", "mcp", "desk", "--command", DESK, "--env", "DESK_TOKEN", "--server", "front")
    made = yaml.safe_load(done.stdout)
    assert made["servers"]["front"]["mcp"]["env"] == {"DESK_TOKEN": "{{ secrets.DESK_TOKEN }}"}
    assert "word-of-honour" not in done.output


def test_a_server_with_a_url_is_asked_with_its_token(place, monkeypatch, tmp_path):
    monkeypatch.setenv("DESK_KEY", "word-of-honour")
    with over_http(DESK_SEEN=str(tmp_path / "seen")) as url:
        done = place.run("import", "mcp", "desk", "--url", url, "--token", "DESK_KEY", "--only", "echo")
    made = yaml.safe_load(done.stdout)
    assert made["servers"]["desk"] == {"mcp": {"url": url}, "auth": {"bearer": "{{ secrets.DESK_KEY }}"}}
    assert "Bearer word-of-honour" in (tmp_path / "seen").read_text()
    assert "word-of-honour" not in done.output


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 2, "Say --command or --url."),
        (["--command", "a", "--url", "http://a"], 2, "Say --command or --url."),
        (["--url", "http://a", "--env", "X"], 2, "--env is for --command"),
        (["--command", "a 'b"], 2, "--command: no closing quotation."),
        (["--command", "a", "--server", "x-1"], 2, "--server is snake_case"),
        (["--command", "a", "--env", "NOT_THERE"], 1, "environment variable 'NOT_THERE' is not set."),
        (["--command", "no-such-program"], 1, "the program 'no-such-program' cannot be started: no such file"),
        (["--command", f"{sys.executable} -c 'raise SystemExit(4)'"], 1, "instead of answering (exit code 4)."),
        (["--command", f"{sys.executable} -c 1/0"], 1, "  | ZeroDivisionError: division by zero\n"),
        (["--command", "sleep 60", "--wait", "0.5"], 1, "no list of tools within 0.5 s."),
        (["--command", f"{RAW} pages"], 1, "or its list has no end."),
        (["--command", f"{DESK}", "--only", "nothing"], 1, "no tool fits 'nothing'."),
        (["--url", "http://127.0.0.1:1/mcp"], 1, "no connection to 127.0.0.1:1."),
        (["--url", "http://169.254.169.254/mcp"], 1, "resolves to an address that is not allowed."),
        (["--url", "desk"], 1, "the server's address is not of the form"),
    ],
)
def test_what_goes_wrong_is_told_and_nothing_is_written(place, words, code, told):
    done = place.run("import", "mcp", "desk", "-o", "x.yaml", *words)
    assert done.exit_code == code, done.output
    assert told in done.stderr
    assert "Traceback" not in done.stderr.replace("| Traceback", "")
    assert not (place.folder / "x.yaml").exists()


def test_a_name_that_no_library_has_is_wrong_usage(place):
    done = place.run("import", "mcp", "My Desk", "--command", "a")
    assert done.exit_code == 2
    assert "kebab-case" in done.stderr
