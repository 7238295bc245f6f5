"""How the command line is used: help, exit codes, and what it says to wrong names."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import interlock
from interlock.cli import COMMANDS, root

FAULT = """
import sys
from interlock import cli
from interlock.cli import plan
def broken(*a, **k): raise RuntimeError("a bug")
plan.plan_named = broken
sys.argv = ["interlock", "plan", "desk"]
cli.main()
"""
INTERRUPTED = FAULT.replace('RuntimeError("a bug")', "KeyboardInterrupt")


def test_help_lists_every_command_with_what_it_does(place):
    done = place.run("--help")
    assert done.exit_code == 0
    for name, what in COMMANDS.items():
        assert f"  {name:<8} {what}" in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_that_begins_with_itself(place, name):
    done = place.run(name, "--help")
    assert done.exit_code == 0
    example = done.output.split("Example: ")[1]
    assert f"interlock {name}" in example


def test_the_version_is_that_of_the_package(place):
    assert place.run("--version").output == f"interlock, version {interlock.__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chekc"], "Error: no command is called 'chekc'. Did you mean 'check'?"),
        (["xyz"], "Error: no command is called 'xyz'. There are: audit, cancel, chat, check, dev,"),
        (["check", "--fromat", "json"], "--format"),
        (["explain", "desk"], "Missing option '--message'"),
        (["explain", "dsk", "--message", "x"], "Error: no agent or procedure is called 'dsk'. Did you mean 'desk'?"),
        (["graph", "zzz"], "Error: no agent or procedure is called 'zzz'. There are: desk."),
        (["plan", "desks"], "Did you mean 'desk'?"),
        (["graph", "desk", "--language", "fr"], "Error: desk does not speak 'fr', only en, zh."),
        (
            ["explain", "desk", "--message", "x", "--type", "foo"],
            "the message does not fit desk: no message type 'foo'",
        ),
        (["explain", "desk", "--message", "x", "--user", "{"], "--user is not JSON"),
        (["explain", "desk", "--message", "x", "--user", "[]"], "--user takes a JSON object"),
        (["explain", "desk", "--message", "x", "--user", '{"tier": 1}'], "the message does not fit desk: "),
        (["explain", "desk", "--message", "x", "--metadata", '{"a": 1}'], "the message does not fit desk: "),
        (
            ["explain", "desk", "--message", "x", "--user", '{"id": ""}'],
            "takes such a message: user.id: an empty string",
        ),
        (["explain", "desk", "--message", "x" * 40_000], "message.text: 40,000 characters, more than 32,768"),
        (["explain", "desk", "--message", "\udcff"], "message.text: character 1 is half of a pair"),
        (
            ["explain", "desk", "--message", "x", "--user", '{"a": 1, "a": 2}'],
            "--user is not JSON as a run takes it: key",
        ),
        (["explain", "desk", "--message", "x", "--user", '{"a":' * 3_000 + "1" + "}" * 3_000], "inside one another"),
        (
            ["run", "desk", "--input", '{"sum": 1234567890123456789.01}'],
            "--input is not JSON as a run takes it: sum: number",
        ),
        (["retry", "r", "--resolved", "a=happened", "--resolved", "a=did_not_happen"], "says both of 'a'"),
        (["test", "--only", "nothing"], "Error: no case's id contains 'nothing'."),
        (["test", "--only", "finds", "--minimum", "50"], "leave --only away"),
        (["test", "nowhere"], "Error: nowhere does not exist."),
    ],
)
def test_wrong_usage_says_what_would_be_right(desk, words, said):
    done = desk.run(*words)
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


def test_input_that_is_no_text_is_wrong_usage(desk):
    done = CliRunner().invoke(root, ["run", "desk", "--input", "-"], input=b'{"name": "\xff"}')
    assert (done.exit_code, "byte 10 is not UTF-8" in done.output) == (2, True)


def test_a_conversation_goes_on_with_no_session_without_a_name(desk):
    done = desk.run("chat", "desk", "--session", " ")
    assert (done.exit_code, done.output) == (1, "Error: session: an empty string\n")


@pytest.mark.parametrize(
    "command", [["plan", "desk"], ["graph", "desk"], ["explain", "desk", "--message", "x"], ["test"]]
)
def test_specs_with_errors_are_told_and_nothing_is_done(desk, command):
    path = desk.folder / "specs" / "desk" / "agent.yaml"
    path.write_text(path.read_text().replace("flow: help", "flow: hlep"))
    done = desk.run(*command)
    assert done.exit_code == 1
    assert "error[unknown-target]: there is no flow 'hlep'" in done.output
    assert "the specs have 1 error" in done.output


def test_one_broken_bundle_does_not_keep_another_agent_from_being_shown(desk):
    desk.write(other__agent="apiVersion: interlock/v1\nkind: Agent\nname: other\n")
    assert desk.run("plan", "desk", "--digest").exit_code == 0


@pytest.mark.parametrize("command", [["plan", "desk"], ["test"]])
def test_two_agents_of_one_name_are_refused_with_their_folders(desk, command):
    desk.write(copy__agent=(desk.folder / "specs" / "desk" / "agent.yaml").read_text())
    done = desk.run(*command)
    assert done.exit_code == 1
    assert "two specs are called 'desk', in specs/copy and specs/desk; rename one of them." in done.output


def process(code, cwd):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_fault_of_ours_is_said_to_be_one_and_ends_with_3(desk):
    done = process(FAULT, desk.folder)
    assert done.returncode == 3
    assert "RuntimeError: a bug" in done.stderr
    assert "This is a fault of interlock itself" in done.stderr


def test_ctrl_c_ends_with_130_and_without_a_trace(desk):
    done = process(INTERRUPTED, desk.folder)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_the_installed_command_gives_exit_codes(desk):
    run = "import sys; from interlock import cli; sys.argv[0] = 'interlock'; cli.main()"
    for words, code in [(["check"], 0), (["check", "--strict", "nowhere"], 2)]:
        done = subprocess.run(
            [sys.executable, "-c", run, *words], cwd=desk.folder, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == code


def test_a_reader_who_goes_away_is_no_fault(desk):
    run = "import sys; from interlock import cli; sys.argv = ['interlock', 'plan', 'desk']; cli.main()"
    writer = subprocess.Popen(
        [sys.executable, "-c", run], cwd=desk.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    writer.stdout.close()
    said = writer.stderr.read()
    writer.wait(60)
    assert writer.returncode == 1
    assert "Traceback" not in said


def test_help_needs_neither_pydantic_nor_yaml_nor_temporal():
    loads = "import sys; from interlock.cli import root; root(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, timeout=60, check=True)
    assert {"pydantic", "yaml", "temporalio", "structlog", "jinja2"}.isdisjoint(done.stdout.split())


def test_a_check_of_what_has_not_changed_loads_no_compiler(desk):
    assert desk.run("check").exit_code == 0
    loads = "import sys; from interlock.cli import root; root(['check'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loads], cwd=desk.folder, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("1 bundle: no findings\n")
    assert {"pydantic", "yaml", "interlock.compiler", "multiprocessing"}.isdisjoint(done.stdout.split())


def test_names_of_modules_are_no_commands():
    assert CliRunner().invoke(root, ["bundles"]).exit_code == 2
