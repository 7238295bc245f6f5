"""Identifiers: byte-identical over every hop, and never at a tool unless they stand in the user's words or a receipt."""

import dataclasses
import json
import re
import unicodedata
import uuid
from urllib.parse import quote

from interlock.client.converter import JsonConverter, _inflated, compressed
from interlock.contract.calls import ToolAnswer, ToolRequest
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.machine import Machine
from interlock.interpreter.state import restored
from interlock_activities.http_client import Answer
from interlock_activities.http_request import outgoing
from interlock_activities.http_tool import _received
from interlock_activities.references import References
from interlock_workflows import calling, carried

CONVERTER = JsonConverter()
FRAMES = [
    "查{}单",
    "{} 帮查一下",
    "find {}",
    "我的单号是{}，谢谢",
    "（{}）到哪里了？",
    "please find {}.",
    "{}",
    "「{}」查询",
]
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def an_identifier(dice):
    """One of the shapes that lose something where a value is taken for a number, a date or a text in another case."""
    kind = dice.randrange(8)
    if kind == 0:
        return "0" * dice.randint(1, 8) + str(dice.randrange(10**8)).zfill(4)
    if kind == 1:
        return f"{dice.randrange(1000):03}E{dice.randrange(10**6):06}"
    if kind == 2:
        return str(2 ** dice.choice([53, 63, 64, 128]) + dice.randint(-3, 3))
    if kind == 3:
        return str(uuid.UUID(int=dice.getrandbits(128)))
    if kind == 4:
        return f"{dice.choice('ABC')}BCU{dice.randrange(10**7):07}"[-11:]
    if kind == 5:
        return dice.choice(
            ["555E898665", "0000", "1234567890123456789012345678901234567890", "20261130", "0x10"[2:] + "00"]
        )
    return str(dice.randrange(10 ** dice.randint(4, 39))).zfill(4)


def written(dice, value):
    """The message, and how the value is written in it: some type full-width forms."""
    wide = dice.random() < 0.15
    return dice.choice(FRAMES).format(value.translate(FULL_WIDTH) if wide else value)


def over_the_wire(request, answered):
    """A call's way out and back: payload, request, bytes, answer, payload. Gives the answer and what was sent."""
    sent = CONVERTER.from_payload(_inflated(compressed(CONVERTER.to_payload(request))), ToolRequest)
    out = outgoing(sent, References({"ITEMS_URL": "http://items.test"}, {"ITEMS_KEY": "k"}))
    content = json.dumps(answered(sent.arguments[0]["value"]), ensure_ascii=False).encode()
    back = _received(Answer(200, {"content-type": "application/json"}, content), out)
    answer = ToolAnswer(back.status, back.payload, 1, 1)
    return CONVERTER.from_payload(_inflated(compressed(CONVERTER.to_payload(answer))), ToolAnswer), out


class Hops:
    """A conversation whose calls go through all that stands between the machine and a service."""

    def __init__(self, talk, plan, name):
        answers = dict.fromkeys(plan.tools, self._answered)
        self._name, self.sent, self._talk = name, [], talk.Talk(plan, answers)
        self._talk.answer = self._answer
        self.say, self.calls = self._talk.say, self._talk.calls

    @property
    def state(self):
        """The state of the session."""
        return self._talk.state

    def _answered(self, value):
        return {self._name: value, "place": "汉堡"}

    def _answer(self, call: CallTool) -> ToolReturned:
        plan = self._talk.program.plan
        self.calls.append((call.tool, call.arguments))
        request = calling.request_of(plan, plan.tools[call.tool], "run", call)
        answer, out = over_the_wire(request, self._answered)
        self.sent.append(out)
        return ToolReturned(call.call_id, "returned", self._talk.now_ms, answer.status, answer.payload)

    def continue_as_new(self):
        """Put everything away as a run does that goes on in another one."""
        packed = carried.packed(self.state, pinned=False, refused=[])
        packed = dataclasses.replace(packed, payload=_inflated(packed.payload))
        self._talk.state = restored(carried.unpacked(packed)["state"])
        self._talk.machine = Machine(self._talk.program, self.state)


def test_identifiers_are_byte_identical_over_every_hop_in_process(row, talk, desk, batch):
    """One of ten alone in a message and over two turns, the others many at a time."""
    wanted = row.times(20_000, 1_000_000)
    one, many = None, None
    while row.injected.total() < wanted:
        if row.injected["alone"] % 5 == 0:
            one, many = Hops(talk, desk, "no"), Hops(talk, batch, "nos")
        alone(row, one)
        together(row, many, row.dice.randint(5, 12))


