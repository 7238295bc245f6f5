"""Reading slots: vocabularies, identifiers and extracted values, and whose value it is when several could have it."""

from datetime import datetime

import pytest


@pytest.fixture
def read(talk):
    def build(**slots):
        vocabularies = {
            "metrics": talk.words(REVENUE=("营收", "revenue"), PROFIT=("利润", "profit")),
            "cities": talk.words("Paris", "Rome", "Oslo"),
        }
        desk = talk.Talk(talk.plan(languages=("zh", "en"), vocabularies=vocabularies, slots=slots))

        def say(text):
            desk.say(text)
            return {name: (one["status"], one["value"]) for name, one in desk.record["slots"].items()}

        say.desk = desk
        return say

    return build


def test_a_vocabulary_gives_codes_with_the_words_they_were_read_from(talk, read):
    say = read(metric=talk.slot(vocabulary="metrics"))
    assert say("去年的营 收？") == {"metric": ("filled", "REVENUE")}
    assert say.desk.record["slots"]["metric"]["found"] == [["REVENUE", "营 收", 3, 6]]
    assert say("hello") == {}


@pytest.mark.parametrize(
    ("zone", "now", "day"),
    [
        ("", "2026-11-29T17:00:00+00:00", "2026-11-29"),
        ("Asia/Shanghai", "2026-11-29T17:00:00+00:00", "2026-11-30"),
        ("Asia/Shanghai", "2026-11-29T15:59:59+00:00", "2026-11-29"),
        ("America/New_York", "2026-11-30T04:59:59+00:00", "2026-11-29"),
        ("America/New_York", "2026-07-30T04:00:00+00:00", "2026-07-30"),  # an hour less in summer
    ],
)
def test_words_that_are_counted_from_now_are_read_in_the_time_zone_of_the_slot(talk, read, zone, now, day):
    say = read(due=talk.slot(extract="date", **({"timezone": zone} if zone else {})))
    say.desk.now_ms = int(datetime.fromisoformat(now).timestamp() * 1000) - 1000  # a message takes a second
    assert say("今天") == {"due": ("filled", day)}


def test_the_same_value_twice_is_one_value(talk, read):
    say = read(metric=talk.slot(vocabulary="metrics"))
    assert say("营收，revenue") == {"metric": ("filled", "REVENUE")}


def test_distinct_values_for_a_slot_of_one_are_ambiguous(talk, read):
    say = read(metric=talk.slot(vocabulary="metrics"))
    assert say("营收和利润") == {"metric": ("ambiguous", None)}


def test_a_slot_of_many_holds_all_in_the_order_of_the_text(talk, read):
    say = read(metric=talk.slot(vocabulary="metrics", many=True))
    assert say("利润和营收") == {"metric": ("filled", ["PROFIT", "REVENUE"])}
    assert say("利润") == {"metric": ("filled", ["PROFIT"])}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("abcu1234567", "ABCU1234567"),
        ("ＡＢＣＵ１２３４５６７", "ABCU1234567"),
        ("查ABCU1234567单", "ABCU1234567"),
    ],
)
def test_an_identifier_is_found_beside_chinese_in_any_width_and_case(talk, read, text, value):
    assert read(no=talk.slot(patterns=talk.NUMBERS))(text) == {"no": ("filled", value)}


def test_an_identifier_with_exact_case_keeps_to_it(talk, read):
    say = read(key=talk.slot(patterns=(r"\bk[a-z]{3}\d\b",), exact_case=True))
    assert say("kabc1") == {"key": ("filled", "kabc1")}
    assert say("KABC1") == {}


def test_normalisation_is_applied_in_order_and_the_raw_words_are_kept(talk, read):
    say = read(po=talk.slot(patterns=(r"PO[- ]\d{3} ?\d{3}",), normalise=("lower", "no_spaces", "no_dashes")))
    assert say("po-123 456") == {"po": ("filled", "po123456")}
    assert say.desk.record["slots"]["po"]["found"] == [["po123456", "po-123 456", 0, 10]]


