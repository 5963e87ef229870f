"""A script in front of Java, in a directory that only this user can write to, and that is removed when the process ends.

Other users can create files in the temporary directory. A script there runs with our permissions, so its directory has an
unpredictable name, and before it is used again, its owner and permissions are checked.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import stat
import tempfile
from pathlib import Path

__all__ = ["is_private", "wrapper_home"]

# Spark's launcher asks for a module that only speeds up linear algebra. A trimmed Java lacks it and would not start; a
# full one prints a warning because of it. It also opens a package that Java 24 removed, which prints another. The wrapper
# drops these requests and hands on everything else.
_SCRIPT = """#!/bin/sh
n=$#
while [ "$n" -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  case "$a" in
    {dropped}) ;;
    *) set -- "$@" "$a" ;;
  esac
done
exec {java} "$@"
"""
_VECTOR = "--add-modules=jdk.incubator.vector"
_REMOVED = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"

_HOMES: dict[str, Path] = {}
"""The directories that this process created, by the text of their scripts."""


def wrapper_home(java: Path, version: int) -> Path:
    """A directory for ``JAVA_HOME`` whose ``bin/java`` starts this Java without options that it may not know."""
    dropped = f"{_VECTOR}|{_REMOVED}" if version >= 24 else _VECTOR
    text = _SCRIPT.format(java=shlex.quote(str(java.resolve())), dropped=dropped)
    home = _HOMES.get(text)
    if home is None or not _is_intact(home, text):
        home = _HOMES[text] = _make(text)
    return home


def is_private(path: Path) -> bool:
    """Whether a file or directory belongs to us, is not a link, and nobody else can write or read it."""
    try:
        found = path.lstat()
    except OSError:
        return False
    is_link = stat.S_ISLNK(found.st_mode)
    return not is_link and found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _is_intact(home: Path, text: str) -> bool:
    """Whether a directory is still the one that we created: a cleaner of old files may have removed it."""
    script = home / "bin" / "java"
    return all(map(is_private, (home, home / "bin", script))) and script.read_text("utf-8") == text


def _make(text: str) -> Path:
    home = Path(tempfile.mkdtemp(prefix="laser-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir(mode=stat.S_IRWXU)
    script.write_text(text, "utf-8")
    script.chmod(stat.S_IRWXU)
    return home
