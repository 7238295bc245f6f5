"""The demo's conversation with the freight desk, with models behind HTTP in both formats and tools of a real MCP server."""

import json
import shutil
from collections import Counter
from pathlib import Path

import click
import pytest
import yaml

from demo.conversation import MODEL
from demo.processes import MODELS, ROOT, SCRIPTS, TRACKING
from interlock.cli.turns import shown_turn
from interlock.compiler import compile_folder
from interlock.interpreter.scripted import Asked, Script, said
from tests.activities.models import services
from tests.activities.wire import raw
from tests.workflows.models.desk import SECRET, bytes_of
from tests.workflows.runs import replayed

pytest.importorskip("mcp", reason="needs the extra `mcp`")
pytestmark = pytest.mark.server

AGENT = "logistics-support"
ROLES = {"qwen-plus": "general", "qwen-turbo": "tool_call", "qwq-plus": "reasoning"}
EXPECTED = [
    ("answer", [], "只能走海运"),
    ("decline", [], "nothing reliable"),
    ("answer", [("port_notices", {"port": "Hamburg"})], "until 2026-12-03"),
    ("ask", [("port_notices", {"port": "Atlantis"})], "in more detail"),
    ("decline", [], "I cannot release goods"),
    ("answer", [("query_tracking9", {"selectNo": "PO-00731945"})], "2026-12-02"),
    ("answer", [("query_tracking9", {"selectNo": "PO-00731945"})], "2026-12-02"),
    ("ask", [], "请问是哪一票货"),
]
"""What comes of each line: the outcome, the calls that went out, and a part of the reply."""

ASKED = [
    ["general"],
    ["general"],
    ["tool_call", "tool_call", "general"],
    ["tool_call", "tool_call", "general"],
    ["tool_call", "general"],
    ["reasoning"],
    ["tool_call", "reasoning"],
    ["tool_call", "reasoning"],
]
"""Who is asked at each line."""


class Service:
    """Says what the demo's script says, over the wire of one format."""

    def __init__(self, provider):
        self.provider = provider
        self.scripts = {role: Script(replies) for role, replies in yaml.safe_load(MODELS.read_text("utf-8")).items()}
        self.asked = []

    async def __call__(self, request, writer):
        body = json.loads(request.body)
        self.asked.append(body)
        role = ROLES[body["model"]]
        asked = Asked(role, messages_of(body), schema=schema_of(self.provider, body))
        number = self.scripts[role].pick(asked, Counter())
        assert number is not None, body
        answer = said(self.scripts[role].replies[number], asked)
        writer.write(raw(body=services.ANSWERS[self.provider](answer.text)))
        await writer.drain()


def messages_of(body):
    """The messages of either format, one for each text: what one speaker says in a row is one message of Anthropic's."""
    return [{**one, "content": text} for one in body["messages"] for text in texts_of(one["content"])]


def texts_of(content):
    return [content] if isinstance(content, str) else [block["text"] for block in content]


def schema_of(provider, body):
    """The schema of the object that is asked for, where each format has it."""
    if provider == "openai":
        return body["response_format"]["json_schema"]["schema"]
    return body["output_config"]["format"]["schema"]


def system_of(body):
    """What the system says, where each format has it."""
    return body["system"] if "system" in body else body["messages"][0]["content"]


@pytest.fixture
def bundle(tmp_path):
    """The shipped bundle, asking models by one format or the other."""

    def build(provider):
        folder = shutil.copytree(ROOT / "specs" / AGENT, tmp_path / AGENT)
        agent = folder / "agent.yaml"
        text = agent.read_text(encoding="utf-8")
        assert text.count("    openai: ") == 1
        agent.write_text(text.replace("    openai: ", f"    {provider}: "), encoding="utf-8")
        return folder

    return build


