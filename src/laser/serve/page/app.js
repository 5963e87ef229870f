// The page: two editors, a timeline, a snapshot and explanations; the live mode replaces the evaluation.
import { ask, latest } from "./api.js";
import { find, later, make, say } from "./dom.js";
import { Editor } from "./editor.js";
import { Live, endLive, explainLive, openLive, sendLines } from "./live.js";
import { linkTo, readLink } from "./share.js";
import { Timeline } from "./timeline.js";
import { showWhy } from "./why.js";

const evaluate = latest("evaluate"), explain = latest("explain"), snapshotOf = latest("snapshot");
const soon = later(250, run);
const rules = new Editor(find("rules"), { label: "Rules", grammar: "rules", changed: soon });
const stream = new Editor(find("stream"), { label: "Stream", grammar: "stream", changed: soon });
const timeline = new Timeline(find("timeline"), { moved: showSnapshot, chosen: why });
const live = new Live({ drawn: showLive, told: say });
let examples = [], shown = null, liveName = null, playing = 0, token = "";
let beside = {}; // parts of the program that the page does not show: background data, constants, a zone, options of a table

const content = () => ({
  program: rules.text, stream: stream.text,
  start: find("start").value.trim(), until: find("until").value.trim(), tick: find("tick").value.trim() || "1 s", ...beside,
});

function put(given) {
  rules.text = given.program;
  stream.text = given.stream;
  for (const name of ["start", "until"]) find(name).value = given[name] ?? "";
  find("tick").value = given.tick ?? "1 s";
  beside = Object.fromEntries(["background", "constants", "zone", "table"].filter((name) => given[name]).map((name) => [name, given[name]]));
  timeline.data = null;
  run();
}

// -- evaluation, while people type

async function run() {
  const answer = await evaluate(content());
  if (!answer) return;
  rules.mark(answer.findings ?? []);
  stream.mark(answer.stream_findings ?? []);
  tellFindings("rules-findings", answer.findings ?? [], answer.reach);
  tellFindings("stream-findings", answer.stream_findings ?? [], answer.facts === undefined ? "" : `${answer.facts} facts`);
  if (liveName) return; // the timeline shows the live stream, which runs with the rules that it began with
  find("timeline").classList.toggle("stale", !answer.timeline);
  if (answer.error) { note(answer.error.message, true); return; }
  if (!answer.timeline) { note("The timeline still shows the last program without errors."); return; }
  shown = answer.timeline;
  note([...(answer.reports ?? []), shown.reduced ? "There is too much to show: some rows and bars are merged." : "", shown.groups.length ? "" : "Nothing holds at any time."].filter(Boolean).join(" "));
  timeline.set(shown);
}

function note(text, wrong = false) {
  find("time-note").textContent = text;
  find("time-note").classList.toggle("wrong", wrong);
}

function tellFindings(id, findings, otherwise) {
  const errors = findings.filter((finding) => finding.severity === "error").length;
  const first = findings.find((finding) => finding.severity === "error") ?? findings[0];
  const counts = [[errors, "error"], [findings.length - errors, "warning"]].filter(([n]) => n).map(([n, word]) => `${n} ${word}${n > 1 ? "s" : ""}`);
  find(id).textContent = first ? `${counts.join(", ")}; line ${first.line ?? "?"}: ${first.message}` : id === "rules-findings" && otherwise ? `No errors. Reaches back: ${otherwise}.` : otherwise;
  find(id).dataset.severity = first?.severity ?? "";
}

// -- time