def test_a_value_that_fails_a_check_is_not_filled_and_is_told_why(talk, read):
    check = talk.placed(
        that="value > 0 and value < 100", otherwise={"*": "Between one and a hundred, not {{ value }}."}
    )
    say = read(bags=talk.slot(extract="integer", checks=[check]))
    assert say("250") == {"bags": ("invalid", None)}
    assert say("25") == {"bags": ("filled", 25)}


def test_what_stands_inside_an_identifier_is_nothing_else(talk, read):
    say = read(no=talk.slot(patterns=(r"SO-\d{4}-\d{3}",)), when=talk.slot(extract="integer"))
    assert say("SO-2024-001") == {"no": ("filled", "SO-2024-001")}


def test_a_label_decides_between_slots_of_one_pattern(talk, read):
    payer, payee = (
        talk.slot(patterns=(r"\bA\d{5}\b",), labels=labels) for labels in (("from", "付款方"), ("to", "收款方"))
    )
    say = read(payer=payer, payee=payee)
    assert say("from A11111 to A22222") == {"payer": ("filled", "A11111"), "payee": ("filled", "A22222")}
    assert say("收款方：A22222，付款方：A11111") == {"payer": ("filled", "A11111"), "payee": ("filled", "A22222")}


def test_a_label_behind_the_value_decides_when_none_stands_before_it(talk, read):
    bags, seats = (talk.slot(extract="integer", labels=labels) for labels in (("bags", "件"), ("seats", "座")))
    say = read(bags=bags, seats=seats)
    assert say("3 bags, 4 seats") == {"bags": ("filled", 3), "seats": ("filled", 4)}


def test_a_value_that_two_slots_could_have_is_ambiguous_for_both(talk, read):
    say = read(
        origin=talk.slot(vocabulary="cities", labels=("from",)), goal=talk.slot(vocabulary="cities", labels=("to",))
    )
    assert say("Rome") == {"origin": ("ambiguous", None), "goal": ("ambiguous", None)}


def test_what_is_left_goes_to_the_slot_that_has_nothing_yet(talk, read):
    say = read(
        origin=talk.slot(vocabulary="cities", labels=("from",)), goal=talk.slot(vocabulary="cities", labels=("to",))
    )
    assert say("from Paris, Rome") == {"origin": ("filled", "Paris"), "goal": ("filled", "Rome")}


def test_a_slot_of_the_session_is_kept_and_replaced_and_a_slot_of_the_flow_is_not(talk, read):
    say = read(metric=talk.slot(vocabulary="metrics", keep="session"), city=talk.slot(vocabulary="cities"))
    say("营收 in Rome")
    assert say("hello") == {"metric": ("filled", "REVENUE")}
    assert say.desk.record["slots"]["metric"]["source"] == "kept"
    assert say("profit") == {"metric": ("filled", "PROFIT")}
    assert say("hello") == {"metric": ("filled", "PROFIT")}


def test_an_ambiguous_slot_holds_for_a_condition_and_equals_no_value(talk):
    plan = talk.tracking(
        gates=[{"id": "one", "when": "slots.no == 'ABCU1234567'", "verdict": "reply", "text": {"*": "one"}}],
        routes=[{"when": "slots.no", "flow": "tracking"}],
    )
    desk = talk.Talk(plan)
    assert desk.say("ABCU1234567, ABCU7654321")["outcome"] == "ask"
    assert desk.calls == []


def test_labels_inside_bare_numbers_and_punctuation_do_not_disturb(talk):
    desk = talk.Talk(talk.tracking(), {"track": lambda args: {"no": args["no"]}})
    desk.say("查询货物")
    desk.say("单号：1234567890。")
    assert [args["no"] for _, args in desk.calls] == ["1234567890"]
