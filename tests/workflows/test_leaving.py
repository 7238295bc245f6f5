"""The end of a process that served: what was printed is written, and a reader that has gone does not keep it alive."""

import os
import subprocess
import sys

import pytest

ENDS = "import sys; from interlock_workflows.service import leave; {}; leave({})"


def ended(says, code=0, **streams):
    """A process that says something, is told to leave with `code`, and has an exit handler that must not run."""
    program = "import atexit, os; atexit.register(os.write, 2, b'torn down'); " + ENDS.format(says, code)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen([sys.executable, "-c", program], env=buffered, **streams)


def test_what_was_printed_is_written_before_the_end():
    process = ended("print('said', end=''); print('warned', end='', file=sys.stderr)", 3, stdout=-1, stderr=-1)
    assert process.communicate(timeout=60) == (b"said", b"warned")
    assert process.returncode == 3


@pytest.mark.parametrize(("code", "shown"), [(0, 1), (3, 3)])
def test_a_reader_that_has_gone_gets_no_traceback(code, shown):
    says = "print('x' * 10); sys.stdin.read()"  # kept in the buffer until the pipe is closed
    process = ended(says, code, stdin=-1, stdout=-1, stderr=-1)
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == shown


def test_a_process_without_an_output_leaves_as_any_other():
    command = [sys.executable, "-c", ENDS.format("assert sys.stdout is None", 0)]
    process = subprocess.Popen(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=-1)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0
