"""Splits text into tokens with their places, and collects the comments and the characters that begin no token."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from lark import Token

from laser.errors import Diagnostic, Span
from laser.syntax.characters import foreign_word, open_comment, open_string, wrong_symbol
from laser.values import TYPES, string
from laser.values.fold import Fold
from laser.values.iri import SCHEME

__all__ = ["COUNT_WORDS", "Comment", "DIRECTIVES", "Lexed", "LOCAL_NAME", "WINDOW_WORDS", "WORDS", "lex", "span_of"]

LOCAL_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
"""What may follow the colon of a prefixed name. A hyphen is part of the name, because an IRI has no difference."""

DIRECTIVES = {
    "#const": "CONST",
    "#include": "INCLUDE",
    "#input": "INPUT",
    "#prefix": "PREFIX",
    "#record": "RECORD",
    "#show": "SHOW",
    "#warmup": "WARMUP",
    "#zone": "ZONE",
}

# Each value type has a regex group, in order of registration; the terminal of the grammar has another name.
_LITERALS = {f"TYPE_{i}": each for i, each in enumerate(TYPES)}
_TERMINALS = {group: each.terminal for group, each in _LITERALS.items()}
_VALUES = "|".join(f"(?P<{group}>(?-x:{each.in_program}))" for group, each in _LITERALS.items())

_PATTERN = re.compile(
    rf"""
      (?P<SPACE> \s+ )
    | (?P<COMMENT> %\*.*?\*% | /\*.*?\*/ )
    | (?P<OPEN_COMMENT> %\* | /\* )
    | (?P<LINE_COMMENT> (?:%|//)[^\n\r]* )
    | {_VALUES}
    | (?P<PREFIXED> (?:[A-Za-z][A-Za-z0-9_]*)?:{LOCAL_NAME} )
    | (?P<NAMESPACE> (?:[A-Za-z][A-Za-z0-9_]*)?:(?![-=]) )
    | (?P<NAME> {string.NAME}(?!\w) )
    | (?P<VARIABLE> [A-Z_][A-Za-z0-9_]*(?!\w) )
    | (?P<FOREIGN> \w+ )
    | (?P<OPEN_STRING> "[^\n\r]* )
    | (?P<DIRECTIVE> (?<![⊞^\[])(?:{"|".join(re.escape(word) for word in DIRECTIVES)})(?![A-Za-z0-9_]) )
    | (?P<MISTAKE> =<(?!{SCHEME}) | <{SCHEME}[^\s<>]*> | => | := | && | \|\| | -> | '[^'\n\r]*' | [“„][^“”\n\r]*[“”] | \.[0-9]+ )
    | (?P<SYMBOL> :- | <- | \.\. | != | <> | <= | >= | == | [←.,()\[\]@\#^+\-*/=<>≤≥≠⊞◇◊⋄□◻¬] )
    | (?P<OTHER> . )
    """,
    re.VERBOSE | re.DOTALL,
)

_JOINTS = frozenset({"in", "at", "always"})
"""Connecting words. Their terminals begin with an underscore, so the builder does not get them."""
WORDS = {word: f"_{word.upper()}" if word in _JOINTS else word.upper() for word in string.WORDS}
"""The words of the language, each with its terminal in the grammar."""
WINDOW_WORDS = {
    **WORDS,
    "every": "_EVERY",
    "each": "_EACH",
    "this": "_THIS",
    "ago": "_AGO",
    "last": "_LAST",
    "per": "_PER",
}
"""The same, and the words that have a meaning only between ``[`` and ``]``: elsewhere they are ordinary names."""
COUNT_WORDS = {"least": "LEAST", "most": "MOST", "times": "_TIMES"}
"""The words of ``at least 3 times``, which are ordinary names elsewhere."""
_COUNTS = frozenset({"NUMBER", "NAME", "VARIABLE"})
_IN_WINDOW = frozenset({"_HASH", "_RANGE", "MINUS", "_CARET"})

_SYMBOLS = {
    ":-": "_ARROW", "<-": "_ARROW", "←": "_ARROW", "..": "_RANGE", ".": "DOT", ",": "_COMMA", "(": "LPAR", ")": "RPAR",
    "[": "LBRACKET", "]": "RBRACKET", "@": "ATSIGN", "#": "_HASH", "^": "_CARET", "+": "PLUS", "-": "MINUS", "*": "STAR",
    "/": "SLASH", "=": "_EQ", "==": "_EQ", "!=": "COMPARE", "<>": "COMPARE", "≠": "COMPARE", "<": "COMPARE",
    "<=": "COMPARE", "≤": "COMPARE", ">": "COMPARE", ">=": "COMPARE", "≥": "COMPARE", "⊞": "BOX", "◇": "DIAMOND",
    "◊": "DIAMOND", "⋄": "DIAMOND", "□": "SQUARE", "◻": "SQUARE", "¬": "NOT",
    **DIRECTIVES,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its markers; ``own_line`` if only space comes before it on its line."""

    text: str
    start: int
    end: int
    own_line: bool


@dataclass(slots=True)
class Lexed:
    """The tokens of a text; a token of type ERROR marks the place of a finding."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)


def span_of(first: Token, last: Token | None = None) -> Span:
    """The place from one token to another."""
    last = last or first
    return Span(first.line or 1, first.column or 1, last.end_line or 1, last.end_column or 1)


def lex(text: str) -> Lexed:
    """All tokens of a text."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = _line_starts(text)
        self.result = Lexed()
        self.in_window = False
        self.opened: list[int | None] = []
        """For each open bracket, the place of the name before it, until a colon shows that it names an aggregate."""
        self.after_at = False
        self.in_input = False
        self.in_body = False

    def run(self) -> Lexed:
        tokens = self.result.tokens
        starts, line = self.starts, 1
        origin, following = starts[0], starts[1]
        for match in _PATTERN.finditer(self.text, self.text.startswith("\ufeff")):
            kind = match.lastgroup
            if kind == "SPACE":
                continue
            start, end = match.span()
            while start >= following:
                line += 1
                origin, following = following, starts[line]
            word = match[0]
            if kind == "NAME":
                kind = self._word(word)
            elif kind in _TERMINALS:
                kind = _TERMINALS[kind]
                if kind == "DURATION" and self._is_two_words(end):
                    self._add_two_words(word, start, end)
                    continue
            elif kind in _SIGNS:
                kind = _SYMBOLS[word]
                self.in_body = kind == "_ARROW" or (self.in_body and kind != "DOT")
                self.in_input = kind == "INPUT" or (self.in_input and kind != "DOT")
                self.after_at = kind == "ATSIGN" or (self.after_at and kind in _IN_TIME)
                self.in_window = kind == "LBRACKET" or (self.in_window and kind in _IN_WINDOW)
                if kind in _CALLS:
                    self._call(kind)
            elif kind in _COLONS and self._colon(kind, word, start):
                continue
            elif kind not in _PLAIN:
                if self._special(kind or "OTHER", word, start, end):
                    continue
                break
            tokens.append(Token(kind, word, start, line, start - origin + 1, line, end - origin + 1, end))
        return self.result

    def _word(self, word: str) -> str:
        """A name or a word of the language; some words are reserved only where they cannot be names."""
        if self.in_window:
            return WINDOW_WORDS.get(word, "NAME")
        if word == "times" and self._ends_count():
            return COUNT_WORDS[word]
        if word == "or" and self._may_end_body():
            return "OR"
        return WORDS.get(word, "NAME")

    def _may_end_body(self) -> bool:
        """Whether a part of a body may have ended here. If so, ``or`` separates bodies; otherwise it is an ordinary name."""
        ends = self.in_body and not self.opened and self.result.tokens[-1].type in _ENDS
        return ends and not self._awaits_atom()

    def _awaits_atom(self) -> bool:
        """Whether a time or a number ended here and its atom comes next, as in ``@T or(X)`` or ``◇≥3 or(X)``."""
        depth, following = 0, ""
        for token in reversed(self.result.tokens):
            kind = token.type
            if depth == 0 and kind in _PARTS_BEGIN:
                return False
            if depth == 0 and following in _NAMES and (kind in _ENDS or kind == "NOT"):
                return False  # the atom has been read
            if depth == 0 and kind in ("ATSIGN", "DIAMOND"):
                return kind == "ATSIGN" or following == "COMPARE"
            depth += (kind in _CLOSE) - (kind in _OPEN)
            following = kind
        return False

    def _is_two_words(self, end: int) -> bool:
        """Whether a number and a unit are not a duration: in a window they are its size, and in ``@5 s``, s may be an atom."""
        before = [token.type for token in self.result.tokens[-3:]]
        before = before[:-1] if before[-1:] == ["MINUS"] else before
        counts = before[-1:] == ["_HASH"] or before[-2:] == ["DIAMOND", "COMPARE"]
        if self.in_window or counts or self.text.startswith("(", end):
            return True
        return self.after_at and _GOES_ON.match(self.text, end) is None

    def _add_two_words(self, word: str, start: int, end: int) -> None:
        number = _DIGITS.match(word)
        assert number is not None
        unit = word[number.end() :].lstrip()
        self._add("NUMBER", number[0], start, start + number.end())
        self._add(self._word(unit), unit, end - len(unit), end)

    def _ends_count(self) -> bool:
        """Whether ``at least n`` ends here. Only ``times`` after it makes it a count, not a time with the name ``least``."""
        tokens = self.result.tokens
        place = -3 if [token.type for token in tokens[-2:-1]] == ["MINUS"] else -2
        if len(tokens) <= -place or tokens[-1].type not in _COUNTS or tokens[place - 1].type != "_AT":
            return False
        bound = tokens[place]
        if bound not in ("least", "most"):
            return False
        tokens[place] = bound.update(type=COUNT_WORDS[bound])
        return True

    def _call(self, kind: str) -> None:
        """Keep track of open brackets and of the names before them."""
        if kind == "DOT":
            self.opened.clear()
        elif kind == "LPAR":
            tokens = self.result.tokens
            named = bool(tokens) and tokens[-1].type in _NAMES_OF_FOLDS
            self.opened.append(len(tokens) - 1 if named else None)
        elif self.opened:
            self.opened.pop()

    def _colon(self, kind: str, word: str, start: int) -> bool:
        """Whether a colon is not part of a prefixed name; if so, its tokens are added."""
        if self.in_input:
            self._add_field(word, start)
            return True
        if self._divides(word):
            self._divide(kind, word, start)
            return True
        return False

    def _divides(self, word: str) -> bool:
        """Whether a colon separates the tuple of an aggregate from its body, and is not part of a prefixed name.

        After the name of an aggregate, the colon needs no spaces around it.
        """
        if not self.opened or self.opened[-1] is None:
            return False
        prefix = word.partition(":")[0]
        if not prefix or self.result.tokens[self.opened[-1]] not in _FOLDS:
            return word == ":"
        declared = re.search(rf"#prefix\s+{prefix}:", self.text)
        return prefix[0].isupper() and declared is None

    def _divide(self, kind: str, word: str, start: int) -> None:
        """``C:car`` is a variable, a colon and a name."""
        place = self.opened[-1]
        assert place is not None
        tokens, self.opened[-1] = self.result.tokens, None
        tokens[place] = tokens[place].update(type="FOLD")
        before, _, after = word.partition(":")
        colon = start + len(before)
        if before:
            self._add("VARIABLE", before, start, colon)
        self._add("_COLON", ":", colon, colon + 1)
        if after:
            self._add("NAME" if after[0].islower() else "VARIABLE", after, colon + 1, colon + 1 + len(after))

    def _add_field(self, word: str, start: int) -> None:
        """``bpm:number`` in an ``#input`` is a name, a colon and a type."""
        name, _, kind = word.partition(":")
        colon = start + len(name)
        if not name and self.result.tokens[-1].type in ("NAME", "VARIABLE"):  # a space before the colon
            before = self.result.tokens.pop()
            name, start = str(before), before.start_pos or 0
        self._add("NAMESPACE", f"{name}:", start, colon + 1)
        if kind:
            self._add("NAME", kind, colon + 1, colon + 1 + len(kind))

    def _brace(self, word: str, start: int, end: int) -> bool:
        """The symbols of ``#quantile{0.9; V : …}``, which have a meaning only there."""
        tokens, opened = self.result.tokens, self.opened
        if word == "{" and [t.type for t in tokens[-2:-1]] == ["_HASH"] and tokens[-1].type in _NAMES_OF_FOLDS:
            opened.append(len(tokens) - 1)
        elif word == "}" and opened:
            opened.pop()
        elif word != ";" or not opened or opened[-1] is None or tokens[opened[-1]] not in _FOLDS:
            return False
        self._add(_BRACES[word], word, start, end)
        return True

    def _special(self, kind: str, word: str, start: int, end: int) -> bool:
        """Comments, braces and mistakes; False if the lexer cannot continue."""
        if word in _BRACES and self._brace(word, start, end):
            return True
        if kind in ("COMMENT", "LINE_COMMENT"):
            self.result.comments.append(Comment(word, start, end, self._opens_line(start)))
            return True
        if kind == "OPEN_COMMENT":
            self._refuse(open_comment(word, self._span(start, end)), start, end)
            return False
        if kind == "OPEN_STRING":
            self._refuse(open_string(self._span(start, end)), start, end)
            # The unclosed string has swallowed the final dot of the line: without it the next statement would be lost too.
            if word.rstrip().endswith("."):
                self._add("DOT", ".", end, end)
            return True
        make = foreign_word if kind == "FOREIGN" else wrong_symbol
        self._refuse(make(word, self._span(start, end)), start, end)
        return True

    def _refuse(self, finding: Diagnostic, start: int, end: int) -> None:
        last = self.result.tokens[-1] if self.result.tokens else None
        if (
            last is None or last.type != "ERROR" or last.end_pos != start
        ):  # one finding for several such characters in a row
            self.result.findings.append(finding)
        self._add("ERROR", self.text[start:end], start, end)

    def _add(self, kind: str, word: str, start: int, end: int) -> None:
        span = self._span(start, end)
        self.result.tokens.append(Token(kind, word, start, span.line, span.column, span.end_line, span.end_column, end))

    def _opens_line(self, start: int) -> bool:
        tokens, comments = self.result.tokens[-1:], self.result.comments[-1:]
        before = max([0, *(t.end_pos or 0 for t in tokens), *(c.end for c in comments)])
        return before <= self.starts[bisect_right(self.starts, start) - 1]

    def _span(self, start: int, end: int) -> Span:
        line, column = self._place(start)
        return Span(line, column, *self._place(end))

    def _place(self, position: int) -> tuple[int, int]:
        line = min(bisect_right(self.starts, position), len(self.starts) - 1)
        return line, position - self.starts[line - 1] + 1


_DIGITS = re.compile(r"[0-9.]+")
_IN_TIME = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "LPAR", "RPAR"})
"""Symbols after ``@`` that belong to the time: the atom has not been read yet."""
_GOES_ON = re.compile(rf"(?:\s|%\*.*?\*%|/\*.*?\*/|(?:%|//)[^\n\r]*+)*+(?:[-+*)¬<]|/(?![/*])|{string.NAME})", re.DOTALL)
"""What may follow a term after ``@``: more of the term, or the atom."""
_ENDS = frozenset(
    {"NAME", "VARIABLE", "NUMBER", "DURATION", "LITERAL", "IRI", "PREFIXED", "RPAR", "RBRACKET", "RBRACE"}
)
"""The tokens that can end a part of a body."""
_PARTS_BEGIN = frozenset({"_ARROW", "_COMMA", "OR"})
_NAMES = frozenset({"NAME", "IRI", "PREFIXED"})
_OPEN, _CLOSE = frozenset({"LPAR", "LBRACKET", "LBRACE"}), frozenset({"RPAR", "RBRACKET", "RBRACE"})
_SIGNS = frozenset({"SYMBOL", "DIRECTIVE"})
_CALLS = frozenset({"LPAR", "RPAR", "DOT"})
_COLONS = frozenset({"PREFIXED", "NAMESPACE"})
_BRACES = {"{": "LBRACE", "}": "RBRACE", ";": "_SEMICOLON"}
_FOLDS = frozenset(fold.value for fold in Fold)
_NAMES_OF_FOLDS = frozenset({"NAME", "MIN", "MAX"})
_PLAIN = frozenset({"PREFIXED", "NAMESPACE", "VARIABLE"})


def _line_starts(text: str) -> list[int]:
    """The start of each line, then a place beyond all tokens; lines are split as in reports."""
    starts, position = [0], 0
    for row in text.splitlines(keepends=True):
        position += len(row)
        starts.append(position)
    starts[-1:] = [len(text) + 1] if len(starts) > 1 else [0, len(text) + 1]
    return starts
