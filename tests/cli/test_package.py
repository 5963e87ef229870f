"""The archive of ``laser package``: what is in it, and that it works without anything else."""

from __future__ import annotations

import subprocess
import sys
import zipfile

from tests.packaging.test_package import ROOT

REASON = """
import sys
sys.path.insert(0, "laser.zip")
import laser
places = {module.__file__.split("laser.zip")[0] for name, module in sys.modules.items() if name in ("laser", "click", "lark")}
reasoner = laser.Reasoner(laser.parse("q(X) :- a(X) in [3], not b."))
print(len(places), [str(change) for change in reasoner.advance(1, [("a", 1)])])
"""


def test_the_archive_works_alone(laser, here):
    result = laser("package")
    assert result.stderr.startswith("laser.zip: ")
    done = subprocess.run([sys.executable, "-S", "-I", "-c", REASON], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 ['1 + q(1)']\n"


def test_the_archive_has_all_files_and_their_licences_and_is_the_same_again(laser, here):
    laser("package", "-o", "one.zip")
    laser("package", "--output", "two.zip")
    assert (here / "one.zip").read_bytes() == (here / "two.zip").read_bytes()
    names = zipfile.ZipFile(here / "one.zip").namelist()
    files = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "laser").rglob("*") if path.is_file()
    }
    assert {name for name in files if not name.endswith(".pyc")} <= set(names)
    assert "laser/syntax/grammar.lark" in names
    assert not [name for name in names if name.endswith((".pyc", ".so"))]
    for package in ("click", "lark"):
        assert any(name.startswith(f"{package}-") and "/licenses/" in name for name in names)


def test_a_place_that_cannot_be_written_to_is_named(laser, here):
    result = laser("package", "-o", "nowhere/laser.zip", code=1)
    assert result.stderr == "error: nowhere/laser.zip: there is no directory nowhere\n"