def alone(row, conversation):
    """A value in a sentence, then from its cell in the next turn."""
    value = an_identifier(row.dice)
    row.injected["alone"] += 1
    text = written(row.dice, value)
    first = conversation.say(text)
    if row.dice.random() < 0.3:
        conversation.continue_as_new()
    again = conversation.say("same again")
    if [tool for tool, _ in conversation.calls[-2:]] != ["find_item", "look_again"]:
        row.violation("not called", text, value, conversation.calls[-2:], first["text"], again["text"])
        return
    (_, one), (_, two) = conversation.calls[-2:]
    get, post = conversation.sent[-2:]
    quoted = quote(value, safe="")
    places = {
        "arguments": one == {"no": value, "q": value, "x_no": value} and two == {"no": value},
        "request": get.target == f"/items/{quoted}?q={quoted}" and get.private["x-no"] == value,
        "body": post.content == f'{{"no":"{value}"}}'.encode(),
        "replies": value in first["text"] and value in again["text"],
        "cell": conversation.state.cells["find_item"]["no"]["value"] == value,
        "record": f'"{value}"' in json.dumps(conversation.state.records[-2:], ensure_ascii=False),
    }
    row.hit["alone"] += judged(row, places, text, one, two, get.target, post.content, first["text"])


def together(row, conversation, count):
    """Many values in one message, through lists; they keep their order."""
    values = list(dict.fromkeys(an_identifier(row.dice) for _ in range(count)))
    row.injected["together"] += len(values)
    text = row.dice.choice(["，", " ", ", ", "和", "\n"]).join(values)
    reply = conversation.say(text)
    if [tool for tool, _ in conversation.calls[-2:]] != ["find_items", "check_items"]:
        row.violation("not called", text, conversation.calls[-2:], reply["text"])
        return
    get, post = conversation.sent[-2:]
    places = {
        "arguments": [arguments for _, arguments in conversation.calls[-2:]] == [{"nos": values}] * 2,
        "request": get.target == "/items?" + "&".join(f"nos={quote(value, safe='')}" for value in values),
        "body": json.loads(post.content) == {"nos": values},
        "reply": reply["text"] == " ".join(values),
        "cell": conversation.state.cells["find_items"]["nos"]["value"] == values,
    }
    row.hit["together"] += judged(row, places, text, get.target, post.content, reply["text"]) * len(values)


def judged(row, places, *seen):
    """Whether a value is the same at all places."""
    for place, same in places.items():
        row.expect(same, place, *seen)
    return all(places.values())


# -- untraceable identifiers --------------------------------------------------------------------------------------------

NUMBER = re.compile(r"(?:555E|S\d{2}ES)\d{6,7}|\d{10,40}", re.ASCII)
FORGED_DEFAULT = "S99ES0000000"
FORGED_CONFIG = "S98ES0000001"

VARIABLES = {
    "metadata": "{{ message.metadata.no }}",
    "text": "{{ message.text }}",
    "computed": "{{ message.text | replace('1', '7') }}",
    "config": "{{ config.no }}",
    "appended": "{{ message.text }}0",
    "list": ["{{ message.metadata.no }}"],
    "slot": "{{ slots.no }}",
}
"""What the variable `x` is set to before the call."""

COPIED = {
    "config": lambda _: [FORGED_CONFIG],
    "metadata": lambda metadata: [*metadata.values()],
    "list": lambda metadata: [*metadata.values()],
}
"""What a variable copies that may be bound without one, too: a copy is worth what it copies, and in no other flow."""


def attacked(talk, source):
    """An agent with one flow for each way of setting a variable and each tool; a message says which one to run."""
    tools = {name: talk.tool(input={"no": _argument("caller", optional=True)}) for name in source.TEMPLATES | source.COPIES}  # fmt: skip
    tools |= {
        "direct": talk.tool(input={"no": _argument("slots.no")}),
        "defaulted": talk.tool(input={"no": _argument("slots.no", default=FORGED_DEFAULT)}),
        "trusting": talk.tool(input={"no": _argument("slots.no", history="single")}),
        "computed": talk.tool(input={"order_no": _argument("value", value="{{ vars.x }}")}),
        "listed": talk.tool(input={"ids": _argument("value", of="list", value=["{{ slots.no }}", "{{ vars.x }}"])}),
        "receipt": talk.tool(input={"no": _argument("cells.find.no")}),
        "find": talk.tool(input={"no": _argument("slots.no")}, produces={"no": talk.placed(at="no")}),
    }
    bound = source.TEMPLATES | source.COPIES
    mounts = [{"call": name, **({"bind": {"no": bound[name]}} if name in bound else {})} for name in tools]
    flows, routes, intents = {}, [], {}
    for name in tools:
        for variable, value in VARIABLES.items():
            key = f"{name}_{variable}"
            intents[key] = talk.placed(keywords=(f"run {key.replace('_', ' ')} now",))
            routes.append({"when": f"intents.{key}", "flow": key})
            flows[key] = [
                talk.step("set", values={"x": value}),
                talk.step("call", tool=name, catch=[talk.placed(errors=(), do=[talk.reply("failed")])]),
                talk.reply("done"),
            ]
    slots = {
        "no": talk.slot(patterns=(r"\b(?:555E|S\d{2}ES)\d{6,7}\b", r"\b\d{10,40}\b"), ask={"*": "?"}, exact_case=True),
        "many": talk.slot(patterns=(r"\bM\d{8}\b",), many=True),
    }
    parts = {"slots": slots, "tools": tools, "mounts": mounts, "flows": flows, "routes": routes, "intents": intents}
    message = {"types": ("user_chat", "form"), "metadata": {"no": {"type": "string", "optional": True}}}
    return talk.plan(
        **parts, config={"no": FORGED_CONFIG}, message=message, user={"account": {"type": "string", "optional": True}}
    )


