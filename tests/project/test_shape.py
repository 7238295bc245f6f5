"""The repository keeps its own rules: module sizes, layers, words, a light start, and what the wheel holds."""

import re
import subprocess
import sys
import tokenize
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("interlock/**/*.py"), *ROOT.glob("workflows/**/*.py"), *ROOT.glob("activities/**/*.py")])
DOMAIN_WORDS = re.compile(
    r"\b(shipment|cargo|freight|payroll|payslip|salary|fiscal|invoice|refund|hbl|fba)s?\b", re.IGNORECASE
)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError|for now|simplified)\b")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_sources_to_look_at():
    assert len(SOURCES) > 40


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_a_module_is_short_and_says_what_is_in_it(path: Path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, "which rooms are these really?"
    if text.strip():
        assert text.startswith(('"""', "#!")), "a module opens with one sentence that says what is in it"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_the_engine_knows_no_domain_and_nothing_is_unfinished(path: Path):
    text = path.read_text(encoding="utf-8")
    assert not DOMAIN_WORDS.findall(text)
    assert not UNFINISHED.findall(text)


def comments(path: Path):
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string, f"{relative(path)}:{token.start[0]}"


def test_every_noqa_gives_a_reason():
    bare = re.compile(r"noqa(: ?[A-Z0-9, ]+)?\s*$")
    found = [place for path in SOURCES for text, place in comments(path) if bare.search(text)]
    assert found == []


def test_the_command_line_starts_without_the_heavy_packages():
    heavy = ("pydantic", "temporalio", "httpx", "jinja2", "ruamel", "structlog", "jsonschema")
    program = f"import sys, interlock.cli; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_wheel_holds_the_three_packages_and_nothing_else(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "interlock",
        "interlock_workflows",
        "interlock_activities",
    }
    assert "interlock/py.typed" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
