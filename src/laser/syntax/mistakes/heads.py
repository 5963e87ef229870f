"""Mistakes in heads, and in the arrow between head and body."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.syntax.mistakes.case import COMPARISONS, Case

__all__ = ["HEAD_MISTAKES"]

_WINDOW_TYPES = ("_IN", "LBRACKET", "_ALWAYS", "BOX", "DIAMOND", "SQUARE")


def missing_head(case: Case) -> Diagnostic | None:
    if case.at or case.kind() != "_ARROW":
        return None
    note = "a rule derives its head; constraints (rules without a head) are not supported"
    return case.found("missing-head", "the rule has no head", note, "name what the body finds, as in `violated :- …`")


def negated_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.at or case.kind() not in ("NOT", "MINUS"):
        return None
    note = "a head says what holds; negation is allowed only in bodies"
    return case.found("negated-head", "a head cannot be negated", note, "derive the opposite under a name of its own")


def window_in_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.open_brackets or case.kind() not in _WINDOW_TYPES:
        return None
    note = "a head is `a(…)` for the present, or `@T a(…)` for the time T; windows are allowed only in bodies"
    return case.found("window-in-head", "a head cannot have a window", note, "move the window into the body")


def two_heads(case: Case) -> Diagnostic | None:
    if not case.in_head or case.kind() != "_COMMA" or "_ARROW" not in case.accepted:
        return None
    return case.found("two-heads", "a rule can have only one head", None, "write one rule for each, with the same body")


def compared_head(case: Case) -> Diagnostic | None:
    if not case.in_head or case.open_brackets or case.kind() not in COMPARISONS:
        return None
    return case.found("syntax", "a head cannot be a comparison", "comparisons are allowed only in bodies, after `:-`")


def if_for_arrow(case: Case) -> Diagnostic | None:
    if case.word() != "if" or "_ARROW" not in case.accepted:
        return None
    return case.found("syntax", "'if' is written `:-`", None, "write `head :- body.`")


def second_arrow(case: Case) -> Diagnostic | None:
    if case.kind() != "_ARROW" or "_ARROW" not in case.kinds_before:
        return None
    note = "a statement has one arrow and ends with '.'"
    first = next(t for t in case.tokens if t.line == case.tokens[case.at].line)
    if first is case.tokens[0]:
        return case.found("syntax", "this rule has a second arrow", note)
    hint = f"is the dot missing at the end of the statement before `{first}`, or does it end with a comma?"
    return case.found("missing-dot", "this rule has a second arrow", note, hint)


def empty_body(case: Case) -> Diagnostic | None:
    if case.kind(-1) != "_ARROW" or case.kind() not in ("DOT", ""):
        return None
    head = case.word(-2) if case.at == 2 else "a(1)"
    return case.found(
        "empty-body", "the rule has no body", None, f"if it always holds, write a fact: `{head}.`", offset=-1
    )


HEAD_MISTAKES = (
    missing_head, negated_head, window_in_head, two_heads, compared_head, if_for_arrow, second_arrow, empty_body,
)  # fmt: skip
