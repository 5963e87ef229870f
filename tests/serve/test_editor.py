"""The editor of the page colours the words that the language has. (What it looks like, test_page.py sees in a browser.)"""

import re
from importlib.resources import files

from laser.syntax.lexer import COUNT_WORDS, DIRECTIVES, WINDOW_WORDS
from laser.values.fold import Fold
from laser.values.texts import TESTS

EDITOR = (files("laser") / "serve" / "page" / "editor.js").read_text("utf-8")


def listed(name: str) -> set[str]:
    """The words of a group of its regular expression."""
    (group,) = re.findall(rf"\(\?<{name}>(.*?)\)\|\(\?<[a-z]+>", EDITOR.split("const STREAM")[0])
    return {word for words in re.findall(r"\(\?:([a-z|]+)\)", group) for word in words.split("|")}


def test_the_editor_knows_every_word_of_the_language() -> None:
    assert listed("word") == {*WINDOW_WORDS, *COUNT_WORDS, *(fold.value for fold in Fold), *TESTS, "or"}
    assert listed("directive") == {word.removeprefix("#") for word in DIRECTIVES}
