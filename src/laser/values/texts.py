"""The tests of texts: ``contains(S, "x")`` and its like, each one record. They compare, as ``<`` does, and are written as calls.

Of anything but two texts they are not defined, and neither are their negations: what is undefined never fires.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from laser.errors import LaserError

__all__ = ["NOT", "TESTS", "TextTest", "bad_expression", "holds", "negated"]

NOT: Final = "not "
"""What stands before the name of a test whose opposite is asked for."""


@dataclass(frozen=True, eq=False)
class TextTest:
    """A test of two texts; its name is that of no predicate with two arguments."""

    name: str
    compute: Callable[[str, str], bool]
    sql: str | None = None
    """The same as a function of SQL; None where SQL may say something else."""


def holds(symbol: str, one: Any, other: Any) -> bool | None:
    """Whether a test, or the opposite of one, holds; None where it is not defined.

    >>> holds("contains", "abc", "b"), holds("not contains", "abc", "b"), holds("not contains", 5, "b")
    (True, False, None)
    """
    if type(one) is not str or type(other) is not str:
        return None
    try:
        found = TESTS[symbol.removeprefix(NOT)].compute(one, other)
    except ValueError:  # not an expression, or half a surrogate pair, which has no UTF-8
        return None
    return found is not symbol.startswith(NOT)


def negated(symbol: str) -> str:
    """The opposite of a test."""
    return symbol.removeprefix(NOT) if symbol.startswith(NOT) else NOT + symbol


def bad_expression(text: str) -> str | None:
    """What is wrong with a regular expression; None where nothing is.

    >>> bad_expression("a(b"), bad_expression("a.*b")
    ('missing ): a(b', None)
    """
    try:
        _compiled(text)
    except ValueError as error:
        return str(error)
    return None


def _matches(text: str, expression: str) -> bool:
    return _compiled(expression).search(text.encode()) is not None


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Any:
    """A compiled expression; ValueError where it is none. RE2 takes linear time, whatever the expression."""
    try:
        import re2
    except ImportError:
        raise LaserError("`matches` needs one more package: pip install 'laser-reasoner[re2]'") from None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not an expression"
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None


TESTS: Final[Mapping[str, TextTest]] = {
    each.name: each
    for each in (
        TextTest("contains", lambda text, part: part in text, "contains"),
        TextTest("starts", str.startswith, "starts_with"),
        TextTest("ends", str.endswith, "ends_with"),
        TextTest("matches", _matches),
    )
}
"""All tests by name."""
