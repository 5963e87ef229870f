"""Operations that may be undefined: the reasoner reports the rule, but SQL would silently not fire it."""

from __future__ import annotations

from laser.rules.body import Comparison
from laser.sql.kinds import Kind
from laser.sql.terms import Bindings, evaluate
from laser.syntax.terms import variables
from laser.syntax.tree import Arithmetic, Constant, Term
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS
from laser.values.static_type import NUMBER, StaticType

__all__ = ["is_doubtful", "is_doubtful_term"]


def is_doubtful(test: Comparison, bound: Bindings) -> bool:
    """Whether a comparison can be undefined for the kinds of its values."""
    sides = [side for side in test.terms if _is_bound(side, bound)]
    if any(is_doubtful_term(side, bound) for side in sides):
        return True
    if test.operator not in COMPARISONS:
        return any(evaluate(side, bound).kind != Kind.STRING for side in sides)
    if test.operator in ("=", "!=") or len(sides) < len(test.terms):
        return False
    left, right = (evaluate(side, bound).kind for side in sides)
    return not (left.is_number and right.is_number) and (left != right or left.is_mixed)


def is_doubtful_term(term: Term, bound: Bindings) -> bool:
    """Whether arithmetic can be undefined: an operand may not be a number, or a divisor may be 0."""
    if not isinstance(term, Arithmetic):
        return False
    operands = term.operands
    function = FUNCTIONS.get(term.operator)
    if function is not None and function.sql is not None:
        return function.is_partial or any(
            is_doubtful_term(operand, bound) or not _fits(evaluate(operand, bound).kind, function.argument(place))
            for place, operand in enumerate(operands)
        )
    if any(is_doubtful_term(operand, bound) or not evaluate(operand, bound).kind.is_number for operand in operands):
        return True
    return term.operator in ("/", "div", "mod") and not (isinstance(operands[1], Constant) and operands[1].value != 0)


def _fits(kind: Kind, wanted: StaticType) -> bool:
    return kind.is_number if wanted == NUMBER else kind == Kind.STRING


def _is_bound(term: Term, bound: Bindings) -> bool:
    """Whether a term can be evaluated; the variable that a comparison assigns cannot."""
    return all(variable.name in bound for variable in variables((term,)))
