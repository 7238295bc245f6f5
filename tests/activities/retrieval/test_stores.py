"""What every store does alike: each test runs on the embedded one, and on PostgreSQL with and without vectors."""

import asyncio

import pytest

from interlock_activities.retrieval.store import NoIndexError

LEAVE = (
    "# Leave\n\n## Annual leave\n\nTen days a year. Ask your lead two weeks before.\n\n## 病假\n\n病假需要医院证明。\n"
)
TRAVEL = "# 差旅\n\n## 住宿标准\n\n一线城市每晚不超过六百元。\n\n## Numbers\n\nForm S55ES0000134, limit 2^53.\n"


@pytest.fixture
def filled(desk):
    desk.write("leave.md", LEAVE)
    desk.write("travel.md", TRAVEL)
    desk.refresh()
    return desk


def test_what_was_written_is_found_with_its_source(filled):
    (best, *_) = filled.search("annual leave")
    assert best.text == "Ten days a year. Ask your lead two weeks before."
    assert (best.title, best.document, best.locator) == ("Leave", "leave.md", "Leave > Annual leave, line 5")
    assert best.score > 0


@pytest.mark.parametrize(
    ("question", "document", "word"),
    [
        ("住宿", "travel.md", "六百元"),
        ("请问一线城市的住宿标准是多少？", "travel.md", "六百元"),
        ("病假要什么证明", "leave.md", "证明"),
        ("S55ES0000134", "travel.md", "S55ES0000134"),
        ("ｓ５５ｅｓ００００１３４怎么填", "travel.md", "S55ES0000134"),
        ("what is 2^53", "travel.md", "2^53"),
        ("帮我查 annual leave 的规定", "leave.md", "Ten days"),
        ("WEEK", "leave.md", "two weeks"),
    ],
)
def test_a_question_finds_its_passage(filled, question, document, word):
    best = filled.search(question)[0]
    assert best.document == document
    assert word in best.text


@pytest.mark.parametrize("question", ["", "的吗", "how do you do that?", "??? — …", "是不是", " \n\t", "🙂", "\0"])
def test_a_question_about_nothing_finds_nothing(filled, question):
    assert filled.search(question) == []


@pytest.mark.parametrize(
    "question",
    ['"leave', "leave*", "leave NEAR zebra", "NOT leave", "-leave", "text:leave", "'leave'::x", "leave & |", "(leave"],
)
def test_a_question_is_text_and_no_language(filled, question):
    assert filled.documents(question)[0] == "leave.md"


def test_no_more_than_asked_for_best_first(desk):
    for number in range(20):
        desk.write(
            f"{number}.md", f"# Note {number}\n\n" + "tariff " * (number + 1) + "and other words of no interest " * 3
        )
    desk.refresh()
    found = desk.search("tariff", 7)
    assert len(found) == 7
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_an_index_that_is_not_there_says_so(desk):
    with pytest.raises(NoIndexError):
        desk.search("leave")


def test_an_empty_index_finds_nothing(desk):
    desk.write("nothing.txt", "\n")
    desk.refresh()
    assert desk.search("leave") == []


def test_indexes_do_not_mix(filled):
    other = type(filled)(filled.folder.with_name("others"), filled.opening, f"{filled.index} 2")
    other.write("leave.md", "# Leave\n\nNobody leaves here.\n")
    other.refresh()
    assert {one.text for one in other.search("leave")} == {"Nobody leaves here."}
    assert all("Nobody" not in text for text in filled.texts("leave"))


def test_what_has_changed_is_found_anew_and_what_has_gone_is_not(filled):
    filled.write("leave.md", LEAVE.replace("Ten days", "Twenty days"))
    (filled.folder / "travel.md").unlink()
    summary = filled.refresh()
    assert (summary.files, summary.written, summary.removed) == (1, 1, 1)
    assert filled.texts("annual leave")[0].startswith("Twenty days")
    assert all("Ten days" not in text for text in filled.texts("annual leave days"))
    assert all(one.document != "travel.md" for one in filled.search("住宿标准"))


def test_nothing_is_seen_of_a_change_that_is_taken_back(filled):
    async def broken(store):
        async with store.changing(filled.index) as change:
            await change.remove("leave.md")
            assert await store.marks(filled.index)
            assert [one.document for one in await store.search(filled.index, "annual leave", 1)] == ["leave.md"]
            raise ConnectionError

    with pytest.raises(ConnectionError):
        filled.run(broken)
    assert filled.documents("annual leave", 1) == ["leave.md"]


def test_two_changes_follow_each_other(filled):
    seen = []

    async def both(store):
        async def change(name):
            async with store.changing(filled.index) as change:
                seen.append((name, "in"))
                await asyncio.sleep(0.3)
                await change.remove(name)
                seen.append((name, "out"))

        await asyncio.gather(change("leave.md"), change("travel.md"))

    filled.run(both)
    assert [what for _, what in seen] == ["in", "out", "in", "out"]
    assert filled.search("annual leave 住宿标准") == []


def test_an_index_made_anew_holds_the_same(filled):
    before = filled.texts("annual leave 住宿")
    summary = filled.refresh(anew=True)
    assert summary.written == 2
    assert filled.texts("annual leave 住宿") == before


def test_passages_with_everything_in_them_come_back_as_they_were(desk):
    text = "quote ' \" \\ %s {{ x }} \x7f \u202e \U0001f600 e\u0301 $1 ?"
    desk.write("odd.txt", text)
    desk.refresh()
    assert desk.texts("quote") == [text]
