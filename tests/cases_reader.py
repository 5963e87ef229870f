"""Cases as data: ``<case>.lars`` with ``<case>.stream`` and ``<case>.expected`` beside it.

A stream has one time point a line, ``36: a(x1, y), b(y, z).``, and ``3: .`` for one without facts. Comments of the form
``% start 35``, ``% until 42``, ``% tick 500 ms``, ``% const n = 3`` and ``% background p(1), p(2)`` set up the run.
An expected output has a line for every time point of the timeline, with its atoms in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laser.values import Atom, Value
from laser.values.facts import parse_facts

CASES = Path(__file__).parent / "cases"
EXAMPLES = Path(__file__).parent.parent / "examples"

Stream = list[tuple[int, list[Atom]]]
Answers = dict[int, frozenset[Atom]]

_LINE = re.compile(r"(\d+)\s*:\s*(.*?)\s*\.?\s*\Z")
_SETTING = re.compile(r"%\s*(start|until|tick|const|background)\s+(.*?)\s*\Z")


@dataclass
class Settings:
    """How a case is run."""

    start: int | None = None
    until: int | None = None
    tick: str = "1 s"
    constants: dict[str, Value] = field(default_factory=dict)
    background: list[Atom] = field(default_factory=list)

    def read(self, key: str, text: str) -> None:
        match key:
            case "start":
                self.start = int(text)
            case "until":
                self.until = int(text)
            case "tick":
                self.tick = text
            case "const":
                name, value = text.split("=")
                self.constants[name.strip()] = parse_facts(f"v({value})")[0].args[0]
            case "background":
                self.background += parse_facts(text)

    @property
    def run(self) -> dict[str, Any]:
        """The arguments of a run."""
        return {"start": self.start, "until": self.until, **self.program}

    @property
    def program(self) -> dict[str, Any]:
        return {"tick": self.tick, "constants": self.constants, "background": self.background}


@dataclass(frozen=True)
class Case:
    """A program, a stream and (for cases, not for examples) what must come out."""

    name: str
    path: Path
    program: str
    stream: Stream
    settings: Settings
    expected: Answers

    def __str__(self) -> str:
        return self.name


def read_lines(text: str) -> Iterator[tuple[int, list[Atom]]]:
    for line in text.splitlines():
        if (match := _LINE.match(line)) and not line.startswith("%"):
            yield int(match[1]), parse_facts(match[2]) if match[2] else []


def read_settings(text: str) -> Settings:
    settings = Settings()
    for line in text.splitlines():
        if match := _SETTING.match(line):
            settings.read(match[1], match[2])
    return settings


def read_case(path: Path) -> Case:
    """The case of a .lars file."""
    stream = path.with_suffix(".stream").read_text("utf-8")
    expected = path.with_suffix(".expected")
    return Case(
        name=f"{path.parent.name}/{path.stem}",
        path=path,
        program=path.read_text("utf-8"),
        stream=list(read_lines(stream)),
        settings=read_settings(stream),
        expected={t: frozenset(a) for t, a in read_lines(expected.read_text("utf-8"))} if expected.exists() else {},
    )


def case_paths() -> list[Path]:
    return sorted(path for path in CASES.glob("*/*.lars") if path.parent.name != "errors")


def write_answers(answers: Iterable[tuple[int, Iterable[Atom]]]) -> str:
    """The text of a .expected file, also used to show differences line by line."""
    return "".join(f"{time}: {', '.join(map(str, sorted(atoms)))}.\n" for time, atoms in answers)


def write_stream(stream: Iterable[tuple[int, Iterable[Atom]]], start: int | None, until: int | None) -> str:
    """The text of a .stream file."""
    settings = {"start": start, "until": until}
    head = "".join(f"% {key} {value}\n" for key, value in settings.items() if value is not None)
    return head + "".join(f"{time}: {', '.join(map(str, facts))}.\n" for time, facts in stream)
