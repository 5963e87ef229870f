"""Reads the text of a program's file, with a helpful error if that fails."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from laser.errors import Diagnostic, ProgramError
from laser.phrases import closest

__all__ = ["read_text"]

MOST_BYTES = 64 * 1024 * 1024
"""The size of the longest program. A device or a stream, given by mistake, could be endless."""


def read_text(path: str | PathLike[str]) -> str:
    """The text of a program's file, or ProgramError with the code ``unreadable``."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise OSError(0, f"it is longer than {MOST_BYTES:,} bytes, so it is not a program")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {data[error.start]:#04x} on line {line} is not UTF-8"
        refused = _unreadable(path, message, "save the file in the encoding UTF-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refused = _unreadable(path, f"the program cannot be read: {reason[:1].lower()}{reason[1:]}", _hint(path))
    raise refused


def _unreadable(path: str | PathLike[str], message: str, hint: str | None) -> ProgramError:
    note = "a program is a text file in UTF-8"
    return ProgramError([Diagnostic("unreadable", message, None, note, hint)], "", fspath(path))


def _hint(path: str | PathLike[str]) -> str | None:
    """The name of an existing file with a similar name."""
    wanted = Path(path)
    try:
        there = sorted(other for other in wanted.parent.iterdir() if other.is_file())
    except (OSError, ValueError):
        return "check that the folder exists"
    guess = _same_stem(wanted, there) or _same_suffix(wanted, there)
    return f"did you mean `{guess}`?" if guess else None


def _same_stem(wanted: Path, there: list[Path]) -> str | None:
    """A file with the same name and another extension; programs come first."""
    names = [other.name for other in there if other.stem == wanted.stem]
    return min(names, key=lambda name: not name.endswith(".lars"), default=None)


def _same_suffix(wanted: Path, there: list[Path]) -> str | None:
    """A file with the same extension and a similar name. The extension does not count as a similarity."""
    stems = [other.stem for other in there if other.suffix == wanted.suffix]
    guess = closest(wanted.stem, stems)
    return f"{guess}{wanted.suffix}" if guess else None
