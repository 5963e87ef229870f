"""The colours of a program in a notebook."""

import re

from laser.syntax.highlight import write_html

WORD = "#b8579a"


def words(text: str) -> list[str]:
    return re.findall(rf'<span style="color: {WORD}">(.*?)</span>', write_html(text))


def test_words_of_windows_are_keywords_only_between_brackets() -> None:
    assert words("#show each/1. each(X) :- not this(X) in [3 every 5], ago(X) [each 5].") == [
        "#show", "not", "in", "every", "each",
    ]  # fmt: skip


def test_words_of_counts_are_keywords_only_in_counts() -> None:
    assert words("times(X) :- least(X), a(X) at least 3 times in [5], b(X) at most.") == [
        "at", "least", "times", "in", "at",
    ]  # fmt: skip
