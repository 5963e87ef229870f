"""The page in a real browser, used as a person uses it: with keys, a mouse, and eyes on what is written."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import threading
import time
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.serve.server import Server, running

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: apt-get install chromium")

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
# Screenshots are for people: LASER_SCREENSHOTS=folder keeps them.
SCREENSHOTS = os.environ.get("LASER_SCREENSHOTS")


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=BROWSER, headless=True, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """Open the page; at the end nothing may have gone wrong in it, and nothing may have been asked of other servers."""
    contexts, wrong = [], []

    def opened(server: Server, fragment: str = "", width: int = 1280, height: int = 900, scheme: str = "light"):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda message: (
                wrong.append(message.text) if message.type == "error" and not harmless(message.text) else None
            ),
        )
        page.on(
            "request", lambda request: wrong.append(request.url) if not request.url.startswith(server.origin) else None
        )
        page.goto(server.address + fragment)
        # What it begins with is there, so it cannot replace what a test types.
        expect(page.locator("#rules")).not_to_have_text("")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def harmless(message: str) -> bool:
    """Chromium, joining two lines, tries to keep their looks with a style of its own; the policy forbids it, and we want none."""
    return message.startswith("Applying inline style")


def expect(thing):
    """What is said of a thing comes true in a while; on a busy machine, in a longer while."""
    playwright.expect.set_options(timeout=20_000)
    return playwright.expect(thing)


def write(page, editor: str, text: str) -> None:
    """Type a text in the place of what is there."""
    page.click(editor)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(text)


def linked(program: str, stream: str) -> str:
    """The fragment of a link that carries a program and a stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps({"program": program, "stream": stream}).encode()) + packer.flush()
    return f"#p={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def bars(page, atom: str):
    return page.locator(f'#timeline .bar[data-atom="{atom}"]')


def look(page, name: str) -> None:
    if SCREENSHOTS:
        Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)


def test_a_first_visit_leads_from_a_mistake_to_an_explanation(server: Server, open_page) -> None:
    """Type a program with an error, see it marked, fix it, see the timeline, move in time, click, read why."""
    page = open_page(server)
    write(page, "#stream", "1: temp(oven, 91), temp(press, 20).\n2: temp(oven, 95).\n3: temp(oven, 96).\n9:")
    write(page, "#rules", "hot(M) :- temp(M, V) in [2], V > 90.\nalarm(X) :- hot(M) in [0].")

    # The mistake is told below its line, and underlined.
    second = page.locator("#rules > div").nth(1)
    expect(second).to_have_attribute("data-severity", "error")
    expect(second).to_have_attribute(
        "data-finding", re.compile("`X` in the head is not bound by any positive body atom")
    )
    shown = second.evaluate("line => getComputedStyle(line, '::after').content")
    assert "not bound by any positive" in shown
    expect(page.locator("#rules-findings")).to_contain_text("line 2")
    assert page.evaluate("CSS.highlights.get('wrong').size") == 1

    # Fixed with the keyboard, it is gone, and the timeline is there.
    page.click("#rules > div:nth-child(2)")
    page.keyboard.press("Home")
    for _ in range(len("alarm(")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("M")
    expect(second).not_to_have_attribute("data-severity", "error")
    assert second.text_content() == "alarm(M) :- hot(M) in [0]."
    expect(bars(page, "alarm(oven)")).to_have_count(1)

    # Moving in time shows what holds then.
    page.focus("#timeline")
    page.keyboard.press("Home")
    expect(page.locator("#snapshot-time")).to_have_text("1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#snapshot-time")).to_have_text("2")
    expect(page.locator("#snapshot .derived")).to_have_text(["hot(oven)", "alarm(oven)"])
    page.keyboard.press("End")
    expect(page.locator("#snapshot")).to_contain_text("Nothing holds")

    # A click on a bar tells why.
    bars(page, "hot(oven)").click(position={"x": 5, "y": 5})
    expect(page.locator("#why h3")).to_have_text("hot(oven) holds at 1")
    expect(page.locator("#why .rule-text").first).to_contain_text("hot(M) :- temp(M, V) in [2], V > 90.")
    expect(page.locator("#why .fact").first).to_contain_text("temp(oven, 91) at 1")

    # And an atom that does not hold is asked for.
    page.fill("#ask-atom", "hot(press)")
    page.press("#ask-atom", "Enter")
    expect(page.locator("#why h3")).to_contain_text("does not hold")
    expect(page.locator("#why .fails").first).to_be_visible()


def test_everything_is_reached_by_keyboard(server: Server, open_page) -> None:
    page = open_page(server)
    page.wait_for_selector("#timeline .bar")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {
        "example",
        "tidy",
        "formal",
        "share",
        "live",
        "theme",
        "rules",
        "stream",
        "at",
        "timeline",
        "derived",
        "ask-atom",
    } <= reached
    page.locator("#snapshot .derived").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why h3")).to_contain_text("holds at")


