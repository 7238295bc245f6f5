"""Models that propose identifiers which nobody has said: none reaches a tool, and the legal ones do."""

import asyncio
import json
import uuid

import pytest

from interlock.authoring.stage import Stage
from interlock.compiler import compile_folder
from interlock.interpreter.events import MessageReceived
from tests.activities.models import services
from tests.activities.wire import Wire, raw
from tests.faults.hostile.liars import KEYS, Liar, honest
from tests.faults.hostile.readers import Message, Reader, an_identifier

NOW_MS = 1_767_600_000_000


@pytest.fixture(scope="module")
def shelf(request):
    """The plan of the library, whose tools' descriptions name an identifier as well."""
    folder = request.path.parent / "hostile"
    found = compile_folder(folder)
    assert [str(one) for one in found.diagnostics] == []
    return found.plans["shelf"]


class Talk:
    """One conversation of a reader with a liar, on the machine alone."""

    def __init__(self, plan, dice, elsewhere):
        self.dice = dice
        self.reader = Reader(dice)
        self.liar = Liar(dice, self.reader, elsewhere)
        self.stage = Stage(plan, self.liar, user={"id": "u1"}, now_ms=NOW_MS)

    def turn(self, message):
        """The calls of one message, around which others say identifiers too."""
        if self.dice.random() < 0.2:
            self.stage.say(f"where is {self.liar.plant('book')}", role=self.dice.choice(["agent", "tool"]))
        self.reader.say(message)
        before = len(self.liar.calls)
        sent = MessageReceived(
            f"r{len(self.reader.said)}",
            message.text,
            self.stage.now_ms,
            type=message.type,
            metadata={"branch": self.liar.plant()} if self.dice.random() < 0.4 else {},
            history=({"role": "user", "text": f"find {self.liar.plant('book')}"},) if self.dice.random() < 0.4 else (),
        )
        self.reply = self.stage._play(sent).reply
        return self.liar.calls[before:]


def test_an_identifier_that_a_model_makes_up_never_reaches_a_tool(row, shelf):
    elsewhere = {kind: [] for kind in ("book", "card", "books")}
    while row.injected.total() < row.times(5_000, 100_000):
        talk = Talk(shelf, row.dice, elsewhere)
        for _ in range(row.dice.randint(1, 8)):
            judged(row, talk, talk.reader.message())
        for kind, known in elsewhere.items():
            known += [one for message in talk.reader.said for one in message.holds.get(kind, ())]
            del known[:-50]
    row.expect(row.hit["calls held back"] > 100, "hardly a call was held back", dict(row.hit))
    row.expect(row.hit["calls that went out"] > 100, "hardly a call went out", dict(row.hit))


def judged(row, talk, message):
    """One message: its proposals are counted, its calls judged by what the reader has said."""
    talk.liar.kinds.clear()
    for tool, arguments in talk.turn(message):
        row.hit["calls that went out"] += 1
        wrong = talk.reader.wrong(tool, arguments)
        row.expect(not wrong, "made up", tool, wrong, [one.text for one in talk.reader.said])
    row.injected.update(talk.liar.kinds)
    record = talk.stage.state.records[-1]
    row.hit["calls held back"] += sum(call["outcome"] != "success" for call in record["calls"])
    row.hit["proposals called invented"] += sum(len(call.get("invented", ())) for call in record["calls"])


ASKED = {
    "find_book": ("find", "where is", ["find it", "check it"], {}),
    "hold_book": ("hold", "reserve", ["预约", "那个呢"], {"remark": "for my mother"}),
    "extend_loan": ("extend", "续借", ["extend it", "check it please"], {}),
}
"""By tool: the intent, words that show it, words that go on, and what the model gives beside identifiers."""


