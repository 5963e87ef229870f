"""Mistakes in heads, and in what joins heads and bodies."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.syntax.mistakes.case import COMPARISONS, Case

__all__ = ["HEAD_MISTAKES"]

_WINDOW_TYPES = ("_IN", "LBRACKET", "_ALWAYS", "BOX", "DIAMOND", "SQUARE")


def missing_head(case: Case) -> Diagnostic | None:
    if case.at or case.kind() != "_ARROW":
        return None
    note = "a rule derives its head; there are no rules that only forbid"
    return case.found("missing-head", "the rule has no head", note, "name what the body tells: `violated :- …`")


def negated_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.at or case.kind() not in ("NOT", "MINUS"):
        return None
    return case.found("negated-head", "a head cannot be negated", "a head says what holds; negation stands in bodies")


def window_in_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.open_brackets or case.kind() not in _WINDOW_TYPES:
        return None
    note = "a head is `a(…)`, for the present, or `@T a(…)`, for the time T; windows look back, in bodies"
    return case.found("window-in-head", "a head has no window", note)


def two_heads(case: Case) -> Diagnostic | None:
    if not case.in_head or case.kind() != "_COMMA" or "_ARROW" not in case.accepted:
        return None
    return case.found("two-heads", "a rule has one head", None, "write one rule for each, with the same body")


def compared_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.open_brackets or case.kind() not in COMPARISONS:
        return None
    return case.found("syntax", "a head is no comparison", "comparisons stand in bodies, after `:-`")


def if_for_arrow(case: Case) -> Diagnostic | None:
    if case.word() != "if" or "_ARROW" not in case.accepted:
        return None
    return case.found("syntax", "'if' is written `:-`", None, "write `head :- body.`")


def second_arrow(case: Case) -> Diagnostic | None:
    if case.kind() != "_ARROW" or "_ARROW" not in case.kinds_before:
        return None
    note = "a statement has one arrow and ends in '.'"
    first = next(t for t in case.tokens if t.line == case.tokens[case.at].line)
    if first is case.tokens[0]:
        return case.found("syntax", "there is a second arrow in one rule", note)
    hint = f"does the statement before `{first}` lack its final dot, or end in a comma?"
    return case.found("missing-dot", "there is a second arrow in one rule", note, hint)


def empty_body(case: Case) -> Diagnostic | None:
    if case.kind(-1) != "_ARROW" or case.kind() not in ("DOT", ""):
        return None
    head = case.word(-2) if case.at == 2 else "a(1)"
    return case.found("empty-body", "the rule has no body", None, f"what always holds is a fact: `{head}.`", offset=-1)


HEAD_MISTAKES = (
    missing_head, negated_head, window_in_head, two_heads, compared_head, if_for_arrow, second_arrow, empty_body,
)  # fmt: skip
