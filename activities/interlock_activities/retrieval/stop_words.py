"""Words that say how something is asked and not what: left out of queries, since nearly every passage holds them."""

_ENGLISH = """
    a about am an and any are as at be been being but by can could d did do does doing for from get give had has have
    having he hello her hers hi him his how i if in into is it its just ll let m may me might must my need no not of
    on or our ours out please re s shall she should so some t tell than thank thanks that the their theirs them then
    there these they this those to too us ve very want was we were what when where whether which who whom whose why
    will with would you your yours
    """
ENGLISH = frozenset(_ENGLISH.split())

NEVER_CONTENT = frozenset("吗呢么嘛吧啊呀哦喔哇呗咋啥怎哪谁们")
"""Characters of particles and question words: no pair that holds one is a word of the subject."""

WEAK = frozenset(
    "的了着过是在有和与或及并也都就还又很太更最不没无这那此其之于以为对把被给让向从到由我你您他她它咱"
    "请问想要能会可应该需个些几多少什何如样时候下吧得地去来做说看"
)
"""Characters that mean something only beside another: no pair of two of them, and none alone, is looked for."""

_PAIRS = """
    如果 因为 所以 但是 而且 或者 以及 关于 根据 按照 对于 是否 能否 可否 是不 不是 有没 没有 怎样 如何 多少 什么
    告诉 知道 一下 一个 一些 谢谢 麻烦 帮忙 帮我 需要 应该 可以 能够 现在 目前 已经 还是 就是 这个 那个 这些 那些
    """
PAIRS = frozenset(_PAIRS.split())
"""Pairs that ask or join, though each of their characters may be part of a word of the subject."""
