"""The package as its users get it: a wheel and an sdist that install and run alone, with types that checkers can use."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
USER = Path(__file__).parent / "user_project.py"


def call(*command: object, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A wheel, and an sdist, made as a release makes them."""
    place = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "hatchling", "build", "-d", place, cwd=ROOT)
    return place


def test_a_wheel_has_all_that_is_read_when_it_runs(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    written = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "laser").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".pyo")
    }
    assert written <= names


def test_an_sdist_has_the_source_the_tests_and_the_documents(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = (
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "src/laser/py.typed",
        "tests/test_cases.py",
        "docs/language.md",
    )
    assert set(wanted) <= names


def test_a_wheel_runs_in_an_environment_with_nothing_but_what_it_asks_for(built, tmp_path):
    """click and lark are taken from where the tests run, so that no network is needed; nothing else is there."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    (wheel,) = built.glob("*.whl")
    site = Path(call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in ("click", "lark"):
        (site / name).symlink_to(Path(__import__(name).__file__ or "").parent)
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    program, stream = ROOT / "examples" / "first.lars", ROOT / "examples" / "first.stream"
    answers = call(python, "-m", "laser", "eval", program, stream, cwd=tmp_path, env=env)
    assert answers.splitlines()[0] == "2  + warm(oven)"
    assert (
        "needs PySpark: pip install"
        in subprocess.run(
            [python, "-c", "import laser.spark"], capture_output=True, text=True, check=False, env=env, cwd=tmp_path
        ).stderr
    )


def test_mypy_takes_the_types_of_the_package(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    env = {**os.environ, "MYPYPATH": str(tmp_path / "site")}
    checker = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file="]
    (tmp_path / "user.py").write_bytes(USER.read_bytes())
    call(*checker, "user.py", cwd=tmp_path, env=env)
    (tmp_path / "wrong.py").write_text("import laser\n\nnumber: int = laser.Reasoner('').holding()\n", "utf-8")
    wrong = subprocess.run([*checker, "wrong.py"], capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert "frozenset[Atom]" in wrong.stdout
