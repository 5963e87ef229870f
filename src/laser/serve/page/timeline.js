// Draws a timeline: groups of bars, curves, and the time cursor. It does not know where its data come from.
import { columnsOf, draw, fit, make } from "./dom.js";

const ROW = 20, BAR = 12, CURVE = 84, GAP = 7, AXIS = 20, EDGE = 8, LEGEND = 16, HUES = 12, MOST_ROWS = 60, MOST_FACTS = 3;
const LETTER = 7.3, QUIET_LETTER = 6.7;

// A function that writes time points as dates in a zone, with the offset.
function dates(tick, zone) {
  const offsets = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (time) => {
    const instant = new Date(time * tick * 1000);
    const name = offsets.formatToParts(instant).find((part) => part.type === "timeZoneName").value.slice(3) || "+00:00";
    const [hours, minutes] = name.split(":").map(Number);
    const ahead = (hours * 60 + (name[0] === "-" ? -minutes : minutes)) * 60_000;
    const text = new Date(instant.getTime() + ahead).toISOString().replace("Z", "").replace(".000", "");
    return text + (name === "+00:00" ? "Z" : name);
  };
}

export class Timeline {
  constructor(host, { moved, chosen }) {
    Object.assign(this, { host, moved, chosen, data: null, time: 0, view: null, clock: String, unfolded: new Set() });
    this.tip = document.body.appendChild(make("div", { id: "tip", hidden: true }));
    host.addEventListener("pointermove", (event) => this.#hover(event));
    host.addEventListener("pointerleave", () => (this.tip.hidden = true));
    host.addEventListener("pointerdown", (event) => this.#press(event));
    host.addEventListener("click", (event) => this.#click(event));
    host.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  set(data, { follow = false } = {}) {
    const before = this.data;
    this.data = data;
    this.clock = data.tick ? dates(data.tick, data.zone ?? "UTC") : String;
    if (!before || follow || before.start !== data.start || before.end !== data.end) this.view = null;
    if (follow || !before || this.time < data.start || this.time > data.end) this.time = data.end;
    this.draw();
    this.moved(this.time);
  }

  get range() { return this.view ?? { from: this.data.start, to: this.data.end }; }

  move(time) {
    if (!this.data || Number.isNaN(time)) return;
    this.time = Math.max(this.data.start, Math.min(this.data.end, Math.round(time)));
    const { from, to } = this.range;
    if (this.time < from || this.time > to) {
      const half = (to - from) / 2;
      this.#show(this.time - half, this.time + half);
    }
    this.#cursor();
    this.moved(this.time);
  }

  zoom(factor) {
    if (!this.data) return;
    const { from, to } = this.range;
    const length = Math.max(4, (to - from + 1) * factor);
    const share = (this.time - from) / Math.max(1, to - from);
    this.#show(this.time - length * share, this.time + length * (1 - share));
    this.draw();
  }

  whole() { this.view = null; this.draw(); }

  #show(from, to) {
    const { start, end } = this.data;
    const length = Math.min(Math.round(to - from), end - start);
    const first = Math.max(start, Math.min(Math.round(from), end - length));
    this.view = length >= end - start ? null : { from: first, to: first + length };
    this.draw();
  }

  // -- drawing

  x(time) {
    const { from, to } = this.range;
    return this.left + ((time - from) * (this.width - this.left - EDGE)) / (to - from + 1);
  }

  draw() {
    if (!this.data || !this.host.clientWidth) return;
    this.width = this.host.clientWidth;
    const labels = this.data.groups.flatMap((group) => [`▸ ${group.title}`, ...(this.#folded(group) ? [] : group.rows.slice(0, MOST_ROWS).map((row) => `  ${row.label}`))]);
    const longest = Math.max(4, ...labels.map(columnsOf));
    this.left = Math.round(Math.min(longest * LETTER + 14, this.width * 0.36, 260));
    this.y = 4;
    this.hues = 0;
    const parts = this.data.groups.flatMap((group) => this.#group(group));
    const { lines, labels: times } = this.#axis();
    this.height = this.y;
    this.picture = draw("svg", { height: this.height, viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true" }, ...lines, ...parts);
    this.band = this.picture.appendChild(draw("rect", { class: "cursor", y: 0, height: this.y }));
    this.line = this.picture.appendChild(draw("line", { class: "cursor-line", y1: 0, y2: this.y }));
    this.host.replaceChildren(draw("svg", { class: "axis", height: AXIS, viewBox: `0 0 ${this.width} ${AXIS}`, "aria-hidden": "true" }, ...times), this.picture);
    this.#cursor();
  }

  #text(x, y, text, kind = "", anchor = "start") {
    return draw("text", { x, y, class: kind, "text-anchor": anchor }, text);
  }

  #cut(text, indent) {
    return fit(text, Math.floor((this.left - EDGE - indent) / LETTER));
  }

  // Lines and bars have different colours as long as there are enough colours.
  #hue() { return `hue${this.hues++ % HUES}`; }

  // Many facts of a predicate are shown as one row, until it is unfolded.
  #many(group) { return group.given && group.rows.length > MOST_FACTS; }
  #folded(group) { return this.#many(group) && !this.unfolded.has(group.title); }

  #group(group) {
    if (this.#folded(group)) return [...this.#row({ atom: null, label: `▸ ${group.title}`, bars: union(group.rows), fold: group.title, tip: `${group.rows.length} atoms of ${group.title}` }, "given", true, group), ...this.#gap()];
    const colour = group.curves.length ? "" : group.given ? "given" : this.#hue();
    const plain = group.arity === 0 && !group.curves.length;
    const parts = [];
    if (!plain) {
      const many = this.#many(group), title = this.#text(EDGE, this.y + 13, this.#cut(many ? `▾ ${group.title}` : group.title, 0), many ? "title fold" : "title");
      if (many) title.dataset.fold = group.title;
      parts.push(title);
      this.y += ROW;
    }
    if (group.curves.length) parts.push(...this.#curves(group));
    for (const row of group.rows.slice(0, MOST_ROWS)) parts.push(...this.#row(row, colour, plain, group));
    if (group.rows.length > MOST_ROWS) {
      parts.push(this.#text(EDGE + 10, this.y + 13, `… ${group.rows.length - MOST_ROWS} more`, "quiet"));
      this.y += ROW;
    }
    return [...parts, ...this.#gap()];
  }

  #gap() { this.y += GAP; return []; }

  #row(row, colour, plain, group) {
    const indent = plain ? 0 : 10;
    const parts = [this.#text(EDGE + indent, this.y + 13, this.#cut(row.label, indent), plain ? (row.fold ? "title fold" : "title") : "")];
    if (row.fold) parts[0].dataset.fold = row.fold;
    const { from, to } = this.range;
    for (const [since, until, open, runs = 1, share = 1] of row.bars) {
      if (until < from || since > to) continue;
      const x = this.x(Math.max(since, from)), end = this.x(Math.min(until, to) + 1);
      const bar = draw("rect", { class: `bar ${colour}`, x, y: this.y + 3, width: Math.max(1.5, end - x - 1), height: BAR, rx: 2, opacity: share < 1 ? 0.35 + 0.65 * share : null });
      Object.assign(bar.dataset, { atom: row.atom ?? "", given: group.given ? "1" : "" });
      bar.dataset.tip = `${row.atom ?? row.tip ?? row.label}\nsince ${this.clock(since)}\nuntil ${this.clock(until)}${open ? " …" : ""}${runs > 1 ? `\n${runs} runs` : ""}`;
      parts.push(bar);
    }
    this.y += ROW;
    return parts;
  }

  #curves(group) {
    const hues = group.curves.map(() => this.#hue()), parts = this.#legend(group, hues);
    const { from, to } = this.range;
    const values = group.curves.flatMap((curve) => curve.points.map((point) => point[1]));
    const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    const top = this.y + 4, height = (value) => top + ((CURVE - 8) * (high - value)) / (high - low || 1);
    for (const value of steps(low, high)) {
      parts.push(draw("line", { class: "grid", x1: this.left, x2: this.width - EDGE, y1: height(value), y2: height(value) }));
      parts.push(this.#text(this.left - 6, height(value) + 4, String(value), "quiet", "end"));
    }
    group.curves.forEach((curve, number) => {
      const hue = hues[number];
      const points = curve.points.filter(([time]) => time >= from - 1 && time <= to + 1);
      const places = points.map(([time, value]) => [Math.max(this.left, Math.min(this.width - EDGE, this.x(time + 0.5))), height(value)]);
      for (const piece of pieces(points, places, new Set(curve.begins ?? []))) parts.push(draw("polyline", { class: hue, points: piece.map((p) => p.join(",")).join(" ") }));
      if (points.length <= 200) points.forEach(([time, , atom], i) => {
        const dot = draw("circle", { class: `bar ${hue}`, cx: places[i][0], cy: places[i][1], r: 3 });
        Object.assign(dot.dataset, { atom, given: group.given ? "1" : "", tip: `${atom}\nat ${this.clock(time)}` });
        parts.push(dot);
      });
    });
    this.y += CURVE;
    return parts;
  }

  // The legend of the lines is beside the name of the predicate: beside the lines, labels would overlap.
  #legend(group, hues) {
    const parts = [], said = group.curves.map((curve, number) => [fit(curve.label, 30), hues[number]]).filter(([label]) => label);
    if (group.hidden) said.push([`… ${group.hidden} more`, null]);
    let x = this.left, y = this.y - ROW + 13;
    for (const [label, hue] of said) {
      const mark = hue ? 18 : 0, room = columnsOf(label) * QUIET_LETTER + mark;
      if (x > this.left && x + room > this.width - EDGE) { x = this.left; y += LEGEND; this.y += LEGEND; }
      if (hue) parts.push(draw("rect", { class: hue, x, y: y - 8, width: 14, height: 8, rx: 2 }));
      parts.push(this.#text(x + mark, y, label, "quiet legend"));
      x += room + 14;
    }
    return parts;
  }

  #axis() {
    const { from, to } = this.range;
    const wide = this.x(from + 1) - this.x(from) > 24;
    const most = Math.max(1, Math.floor((this.width - this.left) / (this.data.tick ? 110 : 64)));
    const lines = [], labels = [];
    let free = 0;
    for (const time of whole(from, to, most)) {
      lines.push(draw("line", { class: "grid", x1: this.x(time), x2: this.x(time), y1: 0, y2: this.y }));
      const label = this.data.tick ? this.clock(time).slice(11, 19) : String(time);
      const room = label.length * QUIET_LETTER, place = Math.min(wide ? this.x(time + 0.5) - room / 2 : this.x(time), this.width - 2 - room);
      if (place < free) continue;
      labels.push(this.#text(place, 14, label, "quiet"));
      free = place + room + 4;
    }
    return { lines, labels };
  }

  #cursor() {
    if (!this.band) return;
    const x = this.x(this.time), end = this.x(this.time + 1);
    this.band.setAttribute("x", x);
    this.band.setAttribute("width", Math.max(2, end - x));
    for (const side of ["x1", "x2"]) this.line.setAttribute(side, (x + end) / 2);
    const { start, end: last } = this.data;
    const told = { "aria-valuemin": start, "aria-valuemax": last, "aria-valuenow": this.time, "aria-valuetext": this.clock(this.time) };
    for (const [name, value] of Object.entries(told)) this.host.setAttribute(name, value);
  }

  // -- mouse and keys

  #timeAt(event) {
    const { from, to } = this.range;
    const place = event.clientX - this.host.getBoundingClientRect().left;
    const time = from + Math.floor(((place - this.left) * (to - from + 1)) / (this.width - this.left - EDGE));
    return Math.max(from, Math.min(to, time));
  }

  #hover(event) {
    if (event.buttons === 1 && this.dragging) this.move(this.#timeAt(event));
    const told = event.target.dataset?.tip;
    this.tip.hidden = !told;
    if (!told) return;
    this.tip.textContent = told;
    this.tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${Math.min(event.clientY + 14, innerHeight - this.tip.offsetHeight - 4)}px`;
  }

  #press(event) {
    if (!this.data || event.button) return;
    this.dragging = event.clientX - this.host.getBoundingClientRect().left > this.left;
    if (this.dragging) this.move(this.#timeAt(event));
  }

  #click(event) {
    const { atom, given, fold } = event.target.dataset ?? {};
    this.dragging = false;
    if (fold) {
      if (!this.unfolded.delete(fold)) this.unfolded.add(fold);
      this.draw();
    }
    if (atom) this.chosen(atom, this.#timeAt(event), Boolean(given));
  }

  #key(event) {
    const far = event.shiftKey ? 10 : 1;
    const keys = {
      ArrowLeft: () => this.move(this.time - far), ArrowRight: () => this.move(this.time + far),
      Home: () => this.move(this.data.start), End: () => this.move(this.data.end),
      PageUp: () => this.move(this.time + 10), PageDown: () => this.move(this.time - 10),
      "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.whole(),
    };
    if (!this.data || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }
}

// The pieces of a line between gaps in the data.
function pieces(points, places, begins) {
  const found = [];
  points.forEach(([time], i) => {
    if (!i || (begins.has(time) && points[i - 1][0] !== time)) found.push([]);
    found.at(-1).push(places[i]);
  });
  return found;
}

// The time points at which at least one of the rows holds.
function union(rows) {
  const all = rows.flatMap((row) => row.bars).sort((a, b) => a[0] - b[0]), made = [];
  for (const [since, until, open] of all) {
    const last = made.at(-1);
    if (!last || since > last[1] + 1) made.push([since, until, open]);
    else if (until > last[1]) [last[1], last[2]] = [until, open];
  }
  return made;
}

function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999999);
}

function whole(from, to, most) {
  const step = Math.max(1, Math.round(roundStep(Math.max(1, (to - from) / most))));
  const times = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) times.push(time);
  return times;
}

function steps(low, high) {
  if (low === high) return [low];
  const step = roundStep((high - low) / 4);
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high; i += 1) values.push(Number((i * step).toPrecision(12)));
  return values;
}
