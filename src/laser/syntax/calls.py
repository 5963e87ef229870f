"""What is called like a predicate and is none: functions in terms, tests in bodies. And what is wrong with a call."""

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
_FUNCTIONS = f"an atom has no value; functions have one: {listed(sorted(FUNCTIONS), 'and')}"
_FOLDS = frozenset(fold.value for fold in Fold)


def is_test(predicate: Predicate) -> bool:
    """Whether a name with so many arguments is a test of texts, and no predicate."""
    return predicate.arity == 2 and predicate.name in TESTS


def reserved_test(name: str, span: Span) -> Diagnostic:
    """The finding about a test in the place of a predicate."""
    note = "it compares texts in a body; as a predicate with two arguments the name is taken"
    return Diagnostic(
        "reserved-test",
        f"`{name}` is a test of two texts",
        span,
        f"{note}, and it has neither a window nor a time",
        f'write `{name}(S, "x")` or `not {name}(S, "x")` as a part of a body, or choose another name for the predicate',
    )


def wrong_call(call: AtomPattern) -> Diagnostic | None:
    """What is wrong with a call in the place of a term."""
    function = FUNCTIONS.get(call.name)
    if function is None:
        return _no_function(call)
    if function.takes_so_many(len(call.args)):
        return None
    message = f"`{call.name}` takes {function.arity()}, not {len(call.args)}"
    return Diagnostic("argument-count", message, call.span, None, _aggregate_hint(call.name))


def _no_function(call: AtomPattern) -> Diagnostic:
    if call.name in _FOLDS:
        note = "an aggregate has a tuple, a colon and a body: what counts as one, and where it comes from"
        return Diagnostic("syntax", f"'{call.name}' has no body here", call.span, note, _aggregate_hint(call.name))
    if call.name in TESTS:
        note = "a test holds or does not; it has no value, and stands in a body by itself"
        return Diagnostic("unknown-function", f"`{call.name}` is a test, and no function", call.span, note)
    near = _NAMES.closest(call.name)
    example = f"`{call.name}(…, V)`" if not call.name.startswith("<") else "it"
    guess = f"did you mean `{near}`? " if near else ""
    hint = f"{guess}if it is an atom, write {example} as a part of the body, and V here"
    return Diagnostic("unknown-function", f"there is no function '{call.name}'", call.span, _FUNCTIONS, hint)


def _aggregate_hint(name: str) -> str | None:
    return f"for an aggregate, write `{name}(X : p(X) in [5 min])`" if name in _FOLDS else None
