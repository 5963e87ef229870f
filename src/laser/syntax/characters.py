"""What is said about characters that are no part of the language, and about strings and comments without an end."""

from __future__ import annotations

import re

from laser.errors import Diagnostic, Span
from laser.values.iri import OUTSIDE

__all__ = ["foreign_word", "open_comment", "open_string", "wrong_symbol"]

_OUTSIDE = re.compile(f"[{OUTSIDE}]")
_COMMA = "conditions are divided by commas: write `,`"
_OR = "there is no `or`: write a second rule with the same head"
_NOT = "negation is written `not` or `¬`"
_RULE = "a rule is written `head :- body.`"
_HINTS = {
    "=<": "write `<=`", "=>": "write `>=`", ":=": "write `:-` for a rule, `=` for a value", "->": _RULE, "→": _RULE,
    "⇐": _RULE, "⇒": _RULE, "&&": _COMMA, "&": _COMMA, "∧": _COMMA, ";": f"{_COMMA}; {_OR}", "|": _OR, "||": _OR, "∨": _OR,
    "!": _NOT, "~": _NOT, "−": "write `-`", "–": "write `-`", "—": "write `-`", "×": "write `*`", "·": "write `*`",
    "÷": "write `/`", "，": "write `,`", "。": "write `.`", "{": "write `(`", "}": "write `)`", "'": "strings stand in \"…\"",
    "‘": "strings stand in \"…\"", "’": "strings stand in \"…\"", "“": "strings stand in \"…\"",
    "”": "strings stand in \"…\"",
    "$": "variables begin with an upper-case letter", "?": "variables begin with an upper-case letter",
}  # fmt: skip
"""What people write from other languages and keyboards, and what it is called here."""


def open_comment(word: str, span: Span) -> Diagnostic:
    end = "*%" if word == "%*" else "*/"
    return Diagnostic(
        "unclosed-comment",
        f"the comment that begins here with '{word}' has no end",
        span,
        f"a comment from '{word}' goes to the next '{end}', over any number of lines",
        f"close it with '{end}', or begin a comment of one line with '%'",
    )


def open_string(span: Span) -> Diagnostic:
    return Diagnostic(
        "unclosed-string",
        "the string that begins here has no end",
        span,
        "a string ends on the line on which it begins",
        "close it with '\"'; within it a quotation mark is \\\" and a new line is \\n",
    )


def foreign_word(word: str, span: Span) -> Diagnostic:
    """The finding about a word with letters or digits beyond a-z, A-Z and 0-9."""
    note = "names and variables are made of the letters a-z and A-Z, digits and _"
    hint = "as a value, put it in quotation marks; as a name, spell it with these letters"
    return Diagnostic("unknown-symbol", f"'{_visible(word)}' has letters that no name has", span, note, hint)


def wrong_symbol(word: str, span: Span) -> Diagnostic:
    """The finding about a sign that the language does not have."""
    if len(word) > 1 and word[0] in "'“„":
        note = "strings stand in double quotation marks"
        return Diagnostic("quotes", f"{word} is no string", span, note, f'write "{word[1:-1]}"')
    if word[0] == "<" and word[-1] == ">" and len(word) > 2:
        return _bad_iri(word, span)
    if word[0] == ".":
        return Diagnostic("unknown-symbol", f"'{word}' is no number", span, None, f"write `0{word}`")
    name = f"'{word}'" if word.isascii() and word.isprintable() else f"'{_visible(word)}' (U+{ord(word[0]):04X})"
    return Diagnostic("unknown-symbol", f"{name} is no sign of the language", span, None, _HINTS.get(word))


def _bad_iri(word: str, span: Span) -> Diagnostic:
    """The finding about an IRI with a character that no IRI has, at that character."""
    found = _OUTSIDE.search(word, 1, len(word) - 1)
    at = found.start() if found else 0
    place = Span(span.line, span.column + at, span.line, span.column + at + 1)
    hint = f"write it in percent, as in `%{ord(word[at]):02X}`" if ord(word[at]) < 0x80 else None
    note = "an IRI has no blanks, no brackets, no quotation marks and no control characters"
    return Diagnostic("unknown-symbol", f"'{_visible(word[at])}' cannot stand in an IRI", place, note, hint)


def _visible(word: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in word)
