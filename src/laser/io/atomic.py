"""Writes files and directories completely or not at all."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

__all__ = ["write_whole", "write_whole_bytes", "write_whole_directory"]


@contextmanager
def write_whole(path: str | Path) -> Iterator[TextIO]:
    """Write a text file beside its place and move it there at the end; after an error, the old file is unchanged."""
    with write_whole_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()


@contextmanager
def write_whole_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """The same for a binary file."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a terminal cannot be replaced
        with open(path, "wb") as device:
            yield device
        return
    target = Path(os.path.realpath(path))  # a link stays a link, and its target is replaced
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except FileNotFoundError as error:  # the user knows nothing of the temporary file
        raise FileNotFoundError(error.errno, f"there is no directory {Path(path).parent}", str(path)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextmanager
def write_whole_directory(path: str | Path, overwrite: bool) -> Iterator[Path]:
    """A directory beside the path, which is moved to the path at the end."""
    target = Path(os.path.abspath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    part, old = (target.parent / f".{target.name}.{os.getpid()}.{kind}" for kind in ("part", "old"))
    _sweep(target)
    part.mkdir()
    try:
        yield part
        if target.exists() and not overwrite:
            target.rmdir()  # it was empty when the run began; if it no longer is, this fails
        elif target.exists():
            target.rename(old)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove leftovers of this run, or of one that was killed, beside its output; readers ignore them, but they take space."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        number = left.name.split(".")[-2]
        if number.isdigit() and (int(number) == os.getpid() or not _is_running(int(number))):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # a process of another user
    return True
