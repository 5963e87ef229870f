"""Mistakes in directives, and empty statements."""

from __future__ import annotations

from difflib import get_close_matches

from laser.errors import Diagnostic
from laser.phrases import listed
from laser.syntax.lexer import DIRECTIVES
from laser.syntax.mistakes.case import NAMES, Case

__all__ = ["DIRECTIVE_MISTAKES"]

PREDICATE_LISTS = ("SHOW", "RECORD")


def lone_dot(case: Case) -> Diagnostic | None:
    if case.at or case.kind() != "DOT":
        return None
    return case.found("syntax", "there is no statement before this dot", hint="remove it")


def unknown_directive(case: Case) -> Diagnostic | None:
    if case.at or case.kind() != "_HASH":
        return None
    near = get_close_matches(case.word(1), [word.removeprefix("#") for word in DIRECTIVES], 1)
    return case.found(
        "unknown-directive",
        f"there is no directive '#{case.word(1)}'",
        f"the directives are {listed(sorted(DIRECTIVES), 'and')}",
        f"did you mean `#{near[0]}`?" if near else None,
        to=1,
    )


def bad_predicate_list(case: Case) -> Diagnostic | None:
    if case.tokens[0].type not in PREDICATE_LISTS:
        return None
    note = "a predicate is written as its name, a slash and its number of arguments"
    if case.kind(-1) not in NAMES:
        return case.found("syntax", f"'{case.word()}' is not a predicate", note, f"write `{case.tokens[0]} alarm/1.`")
    name = case.word(-1)
    return case.found("syntax", f"the number of arguments of '{name}' is missing", note, f"write `{name}/1`", offset=-1)


def bad_const(case: Case) -> Diagnostic | None:
    if case.tokens[0].type != "CONST" or case.at > 2:
        return None
    note = "a constant is declared as `#const n = 30.`; its name begins with a lower-case letter"
    hint = f"write `{case.word().lower()}`" if case.kind() == "VARIABLE" else None
    return case.found("syntax", f"'{case.word()}' is not expected in #const", note, hint)


def bad_prefix(case: Case) -> Diagnostic | None:
    if case.tokens[0].type != "PREFIX":
        return None
    note = "a prefix is declared as `#prefix ex: <http://example.org/>.`"
    hint = f"write `{case.word()}:`" if case.kind() == "NAME" and case.kind(1) == "IRI" else None
    return case.found("syntax", f"'{case.word()}' is not expected in #prefix", note, hint)


def bad_warmup(case: Case) -> Diagnostic | None:
    if case.tokens[0].type != "WARMUP":
        return None
    note = "a warm-up is a duration, a number of ticks or a constant, as in `#warmup 5 min.`"
    return case.found("syntax", f"'{case.word()}' is not expected in #warmup", note)


def bad_zone(case: Case) -> Diagnostic | None:
    if case.tokens[0].type != "ZONE":
        return None
    note = 'a time zone is written in quotes: `#zone "Europe/Vienna".`'
    return case.found("syntax", f"'{case.word()}' is not the name of a time zone", note)


def bad_include(case: Case) -> Diagnostic | None:
    if case.tokens[0].type != "INCLUDE":
        return None
    note = "a file name is written in quotes, and is relative to the file that includes it"
    wrong = case.tokens[1] if len(case.tokens) > 1 else case.tokens[0]
    message = f"'{wrong}' is not a file name"
    return case.found("syntax", message, note, 'write `#include "rules.lars".`', offset=min(1, len(case.tokens) - 1))


DIRECTIVE_MISTAKES = (
    bad_include, lone_dot, unknown_directive, bad_predicate_list, bad_const, bad_prefix, bad_warmup, bad_zone,
)  # fmt: skip