@pytest.fixture
def conversed(stage, serve, bundle, monkeypatch, tmp_path, s1):
    """The demo's lines said to the desk: replies, records, what was asked at each line, the wire, and the histories."""

    async def run(provider):
        monkeypatch.setenv("PATH", SCRIPTS)
        folder, service = bundle(provider), Service(provider)
        wire, turns, asked = serve(handler=service), [], []
        given = {"bundles": (folder,), "index": str(Path(tmp_path) / "index")}
        plan = compile_folder(folder).plans[AGENT]
        async with stage.serving(plan, commands=(TRACKING,), given=given):
            talk = await stage.talk()
            for line in MODEL:
                before = len(service.asked)
                session = f"{s1}-{line.session}"
                reply = await talk.send(AGENT, session, line.text, user={"id": line.session})
                turns.append((reply, await talk.record(AGENT, session, reply["turn"])))
                asked.append(service.asked[before:])
            ids = {f"{AGENT}:{s1}-{line.session}" for line in MODEL}
            histories = [await talk.client.get_workflow_handle(one).fetch_history() for one in sorted(ids)]
        return turns, asked, wire, histories

    return run


@services.BOTH
async def test_the_conversation_of_the_demo_comes_out_the_same_and_goes_over_the_wire_as_it_should(conversed, provider):
    turns, asked, wire, histories = await conversed(provider)

    for (reply, record), (outcome, calls, part) in zip(turns, EXPECTED, strict=True):
        assert reply["outcome"] == outcome, record
        assert part in reply["text"]
        assert [(one["tool"], one["arguments"]) for one in record["calls"] if one["outcome"] != "missing"] == calls
    assert [[ROLES[body["model"]] for body in bodies] for bodies in asked] == ASKED

    key = "authorization" if provider == "openai" else "x-api-key"
    assert {one.header(key) for one in wire.seen} == {f"Bearer {SECRET}" if provider == "openai" else SECRET}
    path = "/v1/chat/completions" if provider == "openai" else "/v1/messages"
    assert {one.line for one in wire.seen} == {f"POST {path} HTTP/1.1"}
    assert {one.header("anthropic-version") for one in wire.seen} == {None if provider == "openai" else "2023-06-01"}
    for body in (body for bodies in asked for body in bodies):
        assert body["temperature"] == (0 if body["model"] == "qwen-turbo" else 0.3)
        assert "stream" not in body  # it is judged before anything of it is said
        assert SECRET not in json.dumps(body)

    handbook = messages_of(asked[0][0])[-1]["content"]
    assert "单独包装的锂电池不接空运" in handbook
    assert handbook.endswith("锂电池能不能空运？")
    assert "You answer customers of ACME Forwarding" in system_of(asked[0][0])
    assert "Reply in Chinese." in system_of(asked[0][0])
    assert "warning strike" in messages_of(asked[2][-1])[-1]["content"]
    assert '"outcome": "error"' in messages_of(asked[3][-1])[-1]["content"]
    assert schema_of(provider, asked[4][0])["properties"]["tool"]["enum"] == ["port_notices", "no_tool"]
    assert schema_of(provider, asked[6][0])["properties"].keys() == {"selectNo"}
    said_before = [one["content"] for one in messages_of(asked[6][-1]) if one["role"] == "user"]
    assert said_before[-2] == "PO-00731945 为什么还没到？"

    for history in histories:
        assert SECRET.encode() not in bytes_of(history)
    await replayed(*histories)


def shown(line, turn):
    """A turn as the demo shows it; how long it took is no part of the picture."""
    return f"● {line.look}\n{click.unstyle(shown_turn(line.text, *turn, elapsed_ms=70))}\n"


@pytest.mark.parametrize(("page", "number"), [("README.md", 1), ("docs/quick-start.zh.md", 7)])
async def test_the_pictures_of_the_demo_are_what_it_shows(conversed, page, number):
    turns, *_ = await conversed("openai")
    assert f"```text\n{shown(MODEL[number], turns[number])}```\n" in (ROOT / page).read_text(encoding="utf-8")


async def test_what_a_model_makes_up_is_dropped_and_the_record_says_so(conversed):
    turns, *_ = await conversed("openai")
    records = [record for _, record in turns]
    assert records[1]["guard_flags"] == {"unsourced_figures": ["5000"], "prose_dropped": True}
    assert records[3]["guard_flags"] == {"prose_dropped": True}
    assert [one["tool"] for one in records[4]["selections"]] == [None]
    assert [(one["invented"], one["outcome"]) for one in records[7]["calls"]] == [(["selectNo"], "missing")]
    assert all("PO-00731954" not in json.dumps(record["calls"]) for record in records)
    assert [one["response_source"] for one in records] == [
        "narrative",
        "fallback",
        "llm_generated",
        "fallback",
        "llm_generated",
        "llm_generated",
        "llm_generated",
        "llm_generated",
    ]
