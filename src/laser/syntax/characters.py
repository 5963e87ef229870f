"""Messages about characters that are not part of the language, and about strings and comments that are not closed."""

from __future__ import annotations

import re

from laser.errors import Diagnostic, Span
from laser.values.iri import OUTSIDE

__all__ = ["foreign_word", "open_comment", "open_string", "wrong_symbol"]

_OUTSIDE = re.compile(f"[{OUTSIDE}]")
_COMMA = "conditions are separated by commas: write `,`"
_OR = "for alternatives, write `or` between whole bodies, or a second rule with the same head"
_NOT = "negation is written `not` or `¬`"
_RULE = "a rule is written `head :- body.`"
_HINTS = {
    "=<": "write `<=`", "=>": "write `>=`", ":=": "write `:-` for a rule, `=` for a value", "->": _RULE, "→": _RULE,
    "⇐": _RULE, "⇒": _RULE, "&&": _COMMA, "&": _COMMA, "∧": _COMMA, ";": f"{_COMMA}; {_OR}", "|": _OR, "||": _OR, "∨": _OR,
    "!": _NOT, "~": _NOT, "−": "write `-`", "–": "write `-`", "—": "write `-`", "×": "write `*`", "·": "write `*`",
    "÷": "write `/`", "，": "write `,`", "。": "write `.`", "{": "write `(`", "}": "write `)`", "'": "strings are written in \"…\"",
    "‘": "strings are written in \"…\"", "’": "strings are written in \"…\"", "“": "strings are written in \"…\"",
    "”": "strings are written in \"…\"",
    "$": "variables begin with an upper-case letter", "?": "variables begin with an upper-case letter",
}  # fmt: skip
"""Symbols that people know from other languages and keyboards, and what to write instead."""


def open_comment(word: str, span: Span) -> Diagnostic:
    end = "*%" if word == "%*" else "*/"
    return Diagnostic(
        "unclosed-comment",
        f"the comment that begins here with '{word}' is not closed",
        span,
        f"a comment that begins with '{word}' ends at the next '{end}', on any later line",
        f"close it with '{end}', or begin a one-line comment with '%'",
    )


def open_string(span: Span) -> Diagnostic:
    return Diagnostic(
        "unclosed-string",
        "the string that begins here is not closed",
        span,
        "a string must end on the line where it begins",
        "close it with '\"'; inside a string, a quotation mark is written \\\" and a new line \\n",
    )


def foreign_word(word: str, span: Span) -> Diagnostic:
    """The finding about a word with letters or digits beyond a-z, A-Z and 0-9."""
    note = "names and variables may contain only the letters a-z and A-Z, digits and _"
    hint = "if it is a value, put it in quotes; if it is a name, spell it with these letters"
    return Diagnostic(
        "unknown-symbol", f"'{_visible(word)}' has letters that are not allowed in names", span, note, hint
    )


def wrong_symbol(word: str, span: Span) -> Diagnostic:
    """The finding about a symbol that the language does not have."""
    if len(word) > 1 and word[0] in "'“„":
        note = "strings are written in double quotes"
        return Diagnostic("quotes", f"{word} is not a string", span, note, f'write "{word[1:-1]}"')
    if word[0] == "<" and word[-1] == ">" and len(word) > 2:
        return _bad_iri(word, span)
    if word[0] == ".":
        return Diagnostic("unknown-symbol", f"'{word}' is not a number", span, None, f"write `0{word}`")
    name = f"'{word}'" if word.isascii() and word.isprintable() else f"'{_visible(word)}' (U+{ord(word[0]):04X})"
    return Diagnostic("unknown-symbol", f"{name} is not a symbol of the language", span, None, _HINTS.get(word))


def _bad_iri(word: str, span: Span) -> Diagnostic:
    """The finding about an IRI with a character that is not allowed in IRIs, at that character."""
    found = _OUTSIDE.search(word, 1, len(word) - 1)
    at = found.start() if found else 0
    place = Span(span.line, span.column + at, span.line, span.column + at + 1)
    hint = f"percent-encode it, as in `%{ord(word[at]):02X}`" if ord(word[at]) < 0x80 else None
    note = "an IRI cannot contain spaces, brackets, quotation marks or control characters"
    return Diagnostic("unknown-symbol", f"'{_visible(word[at])}' is not allowed in an IRI", place, note, hint)


def _visible(word: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in word)
