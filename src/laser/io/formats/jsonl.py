"""JSON Lines: ``{"time": 36, "predicate": "a", "args": ["x1", "y"]}``, one fact per line.

``{"time": 36, "facts": [{"predicate": …, "args": […]}, …]}`` has all facts of a time point, possibly none.
A string is always a string, even if it looks like a number; an IRI is ``{"iri": "http://…"}``.

In answers, a snapshot is a line of the second kind, a change is a fact with ``"holds": true``, and an interval has ``since``,
``until`` and ``open`` instead of the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from laser.errors import FactError, TimeError
from laser.io.formats.format import LineFormat, Parse, read_time
from laser.io.formats.rows import read_row
from laser.io.records import ParsedChange, ParsedInterval, ParsedLine
from laser.ticks import Tick, check_time
from laser.values import Atom, Iri, Value, from_json, to_json
from laser.values.number import NUMBER

__all__ = ["JSONL", "STRICT", "read_object"]

_FACT_KEYS = frozenset({"predicate", "args"})
_RECORD_KEYS = _FACT_KEYS | {"time"}
_GROUP_KEYS = frozenset({"time", "facts"})
_CHANGE_KEYS = _FACT_KEYS | {"time", "holds"}
_INTERVAL_KEYS = _FACT_KEYS | {"since", "until", "open"}


class JsonLines(LineFormat):
    name = "jsonl"
    title = "JSON Lines"
    suffixes = (".jsonl", ".ndjson", ".json")
    spark_name = "json"
    look = re.compile(r"\s*\{")

    def parser(self, tick: Tick, place: Path | None = None) -> Parse:
        return lambda line: _parse(line, tick, place)

    def parse_background(self, line: str) -> tuple[Atom, ...]:
        return (_fact(read_object(line), _FACT_KEYS),) if line.strip() else ()

    def write_change(self, time: int | str, atom: Atom, holds: bool) -> str:
        return _dump({"time": time, "holds": holds, **_atom(atom)})

    def write_snapshot(self, time: int | str, atoms: Sequence[Atom]) -> str:
        return _dump({"time": time, "facts": [_atom(atom) for atom in atoms]})

    def write_interval(self, atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str:
        return _dump({**_atom(atom), "since": since, "until": until, "open": ongoing})


JSONL = JsonLines()


def _parse(line: str, tick: Tick, place: Path | None) -> ParsedLine | ParsedChange | ParsedInterval | None:
    if not line.strip():
        return None
    said = read_object(line)
    if place is not None and not said.keys() & {"predicate", "facts"}:
        return read_row(said, tick, place)
    if "holds" in said:
        return _change(said, tick)
    return _interval(said, tick) if "since" in said else _record(said, tick)


def _record(said: dict[str, Any], tick: Tick) -> ParsedLine:
    keys = _GROUP_KEYS if "facts" in said else _RECORD_KEYS
    _check_keys(said, keys, required=("time",))
    time, iso = _time(said, "time", tick)
    return ParsedLine(time, _group(said["facts"]) if "facts" in said else (_fact(said, keys),), iso)


def _change(said: dict[str, Any], tick: Tick) -> ParsedChange:
    _check_keys(said, _CHANGE_KEYS, required=("time",))
    time, iso = _time(said, "time", tick)
    return ParsedChange(time, _fact(said, _CHANGE_KEYS), _truth(said, "holds"), iso)


def _interval(said: dict[str, Any], tick: Tick) -> ParsedInterval:
    _check_keys(said, _INTERVAL_KEYS, required=("since", "until"))
    (since, iso), (until, _) = _time(said, "since", tick), _time(said, "until", tick)
    return ParsedInterval(_fact(said, _INTERVAL_KEYS), since, until, _truth(said, "open"), iso)


def read_object(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=NUMBER.read)
    except json.JSONDecodeError as error:
        raise FactError(f"it is not JSON: {error.msg} (column {error.colno})") from None
    except ValueError:
        raise FactError("a number is too large: integers have at most 4300 digits") from None
    if not isinstance(said, dict):
        raise FactError(f"a record must be an object, not {_kind(said)}")
    # Only escapes can produce half a surrogate pair, which cannot be written again.
    if "\\u" in text and _broken(text, said):
        raise FactError("a string has half of a surrogate pair")
    return said


def _strict(text: str) -> Any:
    value, end = _SCAN(text)
    if end != len(text) and text[end:].strip():
        raise ValueError("more than one value")
    return value


def _broken(text: str, said: dict[str, Any]) -> bool:
    try:
        json.dumps(said, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    said = dict(pairs)
    if len(said) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise FactError(f"the key {twice!r} occurs twice")
    return said


def _refuse_constant(name: str) -> NoReturn:
    raise FactError(f"{name} is not a term: numbers must be finite")


def _check_keys(said: dict[str, Any], allowed: frozenset[str], required: Sequence[str]) -> None:
    for key in said:
        if key not in allowed:
            near = get_close_matches(key, allowed - said.keys(), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"a record has {_listed(allowed)}"
            raise FactError(f"unknown key {key!r}: {hint}")
    for key in required:
        if key not in said:
            raise FactError(f"the key {key!r} is missing")


def _listed(keys: frozenset[str]) -> str:
    return ", ".join(map(repr, sorted(keys)))


def _time(said: dict[str, Any], key: str, tick: Tick) -> tuple[int, bool]:
    value = said[key]
    if isinstance(value, str):
        return read_time(value, tick)
    if type(value) is not int:
        raise TimeError(f"{key!r} must be an integer or an ISO 8601 string, not {_kind(value)}")
    return check_time(value), False


def _truth(said: dict[str, Any], key: str) -> bool:
    value = said.get(key, False)
    if not isinstance(value, bool):
        raise FactError(f"{key!r} must be true or false, not {_kind(value)}")
    return value


def _group(facts: Any) -> tuple[Atom, ...]:
    if not isinstance(facts, list):
        raise FactError(f"'facts' must be a list of objects, not {_kind(facts)}")
    for fact in facts:
        if not isinstance(fact, dict):
            raise FactError(f"'facts' must be a list of objects, and it contains {_kind(fact)}")
    return tuple(_fact(fact, _FACT_KEYS) for fact in facts)


def _fact(said: dict[str, Any], keys: frozenset[str]) -> Atom:
    _check_keys(said, keys, required=("predicate",))
    args = said.get("args", [])
    if not isinstance(args, list):
        raise FactError(f"'args' must be a list, not {_kind(args)}")
    return Atom(_predicate(said["predicate"]), map(_value, args))


def _predicate(name: Any) -> str | Iri:
    name = from_json(name) if isinstance(name, dict) else name
    if not isinstance(name, str | Iri):
        raise FactError(f"'predicate' must be a string, not {_kind(name)}")
    return name


def _value(value: Any) -> Value:
    if value is None or isinstance(value, list):
        raise FactError(f'{_kind(value)} is not a term: use a number, a string or {{"iri": …}}')
    return from_json(value) if isinstance(value, dict) else value


def _kind(value: Any) -> str:
    """The kind of a JSON value; numbers and strings are shown."""
    match value:
        case None:
            return "null"
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _atom(atom: Atom) -> dict[str, Any]:
    return {"predicate": atom.predicate, "args": list(map(to_json, atom.args))}


def _dump(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False)


_SCAN = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant).raw_decode
STRICT = _strict
"""A line as a value, quickly. After a mistake, call `read_object` for a good message. Decimals are doubles here."""
