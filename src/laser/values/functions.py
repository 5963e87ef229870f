"""The functions of terms: each is one record, with its arguments, what it computes, and how SQL says the same.

A function is total: outside of its domain it gives None, and the rule instance does not fire (specification, section 12). What
it gives is in the one form of its type, and of bounded size: a recursion must not eat all memory before its limit stops it.
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
"""Characters of the longest text that a function makes: a recursion that doubles a text would eat all memory."""

Known: TypeAlias = StaticType | None
"""A static type, where one is known."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Function:
    """A function of terms."""

    name: str
    compute: Callable[..., Any]
    """Its value for values that its arguments may have; None, or an arithmetic error, where it has none."""
    takes: tuple[StaticType, ...]
    """The types of its arguments; the last one stands for all that follow. ``any``: the function itself tells."""
    gives: Callable[[Sequence[Known]], StaticType]
    """The type of its value, given those of its arguments."""
    least: int = 1
    most: int | None = 1
    """How many arguments it has; None: any number from ``least`` on."""
    keeps_type: bool = False
    """Whether its value is of the type of its arguments, as that of arithmetic is."""
    in_zone: bool = False
    """Whether it also depends on the zone of the run, which a resolved term hands it as a last argument."""
    sql: Callable[[Sequence[str]], str] | None = None
    """The same in SQL over arguments of these types, NULL where it has no value; None where SQL has nothing that is the same.

    Numbers are doubles there, and whole below 2**53 (``laser.sql.kinds``).
    """
    is_partial: bool = False
    """Whether it has no value for some arguments of the right types."""

    def arity(self) -> str:
        """How many arguments it has, in words."""
        if self.most is None:
            return f"{self.least} arguments or more"
        numbers = " or ".join(map(str, range(self.least, self.most + 1)))
        return f"{numbers} argument{'s' if self.most > 1 else ''}"

    def takes_so_many(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)

    def argument(self, place: int) -> StaticType:
        """The type of an argument, counted from 0."""
        return self.takes[min(place, len(self.takes) - 1)]


def ask(function: Function, values: Sequence[Any]) -> Any:
    """The value of a function; None outside of its domain.

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


# -- texts


def _concat(*parts: Any) -> str | None:
    """Numbers join as they are written."""
    if not all(type(part) is str or (type(part) in (int, float) and is_writable(part)) for part in parts):
        return None
    texts = [part if type(part) is str else repr(part) for part in parts]
    return "".join(texts) if sum(map(len, texts)) <= LONGEST else None


def _bounded(change: Callable[[str], str]) -> Callable[[str], str | None]:
    """What changes a text may make it longer: ``upper("ß")`` is ``"SS"``."""

    def changed(text: str) -> str | None:
        made = change(text)
        return made if len(made) <= max(LONGEST, len(text)) else None

    return changed


# -- numbers


def _finite(value: float) -> int | float | None:
    """A double in the one form of numbers, if it is one."""
    return number(value) if math.isfinite(value) else None


def _round(value: int | float, digits: int = 0) -> int | float | None:
    """Half away from zero, of the decimal that the number is written as, exactly: 2.675 to two digits is 2.68."""
    if type(value) is int:
        return value if digits >= 0 else _round_whole(value, -digits)
    if digits > 400:  # no double has so many digits after the point
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
    """The root of a square is exact, however large; every other is the nearest double."""
    if type(value) is int and value >= 0:
        root = math.isqrt(value)
        if root * root == value:
            return _whole(root)
    return _finite(math.sqrt(value))


def _pow(base: int | float, exponent: int | float) -> int | float | None:
    """Of whole numbers it is exact, up to the largest that there are."""
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
    """Times and durations stay what they are; of numbers, whole ones do."""
    kinds = [one for one in known if one]
    for kind in (TIME, DURATION):
        if kind in kinds:
            return kind
    return INTEGER if all(one.fits(INTEGER) for one in kinds) else NUMBER


def _rounded(known: Sequence[Known]) -> StaticType:
    """Without digits after the point, and of a whole number, the result is whole."""
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
    # SQL changes letters one by one, Python also one to several: no SQL for these two.
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
