"""The functions of the language, one record each: its arguments, what it computes, and its form in SQL.

A function is total: outside its domain it returns None, and the rule instance does not fire (specification, section 12). Its
result is in the normal form of its type and has a bounded size, so that a recursion cannot exhaust memory before its limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final, TypeAlias

from laser.values import calendar
from laser.values.number import HUGE, is_writable, number
from laser.values.static_type import ANY, DURATION, INTEGER, NUMBER, STRING, TIME, StaticType
from laser.values.time import Duration, Time

__all__ = ["FUNCTIONS", "LONGEST", "Function", "ask"]

LONGEST = 2**15
"""The length of the longest string that a function returns: a recursion that doubles a string would exhaust memory."""

Known: TypeAlias = StaticType | None
"""A static type, if known."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Function:
    """A function that can be used in terms."""

    name: str
    compute: Callable[..., Any]
    """Computes its value from values of the right types; None or an arithmetic error if it has no value."""
    takes: tuple[StaticType, ...]
    """The types of its arguments; the last one also applies to all that follow. For ``any``, the function checks itself."""
    gives: Callable[[Sequence[Known]], StaticType]
    """The type of its value, given the types of its arguments."""
    least: int = 1
    most: int | None = 1
    """The largest number of arguments; None if there is no limit."""
    keeps_type: bool = False
    """Whether its value has the type of its arguments, as in arithmetic."""
    in_zone: bool = False
    """Whether it also depends on the zone of the run, which a resolved term passes as the last argument."""
    sql: Callable[[Sequence[str]], str] | None = None
    """The same function in SQL, NULL if it has no value; None if SQL has no equivalent function.

    In SQL, numbers are doubles, and whole numbers are below 2**53 (``laser.sql.kinds``).
    """
    is_partial: bool = False
    """Whether it has no value for some arguments of the right types."""

    def arity(self) -> str:
        """The number of its arguments, in words."""
        if self.most is None:
            return f"{self.least} or more arguments"
        numbers = " or ".join(map(str, range(self.least, self.most + 1)))
        return f"{numbers} argument{'s' if self.most > 1 else ''}"

    def takes_so_many(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)

    def argument(self, place: int) -> StaticType:
        """The type of an argument, counted from 0."""
        return self.takes[min(place, len(self.takes) - 1)]


def ask(function: Function, values: Sequence[Any]) -> Any:
    """The value of a function; None outside its domain.

    >>> ask(FUNCTIONS["concat"], ["room ", 5]), ask(FUNCTIONS["length"], [5]), ask(FUNCTIONS["sqrt"], [-1])
    ('room 5', None, None)
    """
    arguments = values[:1] if function.in_zone else values
    for place, value in enumerate(arguments):
        accepted = _CLASSES[function.argument(place)]
        if accepted is not None and type(value) not in accepted:
            return None
    try:
        return function.compute(*values)
    except (ArithmeticError, ValueError):
        return None


_CLASSES: dict[StaticType, frozenset[type] | None] = {
    STRING: frozenset({str}),
    NUMBER: frozenset({int, float}),
    INTEGER: frozenset({int}),
    TIME: frozenset({Time}),
    ANY: None,
}


# -- strings


def _concat(*parts: Any) -> str | None:
    """Numbers are joined as they are written."""
    if not all(type(part) is str or (type(part) in (int, float) and is_writable(part)) for part in parts):
        return None
    texts = [part if type(part) is str else repr(part) for part in parts]
    return "".join(texts) if sum(map(len, texts)) <= LONGEST else None


def _bounded(change: Callable[[str], str]) -> Callable[[str], str | None]:
    """Limits the length of the result, because a change can make a string longer: ``upper("ß")`` is ``"SS"``."""

    def changed(text: str) -> str | None:
        made = change(text)
        return made if len(made) <= max(LONGEST, len(text)) else None

    return changed


# -- numbers


def _finite(value: float) -> int | float | None:
    """A double in the normal form of numbers; None if it is not finite."""
    return number(value) if math.isfinite(value) else None


def _round(value: int | float, digits: int = 0) -> int | float | None:
    """Rounds half away from zero, exactly, based on the decimal as written: 2.675 to two digits is 2.68."""
    if type(value) is int:
        return value if digits >= 0 else _round_whole(value, -digits)
    if digits > 400:  # no double has that many digits after the point
        return value
    if digits < -400:
        return 0
    rounded = Decimal(repr(value)).quantize(Decimal((0, (1,), -digits)), ROUND_HALF_UP, _WIDE)
    return _whole(int(rounded)) if digits <= 0 else _finite(float(rounded))


_WIDE = Context(prec=2000)
"""More digits than a double has before and after the point."""


def _round_whole(value: int, zeros: int) -> int | None:
    """A whole number to the nearest multiple of a power of ten; half away from zero."""
    if zeros > value.bit_length() // 3 + 1:  # the power is more than ten times the number
        return 0
    unit = 10**zeros
    rounded = (2 * abs(value) + unit) // (2 * unit) * unit
    return _whole(rounded if value >= 0 else -rounded)


