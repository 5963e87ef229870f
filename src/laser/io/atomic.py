"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

__all__ = ["write_whole"]


@contextmanager
def write_whole(path: str | Path) -> Iterator[TextIO]:
    """Write a file beside its place and move it there at the end; an error on the way leaves the old one as it was."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a terminal cannot be replaced
        with open(path, "w", encoding="utf-8", newline="") as device:
            yield device
        return
    target = Path(os.path.realpath(path))  # a link stays a link, and what it points to is replaced
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
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
