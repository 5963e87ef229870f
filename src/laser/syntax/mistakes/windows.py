"""Mistakes in windows, and directly before and after them."""

from __future__ import annotations

from laser.errors import Diagnostic
from laser.phrases import listed
from laser.syntax.mistakes.case import NAMES, Case
from laser.windows import WRITTEN, LastOf

__all__ = ["WINDOW_MISTAKES"]

_FORMS = [kind.written([size.name for size in kind.SIZES], formal=False) for kind in WRITTEN]
_FORMS.append(LastOf.written(["n"], formal=False, per=["X"]))
_LAW = f"a window is {listed(_FORMS, 'or')}; a size is a number, a duration such as `30 s`, or the name of a constant"
_MODALITY_LAW = "a window is followed by ◇ (at some time), □ (at every time) or @T (at time T)"


def bare_window(case: Case) -> Diagnostic | None:
    if case.kind(-1) != "_IN" or case.kind() == "LBRACKET":
        return None
    size = case.word() if case.kind() in ("NUMBER", "DURATION", "NAME", "CNAME") else "n"
    unit = f" {case.word(1)}" if case.kind(1) in ("NAME", "CNAME", "MIN", "_HASH") else ""
    return case.found("bare-window", "a window must follow `in`", _LAW, f"write `in [{size}{unit}]`")


def always_without_window(case: Case) -> Diagnostic | None:
    if case.kind(-1) != "_ALWAYS":
        return None
    note = "`always` means that an atom held at every time point of a window"
    return case.found("missing-window", "a window must follow `always`", note, "write `always in [n]`", offset=-1)


def box_without_size(case: Case) -> Diagnostic | None:
    if case.kind(-1) != "BOX":
        return None
    note = "windows in the formal notation are `⊞n`, `⊞#n`, `⊞#n[X]` and `⊞[30 s]`"
    return case.found("syntax", "the window has no size", note, "write `⊞3`", offset=-1)


def nested_window(case: Case) -> Diagnostic | None:
    inside = {"DIAMOND", "SQUARE", "BOX"} & {case.kind(i) for i in range(case.element_start, 0)}
    if case.kind() != "BOX" or not inside:
        return None
    hint = "give the inner window a rule of its own: `@T b(X) :- ⊞n @T a(X).`, then `⊞m ◇ b(X)`"
    return case.found("nested-window", "a window cannot contain another window", "an atom has at most one window", hint)


def window_without_modality(case: Case) -> Diagnostic | None:
    if "DIAMOND" not in case.accepted:
        return None
    hint = f"write `⊞n ◇ {case.word()}`" if case.kind() in NAMES else None
    return case.found("missing-modality", "◇, □ or @T is missing after the window", _MODALITY_LAW, hint)


def modality_without_window(case: Case) -> Diagnostic | None:
    if case.kind() not in ("DIAMOND", "SQUARE"):
        return None
    sign, atom = case.word(), case.word(1) if case.kind(1) in NAMES else "a(X)"
    note = "◇ and □ refer to the window before them"
    return case.found("missing-window", f"'{sign}' has no window", note, f"write `⊞n {sign} {atom}`")


def duration_of_last(case: Case) -> Diagnostic | None:
    if case.kind(-2) != "_LAST" or case.kind() not in ("NAME", "CNAME", "MIN"):
        return None
    size, unit = case.word(-1), case.word()
    note = "`[last n]` counts facts; a time window is written without `last`"
    return case.found(
        "syntax", "`last` needs a number of facts, not a duration", note, f"write `[{size} {unit}]`", offset=-2, to=0
    )


def key_that_is_no_variable(case: Case) -> Diagnostic | None:
    brackets = case.open_brackets
    if (
        "VARIABLE" not in case.accepted
        or not brackets
        or brackets[-1] != "["
        or case.kind(-1) not in ("_PER", "_COMMA")
    ):
        return None
    note = "`[last n per X]` counts separately for each value of X, a variable that is an argument of the atom"
    message = f"'{case.word()}' is not a variable" if case.kind() != "RBRACKET" else "no variable follows `per`"
    return case.found("syntax", message, note, "write `[last n]` to count all facts of the predicate together")


def bad_window(case: Case) -> Diagnostic | None:
    brackets = case.open_brackets
    if not brackets or brackets[-1] != "[" or case.kind() in ("DOT", "RPAR", "_COMMA", ""):
        return None
    if case.kind() == "RBRACKET":
        return case.found("syntax", "the window has no size", _LAW, "write `[3]`", offset=-1, to=0)
    return case.found("syntax", f"'{case.word()}' is not expected in a window", _LAW)


WINDOW_MISTAKES = (
    bare_window, always_without_window, box_without_size, nested_window, window_without_modality, modality_without_window,
    duration_of_last, key_that_is_no_variable, bad_window,
)  # fmt: skip