def test_a_legal_proposal_passes(row, shelf):
    failed = []
    for _ in range(row.times(2_000, 50_000)):
        talk = Talk(shelf, row.dice, {})
        book, card = an_identifier(row.dice, "book"), an_identifier(row.dice, "card")
        tool = row.dice.choice(list(ASKED))
        meant, first, then, texts = ASKED[tool]
        given = {
            "book": honest(row.dice, book),
            "card": honest(row.dice, card, exact=True),
            "reason": None,
            "wing": None,
        }
        talk.liar.object_for = obliging(row.dice, tool, given | texts)
        talk.turn(Message(meant, {"book": [book], "card": [card]}, f"{first} {book} {card}"))
        calls = talk.turn(Message(meant, {}, row.dice.choice(then)))
        row.injected["proposals"] += 1
        expected = {"book": book} | ({"card": card} if tool == "extend_loan" else {}) | texts
        if (tool, expected) in calls:
            row.hit["passed"] += 1
        else:
            failed.append((given, calls, talk.stage.state.records[-1]["calls"]))
    row.expect(len(failed) <= row.injected["proposals"] / 100, "legal ones held back", len(failed), failed[:2])


def obliging(dice, tool, given):
    """A model that chooses `tool` and gives its arguments, under the names it likes where any will do."""

    def object_for(schema):
        asked = schema["properties"]
        if "should_call_now" in asked:
            return {
                "tool": tool,
                "should_call_now": True,
                "missing_required_arguments": [],
                "more": False,
                "reason": "r",
            }
        if "confidence" in asked:
            return {"kind": "answer", "confidence": "high", "text": "Done."}
        names = {name: [key for key in KEYS[name] if key != "book_number" or tool == "find_book"] for name in asked}
        names = {name: [key for key in KEYS[name] if key != "book_number" or tool == "find_book"] for name in asked}
        return {dice.choice(names[name]): given[name] for name in asked}

    return object_for


WAYS = {
    "GET /books/": "find_book",
    "GET /sets": "find_sets",
    "GET /hours": "hours",
    "POST /books/": "hold_book",
    "POST /loans": "extend_loan",
    "POST /returns": "give_back",
}
"""Which tool a request of the service is a call of."""


@pytest.mark.server
async def test_nor_does_it_through_a_run_on_a_real_server(row, world, shelf, folder):
    talks = {}

    async def model(request, writer):
        asked = json.loads(request.body)
        schema = asked["response_format"]["json_schema"]["schema"]
        said = talks["now"].object_for(schema)
        writer.write(raw(body=services.openai(json.dumps(said, ensure_ascii=False))))
        await writer.drain()

    async def books(request, writer):
        tool = next(name for way, name in WAYS.items() if request.line.startswith(way))
        talks["now"].calls.append((tool, request.line))
        writer.write(raw(body=talks["now"].payload(tool, json.loads(request.body or "{}"))))
        await writer.drain()

    llm, service = Wire(model), Wire(books)
    llm.start(), service.start()
    env = {"LLM_URL": f"http://127.0.0.1:{llm.port}/v1", "BOOKS_URL": f"http://127.0.0.1:{service.port}"}
    try:
        given = {"env": env, "secrets": {"LLM_KEY": "planted-key-77301"}}
        async with world.served(folder, [shelf], given=given) as (client, _, _):
            for _ in range(row.times(12, 400)):
                reader = Reader(row.dice)
                talks["now"] = Liar(row.dice, reader, {kind: [] for kind in ("book", "card", "books")})
                await conversation(row, client, reader, talks["now"])
    finally:
        llm.stop(), service.stop()
    row.expect(row.hit["calls that went out"], "no call went out", dict(row.hit))


async def conversation(row, client, reader, liar):
    """A few messages to one session; its records say what went out, and the service what came."""
    session = uuid.uuid4().hex
    for _ in range(4):
        message = reader.message()
        reader.say(message)
        liar.kinds.clear()
        seen = len(liar.calls)
        reply = await client.send("shelf", session, message.text, type=message.type, user={"id": "u1"})
        record = await client.record("shelf", session, reply["turn"])
        row.injected.update(liar.kinds)
        went = [call for call in record["calls"] if call.get("receipt")]
        row.expect(len(went) == len(liar.calls) - seen, "not in the record", went, liar.calls[seen:])
        row.hit["calls that went out"] += len(went)
        row.hit["calls held back"] += len(record["calls"]) - len(went)
        for call in went:
            wrong = reader.wrong(call["tool"], call["arguments"])
            row.expect(not wrong, "made up", call["tool"], wrong, [one.text for one in reader.said])
    await asyncio.sleep(0)
