"""Functions in terms and tests in bodies, which look like predicates; and what can be wrong with a call."""

from __future__ import annotations

from laser.errors import Diagnostic, Span
from laser.phrases import Names, listed
from laser.syntax.tree import AtomPattern
from laser.values import Predicate
from laser.values.fold import Fold
from laser.values.functions import FUNCTIONS
from laser.values.texts import TESTS

__all__ = ["is_test", "reserved_test", "wrong_call"]

_NAMES = Names(FUNCTIONS)
_FUNCTIONS = f"only functions have a value, not atoms; the functions are {listed(sorted(FUNCTIONS), 'and')}"
_FOLDS = frozenset(fold.value for fold in Fold)


def is_test(predicate: Predicate) -> bool:
    """Whether a name with this number of arguments is a test of strings, not a predicate."""
    return predicate.arity == 2 and predicate.name in TESTS


def reserved_test(name: str, span: Span) -> Diagnostic:
    """The finding about a test that is used as a predicate."""
    note = "a test compares two strings in a body; no predicate with two arguments can have the same name"
    return Diagnostic(
        "reserved-test",
        f"`{name}` is a test of two strings, not a predicate",
        span,
        f"{note}, and a test takes no window and no time",
        f'write `{name}(S, "x")` or `not {name}(S, "x")` in a body, or choose another name for the predicate',
    )


def wrong_call(call: AtomPattern) -> Diagnostic | None:
    """What is wrong with a call that is used as a term."""
    function = FUNCTIONS.get(call.name)
    if function is None:
        return _no_function(call)
    if function.takes_so_many(len(call.args)):
        return None
    message = f"`{call.name}` takes {function.arity()}, not {len(call.args)}"
    return Diagnostic("argument-count", message, call.span, None, _aggregate_hint(call.name))


def _no_function(call: AtomPattern) -> Diagnostic:
    if call.name in _FOLDS:
        note = "an aggregate has a tuple, a colon and a body: what to collect, and where it comes from"
        return Diagnostic(
            "syntax", f"the aggregate '{call.name}' has no body", call.span, note, _aggregate_hint(call.name)
        )
    if call.name in TESTS:
        note = "a test either holds or does not; it has no value, and is a separate part of a body"
        return Diagnostic("unknown-function", f"`{call.name}` is a test, not a function", call.span, note)
    near = _NAMES.closest(call.name)
    example = f"`{call.name}(…, V)`" if not call.name.startswith("<") else "it"
    guess = f"did you mean `{near}`? " if near else ""
    hint = f"{guess}if it is an atom, add {example} to the body and write V here"
    return Diagnostic("unknown-function", f"there is no function '{call.name}'", call.span, _FUNCTIONS, hint)


def _aggregate_hint(name: str) -> str | None:
    return f"for an aggregate, write `{name}(X : p(X) in [5 min])`" if name in _FOLDS else None
