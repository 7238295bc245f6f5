"""What the demo says, to whom, and what the reader should see in it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One message of the demo: `look` says what it shows; `session` tells conversations apart."""

    look: str
    text: str
    session: str = "lin"
    type: str = "user_chat"
    role: str = "user"


VIP = "vip"

LINES = (
    Line("An intent without a number asks for the number; nothing is called.", "请帮我查一下进度"),
    Line("The bare number answers the question and the call goes out. Its only source is these words.", "ABCU1234567"),
    Line("A mixed id beside Chinese text is found by rules, without a model.", "555E898665 帮查一下", session="mei"),
    Line("A short follow-up may use the one number that this customer gave before.", "那个呢", session="mei"),
    Line("Small talk never picks up an old number.", "你好，谢谢", session="mei"),
    Line("Two numbers are a question, not a choice.", "ABCU1234567 or FBA15D9XK2QT, where are they?", session="tom"),
    Line("The answer to that question goes on where the flow waited.", "FBA15D9XK2QT", session="tom"),
    Line(
        "A competitor hidden by white space is screened out before anything else.", "飞 协 博 的价格？", session="tom"
    ),
    Line("A form is answered by its type.", "name=Tom", session="tom", type="form"),
    Line("A quick match without a number gives its usage, never chat.", "#get_tracking", session="tom"),
    Line(
        "The longest prefix wins; this one answers with a text.", "#get_tracking9 ＡＢＣＵ１２３４５６７", session="tom"
    ),
    Line("A bare number counts only after the wish to track.", "Track Shipment", session="ann"),
    Line("Now it does.", "4012345678", session="ann"),
    Line("A number nobody knows is an error of the tool, and says so.", "S55ES9999999 帮查一下", session="ann"),
    Line(
        "A complaint asks for what is missing; the day to call back is assumed, and said.",
        "我要投诉 PO-00731945",
        session="bo",
    ),
    Line("The answer is a controlled code; a colleague takes over.", "货物坏了", session="bo"),
    Line("Now a person is there: the engine says nothing.", "有人吗？", session="bo"),
    Line("What the colleague writes is passed on to the letter.", "您好，我是客服小陈。", session="bo", role="agent"),
    Line(
        "A decision table sends a key account that customs holds to its manager.",
        "where is my shipment PO-00731945",
        session=VIP,
    ),
)

MODEL = (
    Line(
        "What no rule answers is for a model: it writes from the handbook, and the source is named.",
        "锂电池能不能空运？",
        session="rui",
    ),
    Line(
        "This time it writes 5000 where the handbook says 6000. The figure has no source: nothing of it is said.",
        "How is the chargeable weight calculated?",
        session="kate",
    ),
    Line(
        "It chooses among the tools that are mounted here, and gives a text; the result bears the reply.",
        "Is there a strike in Hamburg?",
        session="kate",
    ),
    Line(
        "Nothing is known of this port, and the model claims that all is well: that is not said.",
        "Is the port of Atlantis open?",
        session="kate",
    ),
    Line(
        "A tool that is not mounted cannot be chosen: the model picks one, and nothing is called.",
        "Please release my goods from the terminal",
        session="kate",
    ),
    Line(
        "A number in the message decides which call goes out; another model writes what happened.",
        "PO-00731945 为什么还没到？",
        session="rui",
    ),
    Line(
        "The number was said before, and the model names it: traced to the customer's own words, it may be used.",
        "那个怎么这么慢？",
        session="rui",
    ),
    Line(
        "Here it names PO-00731954, which nobody has said: the number is dropped, and asked for.",
        "又卡在哪里了？",
        session="rui",
    ),
)

KILL = Line(
    "The tracking server takes three seconds for this one. The worker is killed while it waits, and both start anew.",
    "ABCU7654321 到哪里了，帮查一下",
    session="kim",
)
