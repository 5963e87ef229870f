"""Draws the pictures of the README and the documents, so that they show what users see: `make pictures`.

The playground is opened in a real Chromium; the timeline and the explanation come from the command line.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
WARD = [
    str(ROOT / "examples" / "tables" / "ward.lars"),
    "--input",
    f"hr={ROOT / 'examples' / 'tables' / 'ward.csv'}",
    "--max-ahead",
    "1 d",
]
ALARM, AT = "alarm(p3)", "2026-03-02T22:04:00Z"


def laser(*words: str) -> list[str]:
    return [sys.executable, "-m", "laser", *words]


def timeline() -> None:
    """The readings of a ward with its alarms."""
    picture = PICTURES / "ward.svg"
    command = laser("plot", *WARD, "--rejects", os.devnull, "-o", str(picture), "--theme", "light", "--width", "800")
    subprocess.run(command, check=True, env=_environment())  # noqa: S603 - our own command


def playground() -> None:
    """The same ward in the page, with the proof of an alarm open."""
    command = laser("serve", *WARD, "--port", "0", "--no-open")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment()) as server:  # noqa: S603 - as above
        try:
            assert server.stdout is not None
            _photograph(server.stdout.readline().strip())
        finally:
            server.terminate()


def _photograph(address: str) -> None:
    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page.goto(address)
        _ask(page)
        page.screenshot(path=str(PICTURES / "playground.png"))
        browser.close()


def _ask(page: Page) -> None:
    page.wait_for_selector("#timeline svg")
    page.fill("#at", AT)
    page.press("#at", "Enter")
    page.fill("#ask-atom", ALARM)
    page.click("#ask button")
    page.wait_for_selector("#why li, #why details, #why ul")
    page.wait_for_timeout(500)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    timeline()
    playground()
