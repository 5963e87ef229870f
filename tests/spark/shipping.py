"""A stream on a cluster whose workers do not have Laser: ``python -m tests.spark.shipping``.

The workers of a standalone cluster run a Python that has what Spark needs, and nothing of ours. Without the archive of ``laser package``
the run must end with a sentence that says what to do; with it, the answers must be those of a local run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

from tests.spark.recovery import answers, cluster, command, finish, run, write_input, write_pipeline

NEEDED = ("dateutil", "google", "numpy", "numpy.libs", "pandas", "pyarrow", "pytz", "six.py", "tzdata")
"""What Spark's Arrow and its state need of a worker; PySpark itself comes from Spark's own directory."""


def bare_python(place: Path) -> Path:
    """An environment with what Spark needs, and without Laser, click and lark."""
    venv.create(place, with_pip=False)
    installed = Path(sysconfig.get_path("purelib"))
    packages = next(place.glob("lib/python*/site-packages"))
    for name in NEEDED:
        if (installed / name).exists():
            (packages / name).symlink_to(installed / name)
    python = place / "bin" / "python"
    found = "import importlib.util as u; print([n for n in ('laser', 'click', 'lark') if u.find_spec(n)])"
    told = subprocess.run([python, "-I", "-c", found], capture_output=True, text=True, check=True).stdout
    if told.strip() != "[]":
        raise SystemExit(f"the bare environment has {told}")
    return python


def main() -> None:
    base = Path(tempfile.mkdtemp(prefix="laser-shipping-"))
    write_input(base / "in", 1)
    write_pipeline(base)
    python = bare_python(base / "bare")
    archive = base / "laser.zip"
    finish(
        run([sys.executable, "-m", "laser", "package", "-o", str(archive)], base / "package.log"), base / "package.log"
    )
    finish(run(command(base, "local", None), base / "local.log"), base / "local.log")
    elsewhere = ["--conf", f"spark.pyspark.python={python}"]
    with cluster(base, 1, python) as (master, _):
        refused = run([*command(base, "refused", master), *elsewhere], base / "refused.log")
        code, told = refused.wait(timeout=300), (base / "refused.log").read_text("utf-8")
        if code != 1 or "laser package -o laser.zip" not in told or "Traceback" in told:
            raise SystemExit(f"without the archive, the run ended with {code}:\n{told[-4000:]}")
        sent = [*elsewhere, "--conf", f"spark.submit.pyFiles={archive}"]
        finish(run([*command(base, "sent", master), *sent], base / "sent.log"), base / "sent.log")
    local, sent_answers = answers(base / "local"), answers(base / "sent")
    rows = {name: len(found) for name, found in local.items()}
    if local != sent_answers or not all(rows.values()):
        raise SystemExit(f"they differ: {rows} and { {n: len(f) for n, f in sent_answers.items()} }; see {base}")
    print(f"workers without the package gave the same rows: {rows} ({os.path.getsize(archive):,} bytes were sent)")
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