def test_typing_is_plain_text_editing(server: Server, open_page) -> None:
    page = open_page(server)
    write(page, "#rules", "a :- b.\nc :- d.\n\ne :- f.")
    lines = "() => [...document.querySelectorAll('#rules > div')].map((line) => line.textContent)"
    assert page.evaluate(lines) == ["a :- b.", "c :- d.", "", "e :- f."]
    page.click("#rules > div:nth-child(2)")
    page.keyboard.press("Home")
    page.keyboard.press("Backspace")  # joins two lines
    assert page.evaluate(lines) == ["a :- b.c :- d.", "", "e :- f."]
    page.keyboard.press("Enter")
    assert page.evaluate(lines) == ["a :- b.", "c :- d.", "", "e :- f."]
    page.keyboard.press("Control+Z")
    page.keyboard.press("Control+Z")
    assert "".join(page.evaluate(lines)).replace(" ", "") == "a:-b.c:-d.e:-f."
    page.keyboard.press("Control+A")  # pasting is text, whatever was copied
    page.evaluate(
        """() => { const data = new DataTransfer(); data.setData("text/plain", "x :- y.\\nz :- y."); data.setData("text/html", "<b>x</b>");
        document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }"""
    )
    assert page.evaluate(lines) == ["x :- y.", "z :- y."]


def test_a_link_carries_program_and_stream(server: Server, open_page) -> None:
    page = open_page(server)
    write(page, "#rules", "q(X) :- p(X) in [2].  % ⊞ and ü")
    write(page, "#stream", "1: p(a).")
    page.fill("#until", "4")
    page.click("#share")
    page.wait_for_url(re.compile("#p=.{20}"))
    fragment = page.evaluate("location.hash")
    other = open_page(server, fragment)
    expect(other.locator("#rules")).to_have_text("q(X) :- p(X) in [2].  % ⊞ and ü")
    expect(other.locator("#until")).to_have_value("4")
    expect(bars(other, "q(a)")).to_have_count(1)


def test_examples_notations_and_themes(server: Server, open_page) -> None:
    page = open_page(server)
    for title in page.locator("#example option").all_text_contents():
        page.select_option("#example", label=title)
        expect(page.locator("#timeline .bar").first).to_be_visible()
        expect(page.locator("#rules-findings")).to_contain_text("No errors")
    page.select_option("#example", label="The paper's example")
    expect(bars(page, "q(x1, y, z)")).to_have_count(1)
    page.click("#formal")
    expect(page.locator("#rules")).to_contain_text("⊞3 ◇ a(X, Y)")
    page.click("#theme")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_long_stream_is_reduced_and_its_snapshots_are_whole(server: Server, open_page) -> None:
    page = open_page(server)
    write(page, "#rules", "q(X) :- p(X) in [500].")
    page.click("#stream")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("\n".join(f"{n}: p(a{n})." for n in range(300)))
    expect(page.locator("#time-note")).to_contain_text("too much to show")
    page.focus("#timeline")
    page.keyboard.press("End")
    expect(page.locator("#snapshot-time")).to_have_text("299")
    expect(page.locator("#snapshot .derived")).to_have_count(300)


def test_an_exploding_program_is_reported_and_the_page_keeps_working(server: Server, open_page) -> None:
    page = open_page(server)
    write(page, "#rules", "n(0). n(X + 1) :- n(X), p.")
    write(page, "#stream", "1: p.")
    expect(page.locator("#time-note")).to_have_class(re.compile("wrong"))
    write(page, "#rules", "q :- p.")
    expect(bars(page, "q")).to_have_count(1)


def test_a_live_stream_is_followed(server: Server, open_page) -> None:
    page = open_page(server)
    write(page, "#rules", "hot(M) :- temp(M, V) in [2], V > 90.")
    page.click("#live")
    expect(page.locator("#live-curl")).to_contain_text("/api/live/")
    name = page.text_content("#live-curl").split("/api/live/")[1].split("/")[0]
    page.fill("#live-line", "1: temp(oven, 95).")
    page.press("#live-line", "Enter")
    expect(bars(page, "hot(oven)")).to_have_count(1)

    def post() -> None:
        for point in range(2, 22):
            server.feed(name, f'{{"time": {point}, "predicate": "temp", "args": ["press", {80 + point}]}}\n')
            time.sleep(0.02)

    feeding = threading.Thread(target=post)
    feeding.start()
    expect(page.locator("#live-count")).to_have_text("21 facts, 3 changes")
    feeding.join()
    expect(bars(page, "hot(press)")).to_have_count(1)
    expect(page.locator("#snapshot-time")).to_have_text("21")
    look(page, "live")
    bars(page, "hot(press)").click()
    expect(page.locator("#why h3")).to_contain_text("hot(press) holds at")
    page.click("#live")  # and back
    expect(page.locator("#live-pane")).to_be_hidden()


