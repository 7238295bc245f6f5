"""Words in the place of a code that mean none: no call, nothing assumed instead, and it is said."""

import pytest

from tests.facts.world import choice


def lookups(reply):
    return [(one["status"], one.get("param"), one.get("raw")) for one in reply["data"]["facts"]]


@pytest.mark.parametrize(
    ("text", "param", "raw"),
    [
        ("revenue in FY2019", "year", "FY2019"),
        ("2019年的营收", "year", "2019年"),
        ("revenue, place: Atlantis", "place", "Atlantis"),
        ("地区：火星的营收", "place", "火星"),
        ("营收，地区：“火星”", "place", "火星"),
        ("revenue place = Atlantis and Utopia", "place", "Atlantis and Utopia"),
        ("metric: goodwill", "metric", "goodwill"),
    ],
)
def test_it_is_named_and_nothing_is_called(ledger, world, text, param, raw):
    reply = ledger.say(text)
    assert (reply["outcome"], reply["reason"]) == ("decline", "unrecognized_param")
    assert lookups(reply) == [("unrecognized_param", param, raw)]
    assert world.calls == []
    assert param not in [one["slot"] for one in reply["assumptions"]]
    assert ledger.record["guard_triggered"] is True
    assert ledger.record["slots"][param]["unknown"] == [raw]


def test_the_text_names_the_parameter_in_the_language_of_the_reader(ledger):
    assert ledger.say("地区：火星的营收")["text"].startswith("没有叫火星的地区。")


def test_without_a_text_the_engine_has_its_own_words(changed):
    own = (
        """      unrecognized:
        en: "No {{ fact.param | show }} is called {{ fact.raw }}."
        zh: "没有叫{{ fact.raw }}的{{ fact.param | show }}。"
""",
        "",
    )
    assert changed(own).say("revenue in FY2019")["text"].startswith("I do not know this year: FY2019")


def test_the_codes_that_there_are_are_offered(ledger):
    assert set(ledger.say("revenue, place: Atlantis")["options"]) >= {"China", "Hong Kong"}


def test_what_is_missing_besides_is_asked_first_and_the_word_stays_unknown(ledger, world):
    assert ledger.say("place: Atlantis")["text"].startswith("Which metric?")
    reply = ledger.say("revenue")
    assert lookups(reply) == [("unrecognized_param", "place", "Atlantis")]
    assert world.calls == []


def test_of_several_values_the_known_ones_are_looked_up(ledger, world):
    reply = ledger.say("地区：香港、火星，2025年营收")
    assert [one[0] for one in lookups(reply)] == ["found", "unrecognized_param"]
    assert lookups(reply)[1][2] == "火星"


def test_a_slot_of_one_value_is_not_looked_up_in_part(ledger, world):
    assert lookups(ledger.say("revenue FY2025 and FY2019")) == [("unrecognized_param", "year", "FY2019")]
    assert world.calls == []


@pytest.mark.parametrize(
    "text", ["revenue, place: Hong Kong", "地区：香港，营收", "revenue FY2025", "2025年营收", "place revenue"]
)
def test_known_words_are_known(ledger, world, text):
    assert ledger.say(text)["outcome"] == "answer"


def test_two_words_are_both_named(ledger):
    reply = ledger.say("revenue FY2019, place: Atlantis")
    assert [one[1] for one in lookups(reply)] == ["place", "year"]


# -- slots that no look-up reads --------------------------------------------------------------------------------------

SIZES = (
    ("vocabularies:\n", "vocabularies:\n  sizes: {terms: {S: {aliases: [small]}, L: {aliases: [large]}}}\n"),
    ("slots:\n", "slots:\n  size: {vocabulary: sizes, looks_like: ['\\bsize [A-Z]+\\b'], assume: S}\n"),
    ("routes:\n", "routes:\n  - {id: sizes, when: \"'size' in message.text\", flow: sizes}\n"),
    (
        "flows:\n",
        "flows:\n  sizes:\n    - collect: [size]\n    - reply: {en: 'Size {{ slots.size }}.', zh: '{{ slots.size }}'}\n",
    ),
)


def test_a_word_that_looks_like_a_code_is_asked_about_and_nothing_is_assumed(changed):
    ledger = changed(*SIZES)
    assert ledger.say("which size?")["text"].startswith("Size S.")
    reply = ledger.say("size XXL please")
    assert (reply["outcome"], reply["text"]) == ("ask", "I do not know this size: size XXL")
    assert reply["options"] == ["S", "L"]
    assert ledger.say("large")["text"] == "Size L."


def test_a_call_that_is_no_look_up_asks_for_what_one_would_name(changed, world):
    plain = (
        "tools:\n",
        "tools:\n  note_down:\n    sql: SELECT 1 AS n WHERE :metric = :metric\n    effect: read\n    input: {metric: {type: string, from: slots.place}}\n",
    )
    ledger = changed(
        plain,
        ("mounts:\n", "mounts:\n  - call: note_down\n"),
        ("responses:\n", "responses:\n  whole: {raw: true}\n"),
        ("routes:\n", "routes:\n  - {id: note, when: \"'note' in message.text\", flow: note}\n"),
        ("flows:\n", "flows:\n  note:\n    - call: note_down\n      expand: [place]\n    - respond: whole\n"),
    )
    reply = ledger.say("note, place: Atlantis")
    assert (reply["outcome"], reply["text"]) == ("ask", "I do not know this place: Atlantis")
    assert reply["options"] == ["China", "Hong Kong"]


# -- proposed by a model ----------------------------------------------------------------------------------------------


def test_what_a_model_proposes_and_the_user_said_is_named_if_it_is_no_code(ledger, world):
    world.chooses, world.proposes = [choice("look_up")], {"place": "Atlantis"}
    reply = ledger.say("look at revenue of Atlantis in FY2025")
    assert lookups(reply) == [("unrecognized_param", "place", "Atlantis")]
    assert world.calls == []
    assert not world.prose_was_asked_for


@pytest.mark.parametrize("proposed", ["Utopia", "HK", "Hong Kong", "", " "])
def test_what_the_user_has_not_said_or_is_a_code_is_nothing_unknown(ledger, world, proposed):
    world.chooses, world.proposes = [choice("look_up")], {"place": proposed}
    reply = ledger.say("look at revenue in FY2025")
    assert reply["outcome"] == "ask"
    assert reply["missing"] == ["place"]
    assert world.calls == []
