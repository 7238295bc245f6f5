"""What people read: the author's texts in the reader's language, and the few that the engine says itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from interlock.expressions.outcomes import Missing
from interlock.plan.base import Text
from interlock.text.languages import language_of, named_language

if TYPE_CHECKING:
    from interlock.interpreter.program import Program
    from interlock.interpreter.turn import Turn

ENGINE_TEXTS: dict[str, dict[str, str]] = {
    "ask": {"zh": "请提供{title}。", "en": "Please give: {title}."},
    "clarify": {
        "zh": "您提到了多个{title}（{candidates}），是哪一个？",
        "en": "Several were found for {title}: {candidates}. Which one?",
    },
    "contended": {"zh": "{candidates}可能是：{titles}。", "en": "{candidates} may stand for: {titles}."},
    "narrow": {"zh": "一次要查的太多，请缩小范围。", "en": "That is too much at once. Please narrow it down."},
    "missing": {"zh": "缺少{title}，无法继续。", "en": "Without {title} I cannot go on."},
    "usage": {
        "zh": "“{prefix}”之后需要且仅需要一个{title}。",
        "en": "'{prefix}' must be followed by exactly one {title}.",
    },
    "command": {"zh": "“{prefix}”之后不能有其他内容。", "en": "'{prefix}' must stand alone."},
    "unrecognized": {"zh": "无法识别{title}：{raw}", "en": "I do not know this {title}: {raw}"},
    "no_fact": {"zh": "{subject}：暂时无法查询。", "en": "{subject}: this cannot be looked up just now."},
    "assumed": {"zh": "默认{items}。", "en": "Assumed: {items}."},
    "requires": {"zh": "目前不满足办理条件。", "en": "The conditions for this are not met."},
    "no_result": {
        "zh": "抱歉，暂时无法取得结果，请稍后再试。",
        "en": "Sorry, there is no result just now. Please try again later.",
    },
    "no_model": {"zh": "抱歉，助手暂时不可用，请稍后再试。", "en": "Sorry, the assistant is not available just now."},
    "say_more": {"zh": "请再具体说明您的问题。", "en": "Please say in more detail what you would like to know."},
    "not_known": {
        "zh": "抱歉，我手头没有可靠的依据来回答。",
        "en": "Sorry, I have nothing reliable to answer that from.",
    },
    "cut": {"zh": "（回答过长，以上并不完整。）", "en": "(That is not all: there was no room for more.)"},
    "sources": {"zh": "来源：", "en": "Sources:"},
    "running": {"zh": "已开始办理，完成后告知您。", "en": "That has been started; you will hear when it is done."},
    "failed": {"zh": "抱歉，这条消息暂时无法处理。", "en": "Sorry, this message cannot be handled just now."},
    "closed": {"zh": "本次会话已结束。", "en": "This conversation is closed."},
}
"""By name and language; no digits, so that none can pass for a figure."""

SEPARATOR = {"zh": "、"}


def chosen_language(languages: Sequence[str], locale: str | None, text: str) -> str:
    """The language to answer in: the user's locale, else the script of the message, else the first."""
    if len(languages) == 1:
        return languages[0]
    return named_language(languages, locale) or language_of(text, languages)


def engine_text(program: "Program", language: str, name: str, **values: str) -> str:
    """One of the engine's own texts; in a language it does not have, that of the spec's first language, or English."""
    texts = ENGINE_TEXTS[name]
    for one in (language, program.plan.languages[0], "en"):
        text = texts.get(one.partition("-")[0])
        if text is not None:
            return text.format_map(values)
    raise KeyError(name)


def said(turn: "Turn", text: Text, context: Mapping[str, Any] | None = None) -> str:
    """An author's text in the language of the turn. Raises `Missing` when a value it names is not there."""
    return str(turn.program.text(text, turn.language)(turn.context if context is None else context))


def said_or(turn: "Turn", text: Text | None, at: str, fallback: str, context: Mapping[str, Any] | None = None) -> str:
    """An author's text, or `fallback` where there is none or it cannot be rendered; the record then says so."""
    if text is None:
        return fallback
    try:
        return said(turn, text, context)
    except Missing as missing:
        turn.failed(at, "text-incomplete", str(missing))
        return fallback


def options_said(turn: "Turn", options: Sequence[Text], at: str) -> list[str]:
    """The options that can be rendered."""
    texts = (said_or(turn, option, at, "") for option in options)
    return [text for text in texts if text]


def slot_title(turn: "Turn", name: str) -> str:
    """What a slot is called by people."""
    slot = turn.program.plan.slots[name]
    return said_or(turn, slot.title, slot.at, name.replace("_", " "))


def shower(program: "Program", language: str) -> Callable[[Any, str], str]:
    """The filter `show`: a value as people read it; `path` is where the template took it from."""

    def show(value: Any, path: str = "") -> str:
        if isinstance(value, list):
            return SEPARATOR.get(language, ", ").join(show(item, path) for item in value)
        if value is None:
            return ""
        root, _, rest = path.partition(".")
        slot = program.plan.slots.get(rest.partition(".")[0]) if root == "slots" else None
        if slot is not None and slot.vocabulary and isinstance(value, str):
            return program.term_title(slot.vocabulary, value, language)
        return _plain(value)

    return show


def _plain(value: Any) -> str:
    if isinstance(value, dict) and value.keys() == {"value", "currency"}:
        return f"{value['value']} {value['currency']}".strip()
    return str(value)
