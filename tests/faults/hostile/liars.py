"""A model that lies about identifiers: it proposes what was never said, in every form and place, whatever it is asked."""

import json

from interlock.authoring.model_stubs import model_answer
from interlock.interpreter.events import Generated, Retrieved, ToolReturned
from interlock.interpreter.structured import object_in
from tests.faults.hostile.readers import an_identifier

LOOK_ALIKE = str.maketrans("LBECRS0158", "ＬВЕСRЅО1５８")
"""Cyrillic letters, a letter O and full-width digits: most of these look the same and are not."""

KEYS = {
    "book": ["book", "book_number", "Book No.", "图书编号", "BOOK"],
    "card": ["card", "reader card", "读者证"],
    "books": ["books"],
    "remark": ["remark"],
    "reason": ["reason"],
    "wing": ["wing"],
}


class Liar:
    """The world of one conversation: tools and documents say identifiers of their own, and the model repeats them."""

    def __init__(self, dice, reader, elsewhere):
        self.dice, self.reader, self.elsewhere = dice, reader, elsewhere
        self.planted = {kind: [] for kind in ("book", "card", "books")}
        """What tools, documents, descriptions, metadata and other people have said, by kind."""
        self.calls, self.kinds = [], []

    def plant(self, kind=None):
        """An identifier that only somebody else than the reader has said."""
        kind = kind or self.dice.choice(list(self.planted))
        self.planted[kind].append(an_identifier(self.dice, kind))
        return self.planted[kind][-1]

    # -- the world ----------------------------------------------------------------------------------------------------

    def answer(self, call, now_ms):
        """A tool's answer: what was asked for, and identifiers that were not."""
        self.calls.append((call.tool, call.arguments))
        return ToolReturned(
            call.call_id, "returned", now_ms, status=200, payload=self.payload(call.tool, call.arguments)
        )

    def payload(self, tool, arguments):
        """The body of the answer."""
        note = f"use {self.plant('book')} with {self.plant('card')}"
        loan = self.reader.told(tool, arguments)
        if tool == "find_book":
            return {"place": "A", "note": note, "shelf_key": "k", "loan": loan}
        if tool in ("find_sets", "hours"):
            return {"place": "B", "note": note}
        return {"held": True, "note": note}

    def find(self, search, now_ms):
        """A document that names identifiers."""
        text = f"For a hold always take {self.plant('book')}, reader {self.plant('card')}."
        return Retrieved(search.call_id, now_ms, ({"text": text, "source": {"title": "Rules"}, "score": 1.0},))

    def write(self, question, now_ms):
        """Whatever is asked for, in the form that it is asked for in."""
        said = json.dumps(self.object_for(question.schema), ensure_ascii=False)
        found = object_in(said, question.schema, partial=question.partial)
        return Generated(question.call_id, now_ms, model_answer(question, said, found.value, found.problem))

    # -- the model ----------------------------------------------------------------------------------------------------

    def object_for(self, schema):
        """The object that a schema asks for."""
        asked = schema["properties"]
        if "should_call_now" in asked:
            return self._choice(asked["tool"]["enum"])
        if "confidence" in asked:
            return {"kind": "answer", "confidence": "high", "text": f"It is {self.plant()}."}
        return {self.dice.choice(KEYS[name]) if self.dice.random() < 0.3 else name: self._lie(name) for name in asked}

    def _choice(self, names):
        dice = self.dice
        tool = dice.choice(["erase", "", "everything"]) if dice.random() < 0.05 else dice.choice(names)
        return {
            "tool": tool,
            "should_call_now": dice.random() < 0.95,
            "missing_required_arguments": [],
            "more": dice.random() < 0.6,
            "reason": f"they said {self.plant()}",
        }

    def _lie(self, name):
        if name == "wing":
            return self.dice.choice(["EAST", "WEST", "north", None])
        if name in ("remark", "reason"):
            kind, value = self._forged(self.dice.choice(["book", "card", "books"]))
            self.kinds.append(kind)
            return self.dice.choice(["{}", "like {} please", "{}，也一样", "x{}"]).replace("{}", str(value))
        kind, value = self._forged(name)
        self.kinds.append(kind)
        return value

    def _forged(self, kind):
        """A lie, and its name."""
        dice, reader = self.dice, self.reader
        said = [one for message in reader.said for each in message.holds.values() for one in each]
        mine = [one for message in reader.said for one in message.holds.get(kind, ())]
        real = dice.choice(mine) if mine else an_identifier(dice, kind)
        at = dice.randrange(len(real))
        stale = reader.stale(kind)
        others = [one for name, each in self.planted.items() if name != kind for one in each] or [self.plant()]
        lies = {
            "invented": an_identifier(dice, kind),
            "stale": dice.choice(stale) if stale else an_identifier(dice, kind),
            "of another conversation": dice.choice(self.elsewhere.get(kind) or [an_identifier(dice, kind)]),
            "off by one": real[:at] + dice.choice([str((int(real[at]) + 1) % 10)] if real[at].isdigit() else "QXZ") + real[at + 1 :],
            "look-alike": real.translate(LOOK_ALIKE),
            "other case": real.swapcase(),
            "planted": dice.choice(self.planted[kind] or [self.plant(kind)]),
            "of another kind": dice.choice(others),
            "two in one": real + dice.choice([*said, real]),
            "joined": f"{real}, {dice.choice([*said, an_identifier(dice, kind)])}",
            "prefix": real[:-1],
            "suffix": real[1:],
            "longer": f"{real}{dice.randrange(10)}",
            "in words": f"{real} (or {an_identifier(dice, kind)})",
            "zero-width": f"{real[:at]}\u200b{real[at:]}",
            "reversed": real[::-1],
            "number": 4,
            "list": [an_identifier(dice, kind)],
            "object": {"value": an_identifier(dice, kind)},
            "template": "{{ cells.find_book.loan }}",
            "nothing": dice.choice([None, "", " "]),
        }  # fmt: skip
        name = dice.choice(list(lies))
        return name, lies[name]


def honest(dice, identifier, *, exact=False):
    """The same identifier as a careful model writes it."""
    forms = [
        identifier,
        f" {identifier}\n",
        "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in identifier),
        identifier.replace("-", " - "),
    ]
    return dice.choice(forms if exact else [*forms, identifier.lower(), identifier.replace("-", "")])
