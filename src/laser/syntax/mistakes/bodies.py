"""Mistakes in bodies: negation, comparisons, commas."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.syntax.mistakes.case import COMPARISONS, NAMES, Case
from laser.values.fold import Fold

__all__ = ["BODY_MISTAKES", "missing_comma"]

_OPPOSITE = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "==": "!=", "!=": "=", "<>": "=", "≤": ">", "≥": "<", "≠": "=",
}  # fmt: skip
_ELEMENT_STARTS = NAMES | {"VARIABLE", "NOT", "BOX", "ATSIGN", "LITERAL", "NUMBER", "DURATION"}
_FOLDS = frozenset(fold.value for fold in Fold)
_LAW = "a body is a list of atoms and comparisons, separated by commas"


def double_negation(case: Case) -> Diagnostic | None:
    if case.kind() != "NOT" or case.kind(-1) != "NOT":
        return None
    return case.found("syntax", "double negation is not allowed", None, "remove both negations", offset=-1, to=0)


def negated_comparison(case: Case) -> Diagnostic | None:
    start = case.element_start
    if case.kind(start) != "NOT":
        return None
    sign = next((t for t in case.tokens[case.at :] if t.type in COMPARISONS | {"_COMMA", "DOT"}), None)
    if sign is None or sign.type not in COMPARISONS:
        return None
    hint = f"write the opposite comparison, with `{_OPPOSITE[str(sign)]}`"
    return case.found("syntax", "`not` cannot negate a comparison", "`not` goes before an atom", hint, offset=start)


def negation_after_time(case: Case) -> Diagnostic | None:
    start = case.element_start
    if case.kind() != "NOT" or case.kind(start) != "ATSIGN" or not case.accepted & NAMES:
        return None
    note = "a negation may follow the time only if there is a window: `⊞n @T ¬ a(X)`"
    return case.found("syntax", "a negation is not allowed between the time and the atom", note, "write `not @T a(X)`")


def classical_negation(case: Case) -> Diagnostic | None:
    start = case.element_start
    if case.kind(start) != "MINUS" or case.kind(start + 1) not in NAMES or case.kind() not in ("DOT", "_COMMA", ""):
        return None
    if start != -2 and case.kind(-1) != "RPAR":
        return None
    name = case.word(start + 1)
    note = "negation is written `not` or `¬`"
    atom = f"{name}(…)" if case.kind(start + 2) == "LPAR" else name
    return case.found("syntax", f"'-{name}' is not an atom", note, f"write `not {atom}`", offset=start, to=start + 1)


def chained_comparison(case: Case) -> Diagnostic | None:
    earlier = {case.kind(i) for i in range(case.element_start, 0)}
    if case.kind() not in COMPARISONS or not COMPARISONS & earlier or case.kind(-1) in COMPARISONS:
        return None
    return case.found("syntax", "comparisons cannot be chained", None, "write two comparisons: `1 < X, X < 5`")


def aggregate_without_body(case: Case) -> Diagnostic | None:
    """``#count{X}`` is meant to be an aggregate."""
    if case.kind(-1) != "_HASH" or "FOLD" not in case.accepted or case.kind() == "FOLD" or case.word() not in _FOLDS:
        return None
    note = "an aggregate has a tuple, a colon and a body: what to collect, and where it comes from"
    hint = f"write `{case.word()}(X : p(X) in [5 min])`"
    return case.found("syntax", f"the aggregate '{case.word()}' has no body", note, hint)


def compared_atom(case: Case) -> Diagnostic | None:
    if case.kind() not in COMPARISONS or case.kind(-1) != "RPAR" or case.in_head or case.open_brackets:
        return None
    note = "only terms can be compared: values, variables, arithmetic and functions"
    return case.found(
        "syntax", "an atom has no value, so it cannot be compared", note, offset=case.element_start, to=-1
    )


def grouped_conditions(case: Case) -> Diagnostic | None:
    divides = case.kind() == "_COMMA" or case.word() == "or"
    if not divides or "_COMMA" in case.accepted or [*case.open_brackets, ""][0] != "(":
        return None
    if case.in_head or case.kind(case.element_start) != "LPAR":
        return None
    hint = "to negate or reuse a group, give it a rule of its own"
    return case.found("syntax", "conditions cannot be grouped in parentheses", _LAW, hint, offset=case.element_start)


def final_comma(case: Case) -> Diagnostic | None:
    if case.kind(-1) not in ("_COMMA", "OR") or case.kind() not in ("DOT", "RPAR", "_COMMA", "OR", ""):
        return None
    hint = "remove it" if case.kind() else "end the statement with '.'"
    what, law = ("this comma", "a comma separates") if case.kind(-1) == "_COMMA" else ("this `or`", "`or` separates")
    return case.found("syntax", f"nothing follows {what}", f"{law} two parts", hint, offset=-1)


def word_for_comma(case: Case) -> Diagnostic | None:
    if case.word() not in ("and", "or") or "_COMMA" not in case.accepted:
        return None
    if case.word() == "and":
        return case.found("syntax", "'and' is written ','", _LAW, "write ',' instead")
    note = "`or` separates whole bodies: `h :- a, b or c.` means `h :- a, b.` and `h :- c.`"
    return case.found(
        "syntax",
        "'or' is not allowed here",
        note,
        "write two rules for the alternatives, with a new predicate as their head",
    )


def lone_term(case: Case) -> Diagnostic | None:
    if case.in_head or not case.accepted >= COMPARISONS or case.kind() not in ("DOT", "_COMMA", ""):
        return None
    start, word = case.element_start, case.word(-1)
    hint = "compare it with another term"
    if case.kind(-1) == "VARIABLE" and start == -1 and len(word) > 1 and word[0].isupper():
        hint = f"predicate names begin with a lower-case letter: write `{word[0].lower()}{word[1:]}`"
    return case.found("syntax", "a term alone is not a condition", _LAW, hint, offset=start, to=-1)


def missing_comma(case: Case) -> Diagnostic | None:
    if "_COMMA" not in case.accepted or case.kind() not in _ELEMENT_STARTS:
        return None
    note = "the parts of a body and the arguments of an atom are separated by commas"
    message = f"a comma is missing before '{case.word()}'"
    return case.found("missing-comma", message, note, f"write ',' after `{case.word(-1)}`")


BODY_MISTAKES = (
    double_negation, negated_comparison, negation_after_time, classical_negation, chained_comparison, aggregate_without_body, compared_atom,
    grouped_conditions, final_comma, word_for_comma, lone_term,
)  # fmt: skip
