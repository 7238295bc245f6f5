"""`interlock test`: what it prints, what it writes, and how it ends."""

import json
from xml.etree import ElementTree as ET

import pytest

WRONG_CASE = """
  - id: expects_too_much
    turns:
      - {user: hello, expect: {reply: {equals: Goodbye.}}}
"""
REST = "1 of 1 mounts, 1 of 1 responses, 1 of 1 tools"
ALL = f"coverage of desk: 100% (1 of 1 gates, 2 of 2 routes, 3 of 3 steps, {REST})"


@pytest.fixture
def failing(desk):
    suite = desk.folder / "specs" / "desk" / "suite.yaml"
    suite.write_text(suite.read_text() + WRONG_CASE)
    return desk


def test_what_passes_is_counted_with_its_coverage(desk):
    done = desk.run("test")
    assert done.exit_code == 0
    coverage, counts = done.output.splitlines()
    assert coverage == ALL
    assert counts.startswith("4 passed, 0 failed, 4 turns in ")


def test_a_failure_is_told_with_its_place_as_people_type_it(failing):
    done = failing.run("test")
    assert done.exit_code == 1
    assert "case 'expects_too_much' (specs/desk/suite.yaml:25:5), turn 1:\n" in done.output
    assert "  specs/desk/suite.yaml:27:40: reply.equals is not as expected\n" in done.output
    assert '    happened  "Ask about an order."\n' in done.output
    assert done.output.splitlines()[-1].startswith("4 passed, 1 failed, 5 turns in ")


def test_what_is_not_covered_is_named(desk):
    suite = desk.folder / "specs" / "desk" / "suite.yaml"
    suite.write_text(suite.read_text().split("  - id: notes_forms")[0])
    lines = desk.run("test").output.splitlines()
    assert lines[0] == f"coverage of desk: 67% (0 of 1 gates, 1 of 2 routes, 2 of 3 steps, {REST})"
    assert "    not covered: gate form (agent.yaml:36:5)" in lines


def test_too_little_coverage_fails(desk):
    suite = desk.folder / "specs" / "desk" / "suite.yaml"
    suite.write_text(suite.read_text().split("  - id: notes_forms")[0])
    assert desk.run("test", "--minimum", "66").exit_code == 0
    done = desk.run("test", "--minimum", "67")
    assert done.exit_code == 1
    assert "coverage of desk is below the minimum of 67%" in done.output


def test_only_some_cases_leave_the_coverage_out(failing):
    done = failing.run("test", "--only", "order")
    assert done.exit_code == 0
    assert done.output.startswith("1 passed, 0 failed, 1 turn in ")


def test_a_seed_changes_the_order_and_not_the_result(failing):
    def ids(*words):
        suites = json.loads(failing.run("test", "--json", *words).output)["suites"]
        return [case["id"] for case in suites[0]["cases"]]

    assert ids("--seed", "3") == ids("--seed", "3")
    assert sorted(ids("--seed", "3")) == sorted(ids())
    assert len({tuple(ids("--seed", str(seed))) for seed in range(4)}) > 1


def test_json_is_json_alone_and_fails_too(failing):
    done = failing.run("test", "--json")
    assert done.exit_code == 1
    content = json.loads(done.stdout)
    assert content["suites"][0]["cases"][-1]["failures"][0]["place"] == "specs/desk/suite.yaml:27:40"
    assert content["coverage"]["desk"]["share"] == 1


def test_junit_is_written_beside_the_text(failing):
    done = failing.run("test", "--junit", "report.xml")
    assert "4 passed, 1 failed" in done.output
    [suite] = ET.parse(failing.folder / "report.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("5", "1")
    assert suite[-1].get("file") == "specs/desk/suite.yaml"


def test_a_report_that_cannot_be_written_is_told(desk):
    done = desk.run("test", "--junit", "no/report.xml")
    assert done.exit_code == 1
    assert "Error: cannot write no/report.xml: No such file or directory." in done.output


def test_suites_of_several_bundles_run_together(desk):
    agent = (desk.folder / "specs" / "desk" / "agent.yaml").read_text().replace("name: desk", "name: other")
    suite = (desk.folder / "specs" / "desk" / "suite.yaml").read_text().replace("of: desk", "of: other")
    desk.write(other__agent=agent, other__suite=suite.split("  - id: helps")[0])
    done = desk.run("test")
    assert done.exit_code == 0
    assert ALL in done.output
    assert f"coverage of other: 78% (1 of 1 gates, 1 of 2 routes, 2 of 3 steps, {REST})" in done.output
    assert "7 passed, 0 failed, 7 turns in " in done.output
    assert "3 passed" in desk.run("test", "specs/other").output


def test_two_suites_of_one_agent_share_its_coverage(desk):
    suite = (desk.folder / "specs" / "desk" / "suite.yaml").read_text()
    head, _, cases = suite.partition("cases:\n")
    first, second = cases.split("  - id: notes_forms")
    desk.write(desk__suite=f"{head}cases:\n{first}")
    desk.write(desk__more=head.replace("desk-tests", "more") + f"cases:\n  - id: notes_forms{second}")
    assert ALL in desk.run("test").output


def test_warnings_are_told_and_do_not_stop_the_suite(desk):
    path = desk.folder / "specs" / "desk" / "agent.yaml"
    path.write_text(path.read_text().replace("slots:\n", "  extra: {keywords: [extra]}\n\nslots:\n"))
    done = desk.run("test")
    assert done.exit_code == 0
    assert "warning[unused]" in done.stderr
    assert "4 passed" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("of: desk", "of: dsk", "there is no agent or procedure 'dsk'"),
        ("gate: form", "gate: fom", "'desk' has no gate 'fom'"),
        ("args.no ==", "args.nu ==", "unknown"),
        ("status: 404", "status: 4040", "4040"),
        ("cases:", "csaes:", "csaes"),
    ],
)
def test_a_suite_with_errors_is_not_run(desk, old, new, said):
    path = desk.folder / "specs" / "desk" / "suite.yaml"
    path.write_text(path.read_text().replace(old, new, 1))
    done = desk.run("test")
    assert done.exit_code == 1
    assert said in done.output
    assert "nothing was run" in done.output


def test_without_a_suite_there_is_nothing_to_run(desk):
    (desk.folder / "specs" / "desk" / "suite.yaml").unlink()
    done = desk.run("test")
    assert done.exit_code == 2
    assert "there is no Suite under these paths" in done.output
