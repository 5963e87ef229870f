"""Says in words what is expected at a place."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.syntax.mistakes.case import Case

__all__ = ["anything_else", "unfinished"]

_TERM = {
    "VARIABLE",
    "NUMBER",
    "DURATION",
    "LITERAL",
    "NAME",
    "CNAME",
    "IRI",
    "MINUS",
    "LPAR",
    "ABS",
    "MIN",
    "MAX",
    "FOLD",
    "_HASH",
}
_GROUPS = (
    ({"VARIABLE", "NUMBER", "LITERAL", "NAME"}, _TERM, "a term"),
    ({"NAME", "IRI"}, {"NAME", "CNAME", "IRI"}, "a name"),
    ({"_EQ", "COMPARE"}, {"_EQ", "COMPARE"}, "a comparison"),
    ({"PLUS", "STAR"}, {"PLUS", "MINUS", "STAR", "SLASH", "DIV", "MOD"}, "an operator"),
    ({"_IN", "LBRACKET"}, {"_IN", "LBRACKET", "_ALWAYS"}, "a window"),
    ({"CONST", "SHOW", "PREFIX"}, {"CONST", "SHOW", "PREFIX", "INPUT"}, "a directive"),
)
_SINGLE = {
    "DOT": "'.'", "_COMMA": "','", "LPAR": "'('", "RPAR": "')'", "RBRACKET": "']'", "LBRACKET": "'['", "_ARROW": "':-'",
    "_AT": "'at'", "ATSIGN": "'@'", "NOT": "'not'", "BOX": "'⊞'", "DIAMOND": "'◇'", "SQUARE": "'□'", "_EQ": "'='",
    "NUMBER": "a number", "VARIABLE": "a variable", "_HASH": "'#'", "_RANGE": "'..'", "SLASH": "'/'", "CNAME": "a name",
    "_COLON": "':'", "OR": "'or'", "_SEMICOLON": "';'", "RBRACE": "'}'", "NAMESPACE": "a prefix with its colon", "IRI": "an IRI", "LITERAL": "a string",
}  # fmt: skip


def unfinished(case: Case) -> Diagnostic | None:
    if case.at < len(case.tokens):
        return None
    note = f"expected after `{case.word(-1)}`: {_words(case.accepted)}"
    return case.found("syntax", "the text ends in the middle of a statement", note)


def anything_else(case: Case) -> Diagnostic:
    note = f"expected here: {_words(case.accepted)}"
    if case.kind() in ("DOT", "_COMMA", "RPAR", "RBRACKET", "_ARROW"):
        return case.found("syntax", f"something is missing before '{case.word()}'", note)
    return case.found("syntax", f"'{case.word()}' is not expected here", note)


def _words(accepted: set[str]) -> str:
    """The types of tokens in words; common sets of types get one word."""
    left, parts = set(accepted), []
    for needed, covered, words in _GROUPS:
        if needed <= left:
            parts.append(words)
            left -= covered
    parts += sorted({_SINGLE[kind] for kind in left if kind in _SINGLE})
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts) or "something else"
