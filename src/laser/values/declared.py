"""The types that a program can declare for its inputs: ``#input hr(patient: string, bpm: number).``

A value of another type is refused, never converted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from enum import Enum
from typing import Any

from laser.errors import FactError
from laser.values import static_type
from laser.values.iri import BRACKETED, Iri
from laser.values.number import NUMBER as NUMBERS
from laser.values.number import UNSIGNED
from laser.values.registry import Value, from_json, to_value, type_of
from laser.values.static_type import StaticType
from laser.values.time import DURATION, TIME, Time, texts_in

__all__ = ["Declared"]

_NUMBER = re.compile(rf"[-+]?(?:{UNSIGNED}|\.[0-9]+)")
_TRUTH = ("true", "false")


class Declared(Enum):
    """A type by its name in programs."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"
    DURATION = "duration"
    IRI = "iri"
    ANY = "any"

    @property
    def static(self) -> StaticType:
        """The static type of an argument with this declared type."""
        return _STATIC.get(self, static_type.ANY)

    @property
    def words(self) -> str:
        """The type as messages name it."""
        return _WORDS[self]

    def read(self, text: str, zone: tzinfo = UTC) -> Value:
        """The value of a field of a text table, or FactError."""
        text = text if self in (Declared.STRING, Declared.ANY) else text.strip()
        value: Value | None = _READERS[self](text, zone)
        if value is None:
            raise FactError(f"{text[:100]!r} is not {self.words}")
        return value

    def check(self, value: Any, zone: tzinfo = UTC) -> Value:
        """A value that already has a type, as in JSON and Parquet, or FactError."""
        if isinstance(value, str) and self in (Declared.TIME, Declared.DURATION, Declared.IRI):
            return self.read(value, zone)
        if isinstance(value, datetime) and value.tzinfo is None:
            value = value.replace(tzinfo=zone)
        found = from_json(value) if isinstance(value, dict) else to_value(value)
        if not self._has(found):
            raise FactError(f"{value!r} is not {self.words}")
        return found

    def _has(self, value: Value) -> bool:
        match self:
            case Declared.ANY:
                return True
            case Declared.INTEGER:
                return type(value) is int
            case Declared.BOOLEAN:
                return value in _TRUTH
            case _:
                return bool(type_of(value).name.lower() == self.value)


def _number(text: str, _: tzinfo) -> Value | None:
    return NUMBERS.read(text.lstrip("+")) if _NUMBER.fullmatch(text) else None


def _integer(text: str, zone: tzinfo) -> Value | None:
    value = _number(text, zone)
    return value if type(value) is int else None


def _boolean(text: str, _: tzinfo) -> Value | None:
    return text.lower() if text.lower() in _TRUTH else None


def _time(text: str, zone: tzinfo) -> Value | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return Time.of(moment if moment.tzinfo else moment.replace(tzinfo=zone)) if "-" in text else None


def _duration(text: str, _: tzinfo) -> Value | None:
    return DURATION.read(text) if re.fullmatch(DURATION.in_fact, text) else None


def _iri(text: str, _: tzinfo) -> Value | None:
    return Iri(text[1:-1]) if re.fullmatch(BRACKETED, text) else Iri(text)


def _any(text: str, zone: tzinfo) -> Value | None:
    """Without a declared type: a number as in JSON, a time, a duration, or else a string."""
    if _NUMBER.fullmatch(text) and not re.match(r"[-+]?0[0-9]|\+|\.", text):
        number: Value = NUMBERS.read(text)
        return number
    kind = next((kind for kind in (TIME, DURATION) if re.fullmatch(kind.in_fact, text)), None)
    if kind is TIME:
        with texts_in(zone):
            found: Value = TIME.read(text)
            return found
    value: Value = text if kind is None else kind.read(text)
    return value


_READERS = {
    Declared.STRING: lambda text, _: text,
    Declared.INTEGER: _integer,
    Declared.NUMBER: _number,
    Declared.BOOLEAN: _boolean,
    Declared.TIME: _time,
    Declared.DURATION: _duration,
    Declared.IRI: _iri,
    Declared.ANY: _any,
}
_STATIC = {
    Declared.STRING: static_type.STRING,
    Declared.INTEGER: static_type.INTEGER,
    Declared.NUMBER: static_type.NUMBER,
    Declared.BOOLEAN: static_type.BOOLEAN,
    Declared.TIME: static_type.TIME,
    Declared.DURATION: static_type.DURATION,
}
_WORDS = {
    Declared.STRING: "a string",
    Declared.INTEGER: "an integer",
    Declared.NUMBER: "a number",
    Declared.BOOLEAN: "true or false",
    Declared.TIME: "an ISO 8601 time",
    Declared.DURATION: "a duration such as 90 s",
    Declared.IRI: "an IRI",
    Declared.ANY: "a value",
}
