"""Reads the blocks of a Markdown page and does what they say, in order, in a folder of their own.

A fence says what its block is: `yaml file=PATH` is a whole file, `yaml in=PATH` the parts of that file that it replaces,
`wrong=CODE,…` that the bundle then has exactly these findings (the file is put back afterwards, unless `stays`),
`console` a dialogue with a shell whose output must be as shown, `exit=N` its last exit code, `background` a command that
goes on until the page ends (`again`: instead of the one before), `skip` what is not run here. In output a line `…` stands
for any lines, and `…` within a line for any text. The ports that pages name are exchanged for free ones.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import forked
import yaml
from click.testing import CliRunner
from jsonschema import Draft7Validator

from interlock.cli import root
from interlock.cli.server import free_port
from interlock.compiler import compile_folder
from interlock.source import read_document
from interlock.spec.schema import editor_schema

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial" / "first-agent.md"
FIRST_PROCEDURE = TUTORIAL.with_name("first-procedure.md")
GO_ON = {"run-procedures.md": FIRST_PROCEDURE, "writes.md": FIRST_PROCEDURE}
"""The tutorial that a how-to goes on from, if it is not the first."""

EDITOR = Draft7Validator(editor_schema())
UPDATE = bool(os.environ.get("INTERLOCK_UPDATE_GOLDEN"))
FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>[a-z]*)(?P<rest>.*)$")
SHELL = re.compile(r"[|&;<>$`]")
PLAIN = re.compile(
    r"^(?:(?P<pipe>printf|echo) '(?P<given>[^']*)' \| )?(?P<settings>(?:[A-Z_]+=\S+ )*)"
    r"(?P<command>interlock|python) (?P<rest>[^-].*)$"
)
"""A command that needs no shell: text through a pipe, variables, `interlock …` or `python FILE …`."""
IN_PROCESS = ("check", "test", "graph", "explain", "plan", "schema", "import")
UNRUN = {
    "make install": "the tests run in what it made",
    "source .venv/bin/activate": "likewise",
    "make test": "this is it",
    "make demo": "CI runs it on a clean checkout",
    "make check": "likewise",
    "make bench": "minutes, and rivals; tests/benchmarks runs every benchmark once",
    "python -m benchmarks conditions tables": "likewise",
    "python -m benchmarks --quick": "likewise",
}
"""Commands that the pages show and that are not run here, each with the reason."""
ELAPSED = re.compile(r"(?<=in )\d+\.\d\d(?= s$)|(?<=, )\d+(?= ms$)", re.MULTILINE)
PORTS = ("7233", "8233", "8801", "4318", "9464")
READY_SECONDS = 30.0


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what its fence says of it, its text, and the line at which the text begins."""

    page: Path
    line: int
    language: str
    says: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        number += 1
        if opening:
            start = number
            while lines[number] != opening["fence"]:
                number += 1
            says = dict(word.partition("=")[::2] for word in opening["rest"].split())
            text = "".join(f"{line}\n" for line in lines[start:number])
            found.append(Block(page, start + 1, opening["language"], says, text))
            number += 1
    return found


