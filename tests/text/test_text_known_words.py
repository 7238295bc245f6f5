"""Words that are known are found again, wherever they may be told from others."""

import pytest

from interlock.text.known_words import KnownWords


def found(text, *words):
    known = KnownWords()
    for word in words:  # one after another: lists are merged meanwhile
        known.add([word])
    return [text[start:end] for start, end in known.spans(text)]


@pytest.mark.parametrize(
    ("text", "words", "wanted"),
    [
        ("pin 1234, PIN 1234", ("1234",), ["1234", "1234"]),
        ("51234 1234x x1234 1234", ("1234",), ["1234"]),
        ("我的密码是1234。", ("1234",), ["1234"]),
        ("xTOKEN-51x", ("token-51",), ["TOKEN-51"]),
        ("我叫张三丰", ("张三",), ["张三"]),
        ("-12- 12", ("-12-",), ["-12-"]),
        ("a b c", ("a", " ", ""), []),
        ("abcdefghij", ("abcdef", "defghij"), ["abcdefghij"]),
        ("İİ Ann-Lee ẞ", ("ann-lee",), ["Ann-Lee"]),
        ("half \ud83d of tok-51", ("tok-51", "\ud83d"), ["tok-51"]),
        ("nothing", (), []),
    ],
)
def test_words_are_found_whole_in_any_case(text, words, wanted):
    assert found(text, *words) == wanted


def test_thousands_are_all_found():
    words = [f"word-{number:05}" for number in range(3_000)]
    known = KnownWords()
    for word in words:
        known.add([word, word])
    assert len(known.spans(" ".join(words))) == 3_000
    assert "WORD-00007" in known
    assert "word" not in known
