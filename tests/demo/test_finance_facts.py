"""The bundle of financial facts with its real store and its real reports: what is asked is found, and nothing else."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from demo.finance.__main__ import make
from interlock.authoring.stage import Stage
from interlock.compiler import compile_folder
from interlock.contract import sql
from interlock.contract.retrieval import RetrieveRequest
from interlock.interpreter.events import ToolReturned
from interlock_activities import Activities, Settings
from interlock_activities.sqlite_database import Job

BUNDLE = Path(__file__).parents[2] / "specs" / "finance-facts"
MARCH_2026 = 1_772_330_400_000


@pytest.fixture(scope="module")
def plan():
    return compile_folder(BUNDLE).plans["finance-facts"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make(tmp_path_factory.mktemp("data"))


class Store:
    """Answers the one tool from the file, by the statement that stands in the plan."""

    def __init__(self, plan, file):
        self.statement, self.file = sql.read(plan.tools["query_metric"].sql), file

    def answer(self, call, now_ms):
        bound = [call.arguments[name] for name in self.statement.arguments]
        job = Job(self.file, self.statement.numbered("?"), bound, writes=False, timeout_ms=5_000, max_bytes=100_000)
        return ToolReturned(call.call_id, "returned", now_ms, status=200, payload=job.run())


@pytest.fixture
def ask(plan, store):
    stage = Stage(plan, Store(plan, store), user={"id": "u1"}, now_ms=MARCH_2026)
    return lambda text: stage.say(text).reply


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("2024年香港的营收是多少", "香港2024财年营业收入（全渠道）：18,440.2 HKD m（AR2024，p. 47）"),
        (
            "What was net profit of the group in FY2025?",
            "net profit of the group, FY2025, all channels: 9,870.50 CNY m (AR2025, p. 9)",
        ),
        ("中国内地2025年银保保费", "中国内地2025财年保费收入（银保渠道）：20,118.9 CNY m（AR2025，p. 33）"),
        ("香港2023年营收", "查不到香港2023财年的营业收入（全渠道），不提供任何推测数字。"),
    ],
)
def test_a_figure_comes_from_the_store_or_not_at_all(ask, question, answer):
    assert ask(question)["text"] == answer


def test_every_row_of_the_store_can_be_asked_for(ask, plan, store):
    with sqlite3.connect(store) as database:
        rows = database.execute("SELECT metric, entity, period, channel, value, unit FROM fact_metric").fetchall()
    words = {
        (name, term.code): term.aliases[0]
        for name in ("metrics", "entities", "periods", "channels")
        for term in plan.vocabularies[name].terms
    }
    for metric, entity, period, channel, value, unit in rows:
        named = zip(("metrics", "entities", "periods", "channels"), (metric, entity, period, channel), strict=True)
        reply = ask("，".join(words[one] for one in named))
        assert f"{value} {unit}" in reply["text"]
        assert reply["outcome"] == "answer"


def test_an_option_is_one_step_to_a_narrower_answer(ask):
    reply = ask("营收是多少")
    assert [one["slot"] for one in reply["assumptions"]] == ["entity", "period"]
    for one in reply["assumptions"]:
        for option in one["options"]:
            assert option in reply["options"]
            assert ask(option)["data"]["facts"][0]["arguments"][one["slot"]] != one["value"]


def test_making_the_store_again_adds_nothing(store):
    def rows():
        with sqlite3.connect(store) as database:
            return database.execute("SELECT * FROM fact_metric ORDER BY rowid").fetchall()

    before = rows()
    make(store.parent)
    assert rows() == before


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("2025年营业收入为何增长", "annual-report-2025.zh.md"),
        ("Why did revenue in Hong Kong fall?", "annual-report-2025.en.md"),
        ("股息政策怎么样", "dividend-policy.md"),
        ("What is the dividend policy?", "dividend-policy.md"),
    ],
)
def test_the_reports_are_found(plan, tmp_path, question, document):
    async def found():
        served = Activities(Settings(bundles=(BUNDLE,), index=str(tmp_path / "index"), env={}, secrets={}))
        retrieve = next(one for one in served.callables if one.__name__ == "retrieve")
        retriever = plan.retrievers["reports"].model_dump()
        try:
            request = RetrieveRequest(retriever, question, 3, "r1", "s1", 20_000)
            return await ActivityEnvironment().run(retrieve, request)
        finally:
            await served.aclose()

    passages = asyncio.run(found()).passages
    assert passages[0]["source"]["document"] == document