def test_an_output_is_followed_from_the_start(tmp_path: Path, open_page) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"time": 3, "holds": true, "predicate": "alarm", "args": []}\n')
    with running("--follow", str(tmp_path)) as started:
        page = open_page(started)
        expect(bars(page, "alarm")).to_have_count(1)
        with file.open("a") as more:
            more.write('{"time": 9, "holds": false, "predicate": "alarm", "args": []}\n')
        expect(page.locator("#live-count")).to_have_text("0 facts, 2 changes")
        page.close()  # before its server goes


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light"), ("phone-dark", 390, "dark")],
)
def test_it_is_readable_in_light_and_dark_and_on_a_phone(
    server: Server, open_page, name: str, width: int, scheme: str
) -> None:
    page = open_page(server, width=width, scheme=scheme)
    bars(page, "alarm").first.click()
    expect(page.locator("#why .rule-text").first).to_be_visible()
    look(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # nothing sticks out
    for selector in ("body", "#rules > div", "#snapshot button", "#why .note", ".findings"):
        assert contrast(page, selector) >= 4.5, selector


def contrast(page, selector: str) -> float:
    """The contrast of text and ground, by the formula of WCAG."""
    return float(page.evaluate(
        """(selector) => {
          const node = document.querySelector(selector);
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const light = (colour) => {
            canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          let ground = node;
          while (ground.parentElement && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
          const [a, b] = [light(getComputedStyle(node).color), light(getComputedStyle(ground).backgroundColor)];
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }""",
        selector,
    ))  # fmt: skip


def test_the_token_is_removed_from_the_address(server: Server, open_page) -> None:
    page = open_page(server)
    assert page.url == server.origin
    page.reload()
    page.wait_for_selector("#rules > div")
    assert "token" not in page.url


def test_a_page_without_the_token_says_what_to_open(server: Server, browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.origin)
    expect(page.locator("body")).to_contain_text("open the address that `laser serve` printed")
    context.close()


def test_a_short_link_that_unpacks_to_too_much_is_refused(server: Server, open_page) -> None:
    link = linked("% bomb\n" + " " * 60_000_000, "")
    assert len(link) < 100_000
    page = open_page(server, link)
    expect(page.locator("#rules")).not_to_contain_text("bomb")
    expect(page.locator("#rules")).to_contain_text(":-")  # the example, as without a link


MANY = "time,predicate,arg1\n" + "".join(f"{n},p,a{n}\n" for n in range(1, 9))


def test_answers_come_first_and_many_facts_are_folded(server: Server, open_page) -> None:
    page = open_page(server, linked("q(X) :- p(X), X != a3.", MANY))
    expect(bars(page, "q(a8)")).to_have_count(1)
    expect(bars(page, "p(a8)")).to_have_count(0)
    titles = page.locator("#timeline .title").all_text_contents()
    assert titles == ["q/1", "▸ p/1"]
    look(page, "folded")
    page.locator("#timeline .fold").click()
    expect(bars(page, "p(a8)")).to_have_count(1)
    page.locator("#timeline .fold").click()
    expect(bars(page, "p(a8)")).to_have_count(0)


def test_lines_have_a_legend_colours_of_their_own_and_stop_at_outages(server: Server, open_page) -> None:
    stream = "".join(
        f"{t}: " + ", ".join(f"hr(p{n}, {60 + 9 * n + t % 3})" for n in range(8) if n != 2 or not 9 < t < 30) + ".\n"
        for t in range(40)
    )
    page = open_page(server, linked("fast(P) :- hr(P, B), B > 100.", stream))
    expect(page.locator("#timeline .legend")).to_have_count(8)
    expect(page.locator("#timeline polyline")).to_have_count(9)
    colours = {line.get_attribute("class") for line in page.locator("#timeline polyline").all()}
    assert len(colours) == 8
    assert bars(page, "fast(p5)").first.get_attribute("class").split()[1] not in colours
    boxes = [label.bounding_box() for label in page.locator("#timeline .legend").all()]
    for left, right in pairwise(boxes):
        assert left["y"] != right["y"] or left["x"] + left["width"] < right["x"]
    look(page, "lines")


def test_a_stream_of_any_format_can_be_played(server: Server, open_page) -> None:
    page = open_page(server, linked("q(X) :- p(X).", MANY))
    expect(bars(page, "q(a8)")).to_have_count(1)
    page.click("#live")
    expect(page.locator("#live-curl")).to_contain_text("/api/live/")
    page.click("#live-play")
    expect(page.locator("#live-count")).to_contain_text("8 facts")
    expect(bars(page, "q(a8)")).to_have_count(1)
