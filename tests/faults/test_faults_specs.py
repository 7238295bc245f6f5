"""Whatever stands in a spec, it is compiled or every mistake has its place and code, within time and memory; templates too."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.compiler import compile_bundle
from interlock.compiler.codes import CODES
from interlock.interpreter.program import link
from interlock.source import Bundle, read_document
from tests.faults.large_specs import size_cases

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BOUNDED = HERE / "bounded.py"
SECONDS = 2.0
MEGABYTES = 256

PIECES = [
    "{{ ", " }}", "{% for x in y %}", "{% if", "- ", ": ", "  ", "\t", "\n", "&a ", "*a", "<<: ", "!!python/object ", "|\n", ">-\n", "'", '"', "[", "]",
    "{", "}", "#", "?", "%YAML 9\n", "---\n", "...\n", "null", "true", "007", "1e5", "0x1f", "2026-01-01", "slots.no", "when: ", "flow: ", "call: ",
    "kind: Agent", "name: x", "é", "单", "：", "\u202e", "\ufeff", "\u2028", "\0", "\x1b", "\\", "\r", "a" * 300, "[" * 40, "(" * 40, "not " * 30,
]  # fmt: skip


def corpus():
    """The specs that the project has: shipped ones, good fixtures, and fixtures of every mistake."""
    folders = (ROOT / "specs", HERE / "specs", HERE.parent / "compiler" / "ok", HERE.parent / "compiler" / "err")
    return [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.yaml"))]


def mutated(dice, sources):
    """A source with some of its bytes, pieces, lines or branches changed, or nothing but noise."""
    if dice.random() < 0.03:
        return dice.randbytes(dice.randint(0, 400))
    content = dice.choice(sources)
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        content = dice.choice([_bytes, _piece, _piece, _line, _line, _indent, _splice, _token])(dice, content, sources)
    return content


def _bytes(dice, content, _sources):
    at = dice.randrange(len(content) + 1)
    return content[:at] + dice.randbytes(dice.randint(0, 3)) + content[at + dice.randint(0, 3) :]


def _piece(dice, content, _sources):
    at = dice.randrange(len(content) + 1)
    return content[:at] + dice.choice(PIECES).encode() + content[at + dice.choice([0, 0, 1, 5]) :]


def _line(dice, content, _sources):
    lines = content.split(b"\n")
    first, second = dice.randrange(len(lines)), dice.randrange(len(lines))
    how = dice.randrange(4)
    if how == 0:
        del lines[first]
    elif how == 1:
        lines.insert(first, lines[second])
    elif how == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines[first] = lines[first].split(b":")[0] + b": " + dice.choice(PIECES).encode().replace(b"\n", b"")
    return b"\n".join(lines)


def _indent(dice, content, _sources):
    lines = content.split(b"\n")
    at = dice.randrange(len(lines))
    for number in range(at, min(at + dice.randint(1, 6), len(lines))):
        lines[number] = b"  " + lines[number] if dice.random() < 0.5 else lines[number][2:]
    return b"\n".join(lines)


def _splice(dice, content, sources):
    other = dice.choice(sources)
    return content[: dice.randrange(len(content) + 1)] + other[dice.randrange(len(other) + 1) :]


def _token(dice, content, _sources):
    words = content.split(b" ")
    first, second = dice.randrange(len(words)), dice.randrange(len(words))
    words[first] = words[second]
    return b" ".join(words)


def test_every_rejected_spec_says_where_and_why(row):
    sources, until = corpus(), time.monotonic() + row.times(20, 30 * 60, ci=60)
    slowest = 0.0
    while time.monotonic() < until:
        content = mutated(row.dice, sources)
        row.injected["specs"] += 1
        started = time.process_time()
        try:
            outcome = judged(row, content)
        except Exception as error:  # noqa: BLE001 - that nothing is raised is what is held here
            row.violation("raised", repr(error)[:300], content)
            continue
        seconds = time.process_time() - started
        slowest = max(slowest, seconds)
        row.expect(seconds < SECONDS, "slow", seconds, content)
        row.hit[outcome] += 1
    row.notes.append(f"slowest {slowest:.2f} s")
    row.expect(row.hit["rejected"] > row.hit.total() / 10, "hardly anything was rejected", dict(row.hit))


def judged(row, content):
    """Compile; every finding has a place in the file and a known code, and a plan can be linked."""
    document, read = read_document(content, "a.yaml")
    compiled = compile_bundle(Bundle("fuzz", HERE, (document,) if document else (), {}), read=read)
    lines = content.count(b"\n") + content.count(b"\r") + content.count(b"\x0b") + content.count("\u2028".encode()) + 2
    for finding in compiled.diagnostics:
        place = finding.location
        row.expect(1 <= place.line <= lines and place.column >= 1, "nowhere", finding.code, place, content)
        row.expect(place.file == "a.yaml" or place.file.endswith("."), "another file", place, finding.code)
        row.expect(finding.code in CODES, "unknown code", finding.code, content)
        row.expect(str(finding).isprintable() or "\n" in str(finding), "unprintable", str(finding))
    for plan in compiled.plans.values():
        link(plan)
    if compiled.errors:
        return "rejected"
    row.expect(document is None or compiled.plans or document.data.get("kind") != "Agent", "no plan, no error", content)
    return "accepted"


# -- size -----------------------------------------------------------------------------------------------------------------


def compiled_apart(paths):
    """What compiling each file in a process of its own took and found, by name; nothing where it did not end well."""
    got = run_apart(3_600, "specs", text="".join(f"{name}\t{path}\n" for name, path in paths.items()))
    return {result["name"]: result for result in map(json.loads, got.stdout.splitlines())}


def run_apart(timeout, *arguments, text=""):
    """`bounded.py` in a process of its own."""
    command = [sys.executable, str(BOUNDED), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.mark.slow
def test_specs_of_half_a_megabyte_are_bounded(row, folder):
    paths = {name: folder / f"{name}.yaml" for name in size_cases()}
    for name, content in size_cases().items():
        paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
    results = compiled_apart(paths)
    limit = SECONDS * row.times(2, 1)  # beside other tests a machine has not all its speed; what grows takes far longer
    slow = {name: paths[name] for name, result in results.items() if result["seconds"] >= limit}
    results |= compiled_apart(slow)  # once more: something else may have had the machine
    row.injected["sizes"] += len(paths)
    row.expect(results.keys() == paths.keys(), "no end", set(paths) - set(results))
    for name, result in results.items():
        row.hit["sizes"] += 1
        row.expect(result["seconds"] < limit, "slow", name, result["seconds"])
        row.expect(result["mb"] < MEGABYTES, "large", name, result["mb"])
        places = [tuple(found[1:3]) for found in result["found"]]
        row.expect(all(line >= 1 and column >= 1 for line, column in places), "nowhere", name, places[:3])
        row.expect(places == sorted(places), "no order", name, places[:5])
        row.expect(result["count"] or result["plans"], "neither a finding nor a plan", name)
    slowest = max((result["seconds"], name) for name, result in results.items())
    largest = max((result["mb"], name) for name, result in results.items())
    row.notes.append(f"slowest {slowest[1]} {slowest[0]:.1f} s, largest {largest[1]} {largest[0]:.0f} MB")


# -- templates ------------------------------------------------------------------------------------------------------------


def test_generated_templates_neither_escape_nor_hang_nor_swell(row):
    count = row.times(6_000, 200_000)
    got = run_apart(3_600, "templates", str(row.seed), str(count))
    row.injected["templates"] += count
    if got.returncode:
        row.violation(got.returncode, got.stderr[-1_000:])
        return
    result = json.loads(got.stdout)
    row.hit.update(result["counts"])
    row.notes.append(f"{result['mb']:.0f} MB")
    for wrong in result["wrong"]:
        row.violation(*wrong)
    row.expect(result["mb"] < MEGABYTES, "large", result["mb"])
    row.expect(result["counts"]["rendered"] > count / 100, "hardly any ran", result["counts"])