async function showSnapshot(time) {
  find("at").value = timeline.clock(time);
  find("snapshot-time").textContent = timeline.clock(time);
  const data = timeline.data;
  if (!data) return;
  if (data.reduced && !liveName) {
    const answer = await snapshotOf({ ...content(), at: time });
    if (answer && !answer.error) listSnapshot(answer.holding, answer.facts);
    return;
  }
  const holds = (row) => row.atom && row.bars.some(([since, until]) => since <= time && time <= until);
  const rows = (given) => data.groups.filter((group) => group.given === given).flatMap((group) => group.rows.filter(holds).map((row) => row.atom));
  const points = data.groups.flatMap((group) => group.curves.flatMap((curve) => curve.points.filter((point) => point[0] === time).map((point) => point[2])));
  listSnapshot(rows(false), [...points, ...rows(true)]);
}

function listSnapshot(holding, facts) {
  const list = (atoms, kind) => make("ul", {}, ...atoms.map((atom) => make("li", {}, make("button", { class: kind, title: "Why?", onclick: () => why(atom, timeline.time) }, atom))));
  const parts = [];
  if (holding.length) parts.push(list(holding, "derived"));
  if (facts.length) parts.push(make("p", { class: "quiet" }, "Facts at this time:"), list(facts, "fact"));
  find("snapshot").replaceChildren(...(parts.length ? parts : [make("p", { class: "quiet" }, "Nothing holds.")]));
}

async function why(atom, time) {
  timeline.move(time);
  find("ask-atom").value = atom;
  find("why").replaceChildren(make("p", { class: "quiet" }, "…"));
  const answer = liveName ? await explainLive(liveName, atom, time) : await explain({ ...content(), atom, at: time });
  if (!answer) return;
  showWhy(find("why"), answer, (line) => rules.goTo(line));
  if (innerWidth < 760) find("why-title").scrollIntoView({ block: "start" });
}

// -- live

async function toggleLive() {
  const on = find("live").getAttribute("aria-pressed") !== "true";
  find("live").setAttribute("aria-pressed", on);
  find("live-pane").hidden = !on;
  if (on) { await offerStreams(); await watch(); return; }
  clearInterval(playing);
  live.stop();
  liveName = null;
  timeline.data = null;
  run();
}

async function offerStreams() {
  const { live: streams } = await (await fetch("/api/start")).json();
  const choices = streams.map(({ name, title }) => make("option", { value: name }, `output: ${title}`));
  find("live-source").replaceChildren(make("option", { value: "" }, "these rules, fed by you"), ...choices);
  const followed = streams.find((one) => !one.fed);
  if (followed) find("live-source").value = followed.name;
}

async function watch() {
  clearInterval(playing);
  live.stop();
  const chosen = find("live-source").value;
  let name = chosen;
  if (!chosen) {
    const { program, start, tick, background, constants, zone } = content();
    const answer = await openLive({ program, start, tick, background, constants, zone });
    if (answer.error) { say(answer.error.message.split("\n")[0]); note(answer.error.message, true); return; }
    name = answer.name;
  }
  liveName = name;
  for (const id of ["live-line", "live-play", "live-end"]) find(id).disabled = Boolean(chosen) && chosen.startsWith("follow-");
  find("live-curl").textContent = chosen.startsWith("follow-") ? "(read from files)" : `curl -T - -X POST -H "Authorization: Bearer ${token}" ${location.origin}/api/live/${name}/facts`;
  timeline.data = null;
  timeline.host.replaceChildren();
  timeline.host.classList.remove("stale");
  listSnapshot([], []);
  note("Waiting for the stream.");
  live.watch(name);
}

function showLive(data, { facts, changes, missed }) {
  find("live-count").textContent = `${facts} facts, ${changes} changes${missed ? `, ${missed} gaps` : ""}`;
  if (!data.groups.length) return;
  note("");
  const atEnd = !timeline.data || timeline.time === timeline.data.end;
  timeline.set(data, { follow: atEnd });
}

async function send(text) {
  const answer = await sendLines(liveName, text);
  const wrong = answer.error?.message ?? answer.rejected?.[0]?.reason;
  if (wrong) say(wrong);
  return !wrong;
}