def _whole(value: int) -> int | None:
    return value if -HUGE < value < HUGE else None


def _sqrt(value: int | float) -> int | float | None:
    """The root of a square number is exact, however large; any other root is the nearest double."""
    if type(value) is int and value >= 0:
        root = math.isqrt(value)
        if root * root == value:
            return _whole(root)
    return _finite(math.sqrt(value))


def _pow(base: int | float, exponent: int | float) -> int | float | None:
    """The power of whole numbers is exact, up to the largest allowed integer."""
    if type(base) is int and type(exponent) is int and exponent >= 0:
        if abs(base) > 1 and (abs(base).bit_length() - 1) * exponent > HUGE.bit_length():
            return None
        return _whole(base**exponent)
    return _finite(math.pow(base, exponent))


def _abs(value: Any) -> Any:
    if type(value) is Duration:
        return Duration(abs(value.micros))
    return abs(value) if type(value) in _CLASSES[NUMBER] else None  # type: ignore[operator]


def _extreme(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The smaller or the larger of two numbers, two times or two durations."""

    def extreme(one: Any, other: Any) -> Any:
        same = type(one) is type(other) and type(one) in (Time, Duration)
        numbers = type(one) in (int, float) and type(other) in (int, float)
        return choose(one, other) if same or numbers else None

    return extreme


# -- static types


def _always(kind: StaticType) -> Callable[[Sequence[Known]], StaticType]:
    return lambda known: kind


def _of_arguments(known: Sequence[Known]) -> StaticType:
    """Times stay times, durations stay durations, and whole numbers stay whole."""
    kinds = [one for one in known if one]
    for kind in (TIME, DURATION):
        if kind in kinds:
            return kind
    return INTEGER if all(one.fits(INTEGER) for one in kinds) else NUMBER


def _rounded(known: Sequence[Known]) -> StaticType:
    """The result is whole if the number is whole or no digits after the point are kept."""
    first = known[0] if known else None
    return INTEGER if len(known) == 1 or (first is not None and first.fits(INTEGER)) else NUMBER


# -- SQL


def _down(how: str) -> Callable[[Sequence[str]], str]:
    return lambda args: f"cast({how}({args[0]}) as bigint)"


def _joined(args: Sequence[str]) -> str:
    whole = " || ".join(args)
    return f"case when length({whole}) <= {LONGEST} then {whole} end"


_TEXT: Final = (
    Function(
        name="concat",
        compute=_concat,
        takes=(ANY,),
        gives=_always(STRING),
        least=2,
        most=None,
        sql=_joined,
        is_partial=True,
    ),
    # No SQL for these two: SQL maps each letter to one letter, while Python may map it to several.
    Function(name="lower", compute=_bounded(str.lower), takes=(STRING,), gives=_always(STRING)),
    Function(name="upper", compute=_bounded(str.upper), takes=(STRING,), gives=_always(STRING)),
    Function(
        name="length",
        compute=len,
        takes=(STRING,),
        gives=_always(INTEGER),
        sql=lambda args: f"length({args[0]})",
    ),
)

_NUMERIC: Final = (
    Function(name="abs", compute=_abs, takes=(ANY,), gives=_of_arguments, keeps_type=True),
    Function(name="min", compute=_extreme(min), takes=(ANY,), gives=_of_arguments, least=2, most=2, keeps_type=True),
    Function(name="max", compute=_extreme(max), takes=(ANY,), gives=_of_arguments, least=2, most=2, keeps_type=True),
    Function(name="round", compute=_round, takes=(NUMBER, INTEGER), gives=_rounded, most=2),
    Function(name="floor", compute=math.floor, takes=(NUMBER,), gives=_always(INTEGER), sql=_down("floor")),
    Function(name="ceil", compute=math.ceil, takes=(NUMBER,), gives=_always(INTEGER), sql=_down("ceil")),
    Function(
        name="sqrt",
        compute=_sqrt,
        takes=(NUMBER,),
        gives=_always(NUMBER),
        sql=lambda args: f"case when {args[0]} >= 0 then sqrt({args[0]}) end",
        is_partial=True,
    ),
    Function(
        name="log", compute=lambda x: _finite(math.log(x)), takes=(NUMBER,), gives=_always(NUMBER), is_partial=True
    ),
    Function(name="pow", compute=_pow, takes=(NUMBER,), gives=_always(NUMBER), least=2, most=2, is_partial=True),
)

_DATES: Final = (
    Function(name="hour", compute=calendar.hour, takes=(TIME,), gives=_always(INTEGER), in_zone=True),
    Function(name="weekday", compute=calendar.weekday, takes=(TIME,), gives=_always(INTEGER), in_zone=True),
    Function(name="date", compute=calendar.date, takes=(TIME,), gives=_always(TIME), in_zone=True),
)

FUNCTIONS: Final[Mapping[str, Function]] = {each.name: each for each in (*_TEXT, *_NUMERIC, *_DATES)}
"""All functions by name. The names are not reserved, except for those of the oldest three."""
