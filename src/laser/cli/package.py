"""``laser package``: an archive of Laser for Spark workers that do not have it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import click

from laser.cli import messages
from laser.errors import LaserError
from laser.io.atomic import write_whole_bytes
from laser.phrases import count

__all__ = ["command", "write_archive"]

PACKAGES = {"laser": "laser-reasoner", "click": "click", "lark": "lark"}
"""What workers import, with the names of the distributions: Laser and what its core needs, all of it pure Python."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same versions give the same archive."""
_BYTECODE = (".pyc", ".pyo")


@click.command("package")
@click.option(
    "--output",
    "-o",
    default="laser.zip",
    type=click.Path(dir_okay=False, writable=True),
    metavar="FILE",
    help="Where to write it. [default: laser.zip]",
)
def command(output: str) -> None:
    """Write an archive of Laser for Spark workers that do not have it.

    It has Laser and the pure-Python packages that its core needs. Workers still need Python of the same version, pyarrow, pandas and
    protobuf.

    \b
    Examples:
      laser package -o laser.zip
      laser run pipeline.toml --master spark://host:7077 --conf spark.submit.pyFiles=laser.zip
    """
    try:
        files = write_archive(output)
    except OSError as error:
        raise OSError(error.errno, error.strerror, output) from None
    messages.say(f"{output}: {count(files, 'file')}")


def write_archive(path: str | Path) -> int:
    """Write the archive, whole or not at all; gives the number of its files."""
    contents = dict(sorted(_contents()))
    with write_whole_bytes(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return len(contents)


def _contents() -> Iterator[tuple[str, bytes]]:
    for package, name in PACKAGES.items():
        folder = _folder(package)
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix not in _BYTECODE:
                yield path.relative_to(folder.parent).as_posix(), path.read_bytes()
        yield from _description(name)


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        raise LaserError(f"the package {package} is not installed as files, so that it cannot be put into an archive")
    return Path(spec.origin).parent


def _description(name: str) -> Iterator[tuple[str, bytes]]:
    """What says which version it is, and the licence under which it may be passed on."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:  # run from its source, without being installed
        return
    for file in files:
        folder = file.parts[0]
        if folder.endswith(".dist-info") and (file.name == "METADATA" or "licenses" in file.parts):
            yield file.as_posix(), file.locate().read_bytes()  # type: ignore[attr-defined]
