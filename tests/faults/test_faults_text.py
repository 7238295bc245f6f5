"""Text from outside: no message blocks the loop, and disguised names are screened in whole turns."""

import random
import time
from itertools import islice
from pathlib import Path

import pytest

from interlock.compiler import compile_folder
from interlock.contract.limits import MESSAGE_TEXT_LIMIT

STALL_S = 0.050
TRIES = 4
"""The shortest of so many tries counts: what others do on the machine is not the message's doing."""

PATTERNS = [
    r"\b(?:a+)+b\b", r"(?:x|x|x|xx)*y", r"[0-9]+(?:-[0-9]+)*!", r"(?:(?:a|b)*c)*d", r"\w+\s\w+\s\w+z", r"(?i)(?:単|单|a)+号", r".{0,90}!", r"\d{4,40}",
    r"(?:[a-z]+\s?)+$", r"(?:0|1)*2", r"[^x]*x[^y]*y[^z]*z", r"\b\w{1,60}@\w{1,60}\.com\b", r"(?:\p{Han}{1,6}，)*完",
]  # fmt: skip
EXTRACTORS = ("date", "number", "amount", "integer", "range", "email", "url", "quote")
PIECES = [
    "a", "ab", "x", "1", "1-", "0 ", "单", "单号", "飞 ", "F l", "Ｆ", "\u0301", "\u200b", "a\u0301", "🅵", "\ufdfa", "ﷺ", "ABCU1234567 ", "555E898665，",
    "查", "find ", "12 3 ", "1,234.5 ", "2026-01-02 ", "明天", "三千二百", "http://a.b/", "a@b.", "\"'", "（", "\t", "\u202e", "𝔉", "I1l|", "中国 平", "\n", "{{ x }}",
    "red blue ", "那个呢", "#get", "1e9", "٣", "Ⅷ", "½", "ß", "ı", "İ", "ŉ", "ǰ", "飞协博", "飞 协 博 ", "flexpоrt ", "Ｆlexport，", "F l e x p o r t ", "查一下", "人工", "red ", "xFlexport", "飞,协博", "F.l.e.x.p.o.r.t", "中，外运",
]  # fmt: skip


def a_message(dice):
    """A message as long as is allowed, made of a few pieces again and again."""
    length = dice.choice([MESSAGE_TEXT_LIMIT, MESSAGE_TEXT_LIMIT, MESSAGE_TEXT_LIMIT // 3])
    kind = dice.randrange(4)
    if kind == 0:
        text = dice.choice(PIECES) * length
    elif kind == 1:
        text = "".join(dice.choices(PIECES, k=3)) * length
    elif kind == 2:
        few = dice.sample(PIECES, 4)
        text = "".join(dice.choices(few, k=length))
    else:
        text = "".join(dice.choices(PIECES, k=length))
    return text[: length - 1] + dice.choice(["", "!", "b", "完"])


def plans_to_stall(talk, desk):
    """The shipped agent, ours, and one with awkward patterns, every extractor and many phrases."""
    shipped = compile_folder(Path(__file__).parents[2] / "specs" / "logistics-support").plans["logistics-support"]
    dice = random.Random(1)
    phrases = sorted({"".join(dice.choices("abcdefgh单号飞协博中", k=dice.randint(3, 9))) for _ in range(5_000)})
    words = talk.placed(terms=[{"code": f"T{n}", "aliases": [phrase]} for n, phrase in enumerate(phrases)])
    patterns = [(f"p{n}", talk.slot(patterns=(pattern,))) for n, pattern in enumerate(PATTERNS)]
    screen = {"id": "screen", "screen": "many", "when": "message.type == 'form'", "verdict": "refuse", "text": {"*": "no"}}  # fmt: skip
    plans = {"shipped": shipped, "desk": desk, "a few patterns": reading(talk, dict(patterns[:7]))}
    plans["other patterns"] = reading(talk, dict(patterns[7:]))
    plans |= {kind: reading(talk, {kind: talk.slot(extract=kind)}) for kind in EXTRACTORS}
    plans["phrases"] = reading(talk, {"word": talk.slot(vocabulary="many", many=True)}, vocabularies={"many": words})
    plans["screen"] = talk.plan(vocabularies={"many": words}, gates=[screen])
    return plans


def reading(talk, slots, **parts):
    """An agent that reads slots."""
    return talk.plan(
        slots=slots, routes=[{"when": " or ".join(f"slots.{name}" for name in slots), "flow": "talk"}], **parts
    )


@pytest.mark.slow
def test_no_pattern_or_message_blocks_the_loop(row, talk, desk, bounded):
    plans = plans_to_stall(talk, desk)
    limit = STALL_S * bounded.slowness()
    longest = (0.0, "")
    for number in range(row.times(420, 14_000)):
        name = list(plans)[number % len(plans)]
        text = a_message(row.dice)
        row.injected[name] += 1
        stall = min_stall(talk, plans[name], text, limit)
        row.hit[name] += 1
        longest = max(longest, (stall, f"{name} {text[:40]!r}"))
        if stall > limit:  # or is the machine slower than it was?
            limit = max(limit, STALL_S * bounded.slowness())
            stall = min_stall(talk, plans[name], text, limit, 5 * TRIES)
        row.expect(stall <= limit, "stall", name, round(stall * 1000), text[:120], len(text))
    row.notes.append(f"longest {longest[0] * 1000:.0f} of {limit * 1000:.0f} ms ({longest[1]})")


def min_stall(talk, plan, text, limit, tries=TRIES):
    """The longest step of a turn, in the best of some tries."""
    best = 1e9
    for _ in range(tries):
        conversation = talk.Talk(plan)
        started = time.thread_time()
        conversation.begin(text)
        best = min(best, time.thread_time() - started)
        if best <= limit:
            break
    return best


# -- screens --------------------------------------------------------------------------------------------------------------


def screened_agent(talk, aliases):
    """An agent that refuses to speak of some names, in each way that a screen can be written."""
    words = talk.placed(terms=[{"code": alias, "aliases": [alias]} for alias in aliases])
    gate = {"id": "rivals", "screen": "rivals", "verdict": "refuse", "text": {"*": "no"}, "reason": "rival"}
    return talk.tracking(vocabularies={"rivals": words, "follow_ups": talk.words("那个呢")}, gates=[gate])


def test_disguised_names_are_screened_in_whole_turns(row, talk, screening):
    plan, missed = screened_agent(talk, screening.ALIASES), []
    names = list(screening.CLASSES)
    wanted = row.times(2_000, 100_000)
    for number in range(wanted):
        name = names[number % len(names)]
        aliases, disguise = screening.CLASSES[name]
        text = row.dice.choice(screening.FRAMES).format(disguise(row.dice, row.dice.choice(aliases)))
        row.injected[name] += 1
        conversation = talk.Talk(plan)
        caught = conversation.say(text)["outcome"] == "refuse"
        row.hit[name] += caught
        missed += [] if caught else [(name, text)]
        row.expect(not (caught and conversation.calls), "a call went out", text)
    row.expect(len(missed) <= wanted / 100, "missed", len(missed), missed[:5])
    benign = list(islice(screening.benign(), 10_000))
    false = [text for text in benign if refused(talk, plan, text)]
    row.notes.append(f"{len(missed)} missed, {len(false)} of {len(benign):,} benign refused")
    row.expect(len(false) <= len(benign) / 1_000, "benign refused", len(false), false[:5])


def refused(talk, plan, text):
    """Whether a message is refused."""
    return talk.Talk(plan, {"track": {"no": "1"}}).say(text)["outcome"] == "refuse"