@dataclass
class Command:
    """One command of a console block, and the output that the page shows."""

    line: str
    output: str = ""


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block, each with its output."""
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif line.startswith("> ") and not found[-1].output:
            found[-1].line += "\n" + line[2:]
        else:
            assert found, f"{block}: a console block begins with `$ `"
            found[-1].output += f"{line}\n"
    assert found, f"{block}: no command"
    return found


def fits(shown: str, output: str) -> bool:
    """Whether the output is as the page shows it."""
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), _trimmed(output)) is not None


def _piped(plain: re.Match[str]) -> str:
    if not plain["pipe"]:
        return ""
    return plain["given"].replace("\\n", "\n") if plain["pipe"] == "printf" else plain["given"] + "\n"


def _trimmed(output: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in output.rstrip().splitlines()).lstrip("\n")


def merged(whole: str, parts: str) -> str:
    """`whole` with the parts of `parts` in it: a named part, a list or a value of the same name is replaced."""
    sections, new = _sections(whole, ""), _sections(parts, "")
    for key, text in new.items():
        old = sections.get(key)
        inner = _sections(text.partition("\n")[2], "  ")
        if old is None or not inner or not _sections(old.partition("\n")[2], "  "):
            sections[key] = text
        else:
            head, _, rest = old.partition("\n")
            sections[key] = f"{head}\n" + "".join((_sections(rest, "  ") | inner).values())
    return "".join(sections.values())


def _sections(text: str, indent: str) -> dict[str, str]:
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines(keepends=True):
        named = re.match(rf"{indent}([\w$-]+):", line)
        key = named[1] if named else key
        if named or key:
            found[key] = found.get(key, "") + line
        elif line.strip() and not line.startswith("#"):
            return {}
    return found


@dataclass
class Walk:
    """A walk through the blocks of one page in `folder`."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=lambda: {port: str(free_port()) for port in PORTS})
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    rewritten: list[tuple[Block, str]] = field(default_factory=list)

    def page(self, page: Path) -> None:
        """Do all blocks of a page, then end what runs in the background."""
        try:
            for block in blocks_of(page):
                self.block(block)
        finally:
            self.stop()
        self._rewrite(page)

    def files(self, page: Path) -> None:
        """Only write the files that a page leaves behind."""
        for block in blocks_of(page):
            if ("file" in block.says or "in" in block.says) and ("wrong" not in block.says or "stays" in block.says):
                self._write(block)

    def block(self, block: Block) -> None:
        """Do what one block says."""
        if "skip" in block.says:
            return
        match block.language:
            case "console":
                self._console(block)
            case "yaml":
                self._yaml(block)
            case "json":
                json.loads(block.text)
        if block.language != "yaml" and "file" in block.says:
            self._write(block)

    def stop(self) -> None:
        """End what runs in the background, the last one first."""
        while self.running:
            self._end()

    def _end(self) -> None:
        process = self.running.pop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _here(self, text: str) -> str:
        """`text` with the ports of this walk."""
        for shown, port in self.ports.items():
            text = text.replace(shown, port)
        return text

    def _there(self, text: str) -> str:
        """`text` with the ports that pages name."""
        for shown, port in self.ports.items():
            text = text.replace(port, shown)
        return text

    def _write(self, block: Block) -> None:
        path = self.folder / (block.says.get("file") or block.says["in"])
        path.parent.mkdir(parents=True, exist_ok=True)
        text = merged(path.read_text(encoding="utf-8"), block.text) if "in" in block.says else block.text
        path.write_text(self._here(text), encoding="utf-8")

    def _yaml(self, block: Block) -> None:
        if "file" not in block.says and "in" not in block.says:
            assert "apiVersion" in block.text, f"{block}: is it a whole spec, or `file=` or `in=` where?"
            block = Block(
                block.page, block.line, "yaml", {**block.says, "file": "specs/of-its-own/agent.yaml"}, block.text
            )
        path = self.folder / (block.says.get("file") or block.says["in"])
        before = path.read_text(encoding="utf-8") if path.exists() else None
        self._write(block)
        if "specs" not in path.relative_to(self.folder).parts:
            assert isinstance(yaml.safe_load(block.text), dict), f"{block}: a map is expected"
            return
        found = compile_folder(path.parent).diagnostics
        wanted = [code for code in block.says.get("wrong", "").split(",") if code]
        if wanted:  # what follows from it in other files is not what the page is about
            found = [one for one in found if one.location.file == path.name]
        shown = "\n".join(map(str, found))
        assert sorted(one.code for one in found) == sorted(wanted), (
            f"{block}: expected {wanted or 'no findings'}:\n{shown}"
        )
        if not wanted:
            document, _ = read_document(path.read_bytes(), path.name)
            told = [f"{error.json_path}: {error.message}" for error in EDITOR.iter_errors(document.data)]
            assert told == [], f"{block}: the editor's schema says otherwise than the checker: {told}"
        if wanted and "stays" not in block.says:
            path.unlink() if before is None else path.write_text(before, encoding="utf-8")

    # -- commands -----------------------------------------------------------------------------------------------------

    def _console(self, block: Block) -> None:
        commands = commands_of(block)
        if "background" in block.says:
            assert len(commands) == 1, f"{block}: one command runs in the background"
            if "again" in block.says:
                self._end()
            self._start(block, commands[0])
            return
        for command in commands:
            if command.line in UNRUN:
                continue
            code, output = self._run(self._here(command.line))
            output = self._there(output)
            wanted = int(block.says.get("exit", "0")) if command is commands[-1] else 0
            if not fits(command.output, output):
                if UPDATE and "…" not in command.output:
                    command.output = ELAPSED.sub("…", _trimmed(output))
                else:
                    raise AssertionError(
                        f"{block}: $ {command.line}\nshown:\n{command.output}\nprinted:\n{_trimmed(output)}"
                    )
            assert code == wanted, f"{block}: $ {command.line} exited with {code}, not {wanted}:\n{output}"
        text = "".join("$ " + command.line.replace("\n", "\n> ") + "\n" + command.output for command in commands)
        if UPDATE and text != block.text:
            self.rewritten.append((block, text))

    def _run(self, line: str) -> tuple[int, str]:
        if line == "pip install .":
            self._install()
            return 0, ""
        plain = PLAIN.match(line)
        if plain is None or SHELL.search(plain["rest"]):
            return self._in_shell(line)
        words = [plain["command"], *shlex.split(plain["rest"])]
        settings = dict(one.split("=", 1) for one in plain["settings"].split())
        environment = self._environment() | settings
        if words[0] == "interlock" and words[1] in IN_PROCESS:
            return self._in_process(words, environment)
        return forked.run(words, self.folder, environment, _piped(plain))

    def _in_process(self, words: list[str], environment: dict[str, str]) -> tuple[int, str]:
        with _inside(self.folder, environment):
            done = CliRunner().invoke(root, words[1:], prog_name="interlock")
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output

    def _in_shell(self, line: str) -> tuple[int, str]:
        ran = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return ran.returncode, ran.stdout

    def _install(self) -> None:
        """What `pip install .` does for entry points, without touching the environment that the tests run in."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = self.folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
        groups = {
            group: "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        }
        text = "".join(f"[{group}]\n{entries}" for group, entries in groups.items())
        (info / "entry_points.txt").write_text(text, encoding="utf-8")
        self.environment["PYTHONPATH"] = str(self.folder)

    def _start(self, block: Block, command: Command) -> None:
        log = self.folder / f".background-{block.line}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                ["bash", "-c", f"exec env {self._here(command.line)}"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                text=True,
                start_new_session=True,
            )
        self.running.append(process)
        deadline = time.monotonic() + READY_SECONDS
        while not fits(command.output + "…\n", said := self._there(log.read_text(encoding="utf-8"))):
            assert process.poll() is None, f"{block}: $ {command.line} ended:\n{said}"
            assert time.monotonic() < deadline, f"{block}: $ {command.line} does not say what is shown, but:\n{said}"
            time.sleep(0.05)

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent), os.environ["PATH"]])
        fixed = {
            "PATH": path,
            "PYTHONUNBUFFERED": "1",
            "COLUMNS": "100",
            "TEMPORAL_ADDRESS": f"127.0.0.1:{self.ports['7233']}",
        }
        return {**os.environ, **fixed, **self.environment}

    def _rewrite(self, page: Path) -> None:
        lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
        for block, text in reversed(self.rewritten):
            lines[block.line - 1 : block.line - 1 + block.text.count("\n")] = [text]
        if self.rewritten:
            page.write_text("".join(lines), encoding="utf-8")


@contextlib.contextmanager
def _inside(folder: Path, environment: dict[str, str]):
    here, before = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
