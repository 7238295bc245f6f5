"""`interlock chat` on a terminal, with a model that drips: its first words stand there before it has sent its last."""

import asyncio
import json
import os
import pty
import re
import select
import signal
import subprocess
import threading
import time

import pytest

from tests.activities.models import services
from tests.activities.wire import raw, wires
from tests.cli.commands import COMMAND, environment

pytestmark = pytest.mark.server

PATIENCE = 60.0
DESK = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en, zh]
fallback: {en: The assistant is away., zh: 助手不在。}
servers:
  llm: {PROVIDER: "{{ env.LLM_URL }}"}
models:
  general: {model: small}
routes:
  - {when: "'judged' in message.text", flow: judged}
  - {flow: free}
flows:
  free: [{generate: auto, grounding: {mode: "off"}}]
  judged: [{generate: auto, grounding: {mode: strict}}]
"""


@pytest.fixture
def serve():
    with wires() as start:
        yield start


class Dripping:
    """A model service that says the first half of its events, waits to be told, and says the rest."""

    def __init__(self, provider, pieces, *, breaks=0):
        self.provider = provider
        self.pieces = pieces
        self.breaks = breaks
        self.rest = threading.Event()
        self.asked = []

    async def __call__(self, request, writer):
        self.asked.append(json.loads(request.body))
        if not self.asked[-1].get("stream"):
            said = {"kind": "answer", "confidence": "high", "text": "".join(self.pieces)}
            writer.write(raw(body=services.ANSWERS[self.provider](json.dumps(said))))
            await writer.drain()
            return
        events = list(services.EVENTS[self.provider](self.pieces))
        half = next(n for n, event in enumerate(events) if self.pieces[0] in json.dumps(event, ensure_ascii=False)) + 1
        writer.write(raw(body=b"", content_type="text/event-stream", content_length=None))
        writer.write(services.event_bytes(self.provider, events[:half]).removesuffix(b"data: [DONE]\n\n"))
        await writer.drain()
        await asyncio.to_thread(self.rest.wait, PATIENCE)
        if len(self.asked) <= self.breaks:
            writer.close()
            return
        writer.write(services.event_bytes(self.provider, events[half:]))
        await writer.drain()
        writer.close()


class Terminal:
    """`interlock chat desk` on a terminal of its own."""

    def __init__(self, folder, port, *words):
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, "chat", "desk", *words],
            cwd=folder,
            env=environment(LLM_URL=f"http://127.0.0.1:{port}/v1", NO_COLOR="1", TERM="dumb"),
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(theirs)
        self._ours = ours
        self.said = ""

    def until(self, text):
        """Read until a text stands on the screen."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.said:
            assert time.monotonic() < deadline, f"{text!r} does not come:\n{self.said}"
            if select.select([self._ours], [], [], 0.1)[0]:
                self.said += os.read(self._ours, 4096).decode(errors="replace").replace("\r\n", "\n")
            self.said = re.sub(r"\x1b\[[0-9;]*m", "", self.said)

    def type(self, line):
        """Type a line. What stood there is forgotten, and the echo of the line too."""
        self.until("you> ")
        self.said = ""
        os.write(self._ours, line.encode() + b"\n")
        self.until(line + "\n")
        self.said = self.said.partition(line + "\n")[2]

    def end(self):
        """Leave it; its exit code."""
        os.write(self._ours, b"/quit\n")
        try:
            code = self.process.wait(30)
        finally:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process.stderr.close()
            os.close(self._ours)
        return code


@pytest.fixture
def terminal(tmp_path, serve):
    """Opens the conversation with a model that drips."""
    opened = []

    def open_(service, *words):
        (tmp_path / "specs" / "desk").mkdir(parents=True)
        spec = DESK.replace("PROVIDER", service.provider)
        (tmp_path / "specs" / "desk" / "agent.yaml").write_text(spec, encoding="utf-8")
        opened.append((Terminal(tmp_path, serve(handler=service).port, *words), service))
        return opened[-1][0]

    yield open_
    for running, service in opened:
        service.rest.set()
        assert running.end() == 0


@services.BOTH
def test_the_first_words_stand_there_before_the_last_were_sent(terminal, provider):
    service = Dripping(provider, ["Your parcel ", "is on ", "its way.\n在路上。"])
    screen = terminal(service, "--brief")
    screen.type("hello")
    screen.until("Your parcel")
    assert "way" not in screen.said
    service.rest.set()
    screen.until("you> ")
    assert screen.said == "Your parcel is on its way.\n在路上。\nyou> "


def test_with_the_reasons_the_reply_comes_first_and_is_not_told_again(terminal):
    service = Dripping("openai", ["One ", "line\n", "and another"])
    screen = terminal(service)
    screen.type("hello")
    screen.until("One")
    service.rest.set()
    screen.until("you> ")
    assert screen.said.startswith("      reply  One line\n             and another\n      route  ")
    assert screen.said.count("another") == 1


def test_an_answer_that_breaks_off_is_told_and_the_next_one_is_the_reply(terminal):
    service = Dripping("openai", ["So far ", "and no further"], breaks=1)
    screen = terminal(service, "--brief")
    screen.type("hello")
    screen.until("So far")
    service.rest.set()
    screen.until("you> ")
    assert screen.said == "So far\n(broken off)\nSo far and no further\nyou> "
    assert len(service.asked) == 2


def test_what_must_be_judged_is_not_shown_before_it_was(terminal):
    service = Dripping("openai", ["It costs ", "7 euros."])
    screen = terminal(service, "--brief")
    screen.type("judged")
    screen.until("you> ")
    assert screen.said == "Please say in more detail what you would like to know.\nyou> "
    assert "stream" not in service.asked[0]
