"""Documents made up by rule, in Chinese and in English, and questions whose one right passage is known."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from benchmarks.measuring import SEED


@dataclass(frozen=True)
class Kit:
    """What documents of one language are made of: names of two parts, subjects with a sentence, ways of asking."""

    language: str
    joint: str
    first: str
    second: str
    subjects: dict[str, str]
    asking: tuple[str, ...]
    opening: str


HAN = Kit(
    "zh",
    joint="",
    first=(
        "青松 红杉 白桦 银杏 翠竹 紫荆 金桂 丁香 海棠 木棉 玉兰 腊梅 石榴 芙蓉 蔷薇 茉莉 杜鹃 牡丹 山茶 水仙 凌霄 榕树 "
        "梧桐 雪松 胡杨 沉香 檀木 枫叶 垂柳 苍柏 云杉 乌桕 合欢 锦葵 木槿 栀子 连翘 忍冬 半夏 当归"
    ),
    second=(
        "仓库 车间 食堂 宿舍 机房 展厅 码头 堆场 实验室 办公楼 停车场 图书室 会议室 配送站 维修点 门店 工地 泵房 "
        "锅炉房 值班室 档案室 培训中心 客服中心 采购部 财务部"
    ),
    subjects={
        "盘点周期": "盘点每{}天进行一次，由主管签字确认。",
        "开放时间": "每天{}点开门，节假日照常。",
        "最高限额": "单次不得超过{}元，超出部分须经理审批。",
        "报修电话": "出现故障请拨打分机{}，一小时内有人处理。",
        "人员编制": "编制共{}人，缺员时由邻近单位支援。",
    },
    asking=("请问{}的{}是多少？", "我想了解一下{}{}", "{}的{}怎么规定的", "帮我查查{}现在的{}", "{}那边{}是什么情况呢"),
    opening="{}位于园区东侧，与{}相邻。日常事务按照统一制度办理，有疑问的同事可以先看本手册，再联系负责人。",
)
LATIN = Kit(
    "en",
    joint=" ",
    first=(
        "Amber Birch Cedar Dune Ember Flint Grove Heron Indigo Juniper Kestrel Lagoon Maple Nimbus Onyx Poplar Quartz "
        "Raven Sable Tundra Umber Violet Willow Xenon Yarrow Zephyr Aspen Basalt Cobalt Delta Echo Fjord Granite "
        "Harbor Iris Jasper Kelp Lotus Meadow Noble"
    ),
    second=(
        "warehouse workshop canteen dormitory laboratory showroom dock yard office garage library helpdesk depot kiosk "
        "clinic studio archive pantry lounge tower annex gallery hangar silo foundry"
    ),
    subjects={
        "stocktaking interval": "Stock is taken every {} days and signed by the supervisor.",
        "opening hours": "Doors open at {} and stay open on public holidays.",
        "spending limit": "A single purchase may not exceed {} dollars without approval.",
        "repair extension": "Report faults to extension {}; somebody comes within the hour.",
        "headcount": "The team has {} people; neighbours help out when it is short.",
    },
    asking=(
        "What is the {1} of the {0}?",
        "please tell me about {0} {1}",
        "{0}: {1}?",
        "how is the {1} set at {0}",
        "I need the {1} for {0}",
    ),
    opening=(
        "The {} lies on the east side of the site, next to the {}. Daily matters follow the common rules; read this "
        "handbook first, then ask whoever is in charge."
    ),
)


@dataclass(frozen=True)
class Question:
    """What is asked, and the file and the number that the right passage holds."""

    text: str
    document: str
    answer: str
    language: str


@dataclass(frozen=True)
class Corpus:
    """Markdown files by name, and questions about them."""

    files: dict[str, str]
    questions: list[Question]


def corpus(documents: int, questions: int) -> Corpus:
    """So many documents, half of them in each language, and so many questions."""
    drawn = random.Random(SEED)
    made = list(_documents(drawn, documents))
    asked = drawn.choices([question for _, _, some in made for question in some], k=questions)
    return Corpus({name: text for name, text, _ in made}, asked)


def _documents(drawn: random.Random, number: int) -> Iterator[tuple[str, str, list[Question]]]:
    for kit in (HAN, LATIN):
        places = [kit.joint.join(pair) for pair in product(kit.first.split(), kit.second.split())]
        for n in range(number // 2):
            place, times = places[n % len(places)], n // len(places)
            called = place if times == 0 else f"{place}{kit.joint}{times + 1}"
            name = f"{kit.language}/{n:05}.md"
            sections, questions = [], []
            for subject, sentence in kit.subjects.items():
                value = str(drawn.randint(100, 99_999))
                sections.append(f"## {subject}\n\n{sentence.format(value)}")
                text = drawn.choice(kit.asking).format(called, subject)
                questions.append(Question(text, name, value, kit.language))
            body = "\n\n".join([f"# {called}", kit.opening.format(called, drawn.choice(places)), *sections])
            yield name, f"{body}\n", questions