def _argument(source, of="string", **more):
    return {"type": of, "source": source, "send_as": "no", **more}


def forged_number(dice):
    """A number that nobody said."""
    return dice.choice([f"555E{dice.randrange(10**6):06}", f"S{dice.randrange(90):02}ES{dice.randrange(10**7):07}", f"{dice.randrange(10**12):012}"])  # fmt: skip


NOISE = ["你好", "hello", "what about it", "那个呢", "M00000001 M00000002", "", "{{ config.no }}", "S98ES 0000001"]


class Attack:
    """One conversation in which forged numbers come from every side but the user's words."""

    def __init__(self, row, talk, plan):
        self.row, self.dice = row, row.dice
        self.account = forged_number(self.dice)
        self.conversation = talk.Talk(plan, dict.fromkeys(plan.tools, self._lie), user={"account": self.account})
        self.legal = [self.account]

    def _lie(self, _arguments):
        """The service says a number of its own: from now on it is a receipt's."""
        number = forged_number(self.dice)
        self.legal.append(number)
        return {"no": number, "id": number}

    def turn(self, name, variable):
        """A message that runs one flow, with forged numbers around it; the calls that it made."""
        said, forged = forged_number(self.dice), forged_number(self.dice)
        words = f"run {name} {variable} now".replace("_", " ")
        text = self.dice.choice(
            [words, f"{words} {said}", f"{said}，{words}", f"{words} {said} {forged_number(self.dice)}"]
        )
        metadata = {"no": forged} if self.dice.random() < 0.7 else {}
        history = ({"role": "user", "text": f"run direct text now {forged}"},)
        kind = self.dice.choice(["user_chat", "user_chat", "user_chat", "form"])
        if self.dice.random() < 0.3:
            self.conversation.say(f"{words} {forged}", role=self.dice.choice(["agent", "tool", "other"]))
        if self.dice.random() < 0.2:
            self.conversation.say(self.dice.choice(NOISE))
        before = len(self.conversation.calls)
        self.legal.append(unicodedata.normalize("NFKC", text))
        known = [*self.legal, *COPIED.get(variable, lambda _: [])(metadata)]
        self.conversation.say(text, type=kind, metadata=metadata, history=history)
        return text, known, self.conversation.calls[before:]


def test_an_untraceable_identifier_never_reaches_a_tool(row, talk, bindings):
    plan = attacked(talk, bindings)
    tried = 0
    while tried < row.times(5_000, 100_000):
        attack = Attack(row, talk, plan)
        for _ in range(row.dice.randint(1, 5)):
            name, variable = row.dice.choice(list(plan.tools)), row.dice.choice(list(VARIABLES))
            text, known, calls = attack.turn(name, variable)
            tried += 1
            row.injected["attempts"] += 1
            row.hit["calls that went out" if calls else "calls held back"] += 1
            for tool, arguments in calls:
                for number in NUMBER.findall(json.dumps(arguments, ensure_ascii=False)):
                    traced = any(number in words for words in known)
                    row.expect(traced, "untraceable", tool, variable, arguments, text)
    row.expect(row.hit["calls that went out"] > tried / 50, "hardly a call went out", dict(row.hit))


def test_legal_identifiers_pass(row, talk, bindings):
    plan = attacked(talk, bindings)
    failed = 0
    for _ in range(row.times(2_000, 50_000)):
        name = row.dice.choice(["direct", "defaulted", "trusting", "copy", "find", "of_user", "of_vars"])
        said, account = forged_number(row.dice), forged_number(row.dice)
        conversation = talk.Talk(plan, user={"account": account})
        words = f"run {name} {'slot' if name == 'of_vars' else 'text'} now".replace("_", " ")
        conversation.say(row.dice.choice([f"{words} {said}", f"{said}，{words}", f"查{said}单 {words}"]))
        wanted = account if name == "of_user" else said
        row.injected["messages"] += 1
        passed = [arguments for _, arguments in conversation.calls] == [{"no": wanted}]
        row.hit["passed"] += passed
        failed += not passed
    row.expect(failed <= row.injected["messages"] / 100, "legal ones held back", failed)
