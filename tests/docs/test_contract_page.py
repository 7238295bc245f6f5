"""The pages on contract, records and settings against a real session and the code."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from temporalio.client import WithStartWorkflowOperation, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy

from demo.processes import TRACKING
from interlock.client import connect
from interlock.compiler import compile_folder
from interlock.contract import calls, limits
from interlock_activities.settings import Settings
from interlock_workflows import inbound, lasting, turns
from tests.docs.served import served

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
CONTRACT = (REFERENCE / "contract.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([a-z_]+)`")


@pytest.fixture(scope="module")
def answers(pages, tmp_path_factory):
    """What a real session of the tutorial's agent answers, by the names of the page's examples."""
    folder = tmp_path_factory.mktemp("desk")
    pages.Walk(folder).files(pages.TUTORIAL)
    plan = compile_folder(folder / "specs" / "parcel-desk").plans["parcel-desk"]
    return asyncio.run(_conversed(plan))


@pytest.fixture(scope="module")
def shown(pages):
    """The examples of the page, by name."""
    blocks = pages.blocks_of(REFERENCE / "contract.md")
    return {block.says["example"]: json.loads(block.text) for block in blocks if "example" in block.says}


def _served(plan):
    return served(Settings((plan,), env={"PATH": str(Path(sys.executable).parent)}, mcp_commands=(TRACKING,)))


async def _conversed(plan):
    async with _served(plan) as address:
        return await _asked(await connect(address))


async def _asked(client):
    start = {"user": {"id": "u1", "groups": ["staff"], "tenant": "acme", "locale": "en"}}
    message = {"id": "m-1", "role": "user", "type": "user_chat", "text": "Where is my parcel?", "metadata": {}}
    opening = WithStartWorkflowOperation(
        "parcel-desk",
        start,
        id="parcel-desk:session-1",
        task_queue="interlock",
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    found = {"start": start, "message": message}
    found["reply"] = await client.execute_update_with_start_workflow(
        "message", message, id="m-1", start_workflow_operation=opening
    )
    handle = client.get_workflow_handle("parcel-desk:session-1")
    for query in ("status", "transcript", "plan"):
        found[query] = await handle.query(query)
    await handle.execute_update("takeover", {"by": "ann"})
    await handle.execute_update("agent_message", {"id": "a-1", "text": "Hello, Ann here."})
    found["outbox"] = await handle.query("outbox", 0)
    found["records"] = (await handle.query("record"))["turns"]
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update("message", {"id": "m-2", "text": "?", "typ": "form"})
    found["malformed"] = refused.value.cause.details[0]
    return found


def shape(value):
    """Keys and types of a value, whatever it says."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    return [shape(part) for part in value] if isinstance(value, list) else type(value).__name__


def test_every_example_has_the_shape_of_what_a_session_says(shown, answers):
    assert shown.keys() == answers.keys() - {"records"}
    for name, example in shown.items():
        assert shape(example) == shape(answers[name]), name


def test_the_words_of_the_examples_are_what_a_session_says(shown, answers):
    assert shown["malformed"] == answers["malformed"]
    assert {**shown["reply"], "record_id": ""} == {**answers["reply"], "record_id": ""}


def test_every_key_of_a_record_is_explained_and_no_other(answers):
    page = (REFERENCE / "records.md").read_text(encoding="utf-8")
    first_cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    unused = page[page.index("`raw_tool_key`") :]
    explained = {key for text in [*first_cells, unused[: unused.index(" are part")]] for key in CODE.findall(text)}
    assert explained == {key for record in answers["records"] for key in record}


def test_every_typed_error_of_a_session_is_on_the_page():
    names = [
        "MALFORMED",
        "DRAINING",
        "UNKNOWN_NAME",
        "SINGLE_MESSAGE",
        "INVALID_MESSAGE",
        "TOO_LARGE",
        "CANCELLED",
        "INTERNAL",
    ]
    errors = CONTRACT[CONTRACT.index("## Errors") : CONTRACT.index("## Limits")]
    listed = {CODE.findall(line)[0] for line in errors.splitlines() if line.startswith("| `")}
    assert listed == {getattr(inbound, name) for name in names} | {calls.UNKNOWN_SPEC, calls.PLAN_UNREADABLE}


def test_the_limits_are_those_of_the_code():
    section = CONTRACT[CONTRACT.index("## Limits") : CONTRACT.index("## Search")]
    for number in (limits.MESSAGE_TEXT_LIMIT, limits.NAME_LIMIT, limits.MAX_DEPTH, limits.MAX_DIGITS):
        assert f"{number:,}" in section
    for size in (limits.INLINE_LIMIT, limits.METADATA_LIMIT, limits.USER_LIMIT):
        assert f"{size // 1024} KiB" in section
    assert f"{turns.REPLY_LIMIT:,} bytes" in section
    assert f"after {lasting.TURNS_PER_RUN} turns" in CONTRACT


def test_settings_are_those_that_the_code_reads():
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    sources = [path for folder in ("interlock", "workflows", "activities") for path in (ROOT / folder).rglob("*.py")]
    read = {name for path in sources for name in re.findall(r"INTERLOCK_[A-Z_]+", path.read_text(encoding="utf-8"))}
    assert set(re.findall(r"^\| `(INTERLOCK_\w+)`", page, re.MULTILINE)) == read


def test_the_client_of_the_readme_gets_a_reply(pages, monkeypatch, capsys):
    program = next(block for block in pages.blocks_of(ROOT / "README.md") if block.language == "python").text
    plan = compile_folder(ROOT / "specs" / "logistics-support").plans["logistics-support"]
    names: dict = {}
    exec(program, names)

    async def run():
        async with _served(plan) as address:
            monkeypatch.setenv("TEMPORAL_ADDRESS", address)
            await names["ask"]()

    asyncio.run(run())
    assert "555E898665" in capsys.readouterr().out