async function play() {
  clearInterval(playing);
  const { lines, error } = await ask("records", content());
  if (error) { say(error.message); return; }
  if (!lines.length) { say("There is nothing to play: the stream above has no records."); return; }
  clearInterval(playing);
  playing = setInterval(async () => {
    const line = lines.shift();
    if (line === undefined || !(await send(`${line}\n`))) clearInterval(playing);
  }, 250);
}

// -- buttons and keys

find("example").addEventListener("change", (event) => put(examples[event.target.value]));
for (const id of ["start", "until", "tick"]) find(id).addEventListener("input", soon);
find("back").addEventListener("click", () => timeline.move(timeline.time - 1));
find("on").addEventListener("click", () => timeline.move(timeline.time + 1));
find("nearer").addEventListener("click", () => timeline.zoom(0.5));
find("farther").addEventListener("click", () => timeline.zoom(2));
find("whole").addEventListener("click", () => timeline.whole());
find("at").addEventListener("change", (event) => {
  const tick = timeline.data?.tick, text = event.target.value.trim();
  timeline.move(/^\d+$/.test(text) || !tick ? Number(text) : Date.parse(text) / 1000 / tick);
});
find("ask").addEventListener("submit", (event) => { event.preventDefault(); if (find("ask-atom").value.trim()) why(find("ask-atom").value.trim(), timeline.time); });
find("tidy").addEventListener("click", () => rewrite({}));
find("formal").addEventListener("click", async (event) => {
  const formal = event.currentTarget.getAttribute("aria-pressed") !== "true";
  if (await rewrite({ notation: formal ? "formal" : "readable" })) find("formal").setAttribute("aria-pressed", formal);
});
find("share").addEventListener("click", async () => {
  const link = await linkTo(content());
  history.replaceState(null, "", link);
  try { await navigator.clipboard.writeText(link); say("The link is copied."); } catch { say("The link is in the address bar."); }
});
find("theme").addEventListener("click", () => {
  const order = ["", "light", "dark"], root = document.documentElement;
  const next = order[(order.indexOf(root.dataset.theme ?? "") + 1) % order.length];
  setTheme(next);
  say(next ? `Theme: ${next}` : "Theme: system setting");
});
find("live").addEventListener("click", toggleLive);
find("live-source").addEventListener("change", watch);
find("live-span").addEventListener("change", (event) => { live.span = Math.max(5, Math.min(5000, Number(event.target.value) || 60)); });
find("live-send").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await send(`${find("live-line").value}\n`)) find("live-line").value = "";
});
find("live-play").addEventListener("click", play);
find("live-again").addEventListener("click", async () => { if (liveName && !liveName.startsWith("follow-")) await endLive(liveName); watch(); });
find("live-end").addEventListener("click", async () => { clearInterval(playing); await endLive(liveName); });
addEventListener("hashchange", async () => { const given = await readLink(); if (given) put(given); });

async function rewrite(wanted) {
  const answer = await ask("tidy", { program: rules.text, ...wanted });
  if (answer.error) { say(answer.error.message.split("\n")[0]); return false; }
  rules.text = answer.program;
  run();
  return true;
}

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  try { localStorage.setItem("theme", name); } catch { /* without storage, the choice lasts as long as the page */ }
}

async function begin() {
  try { setTheme(localStorage.getItem("theme") ?? ""); } catch { /* as above */ }
  const started = await (await fetch("/api/start")).json();
  if (started.error) { say(started.error.message); note(started.error.message, true); return; }
  token = started.token;
  examples = started.given ? [started.given, ...started.examples] : started.examples;
  find("example").replaceChildren(...examples.map((example, place) => make("option", { value: place }, example.title)));
  const linked = await readLink();
  if (!linked && !started.given) find("example").value = examples.findIndex((example) => example.name === "cooling");
  put(linked ?? examples[find("example").value]);
  if (started.live.some((one) => !one.fed) && !linked) await toggleLive();
}

begin();
