// Live streams: turns events into a timeline of the recent past.
import { ask, post } from "./api.js";

const MOST_ROWS = 40, KEEP = 5; // bars are removed after this many spans

export class Live {
  constructor({ drawn, told }) {
    Object.assign(this, { drawn, told, span: 60 });
    this.reset();
  }

  reset() {
    Object.assign(this, { rows: new Map(), values: new Map(), open: new Map(), start: null, now: null, facts: 0, changes: 0, missed: 0, due: false });
  }

  watch(name) {
    this.stop();
    this.reset();
    this.name = name;
    this.source = new EventSource(`/api/live/${name}/events`);
    const listen = (kind, act) => this.source.addEventListener(kind, (event) => { act(JSON.parse(event.data)); this.#plan(); });
    listen("state", (body) => this.#state(body));
    listen("step", (body) => this.#step(body));
    listen("trouble", (body) => this.told(body.message));
    listen("failed", (body) => { this.told(`the live stream failed: ${body.message}`); this.stop(); });
    this.source.addEventListener("error", () => { if (this.source?.readyState === EventSource.CLOSED) this.told("the live stream has ended"); });
  }

  stop() { this.source?.close(); this.source = null; }

  #state({ now, holding, missed }) {
    if (missed) this.missed += 1;
    this.open = new Map(holding);
    this.#seen(now);
  }

  #step({ now, facts = [], changes = [], bars = [] }) {
    for (const [time, atom] of facts) { this.facts += 1; this.#seen(time); this.#fact(time, atom); }
    for (const [time, atom, holds] of changes) { this.changes += 1; this.#seen(time); this.#change(time, atom, holds); }
    for (const [atom, since, until] of bars) { this.changes += 1; this.#seen(since); this.#bar(atom, since, until, false); }
    this.#seen(now);
  }

  #seen(time) {
    if (time === null || time === undefined) return;
    this.start = this.start === null ? time : Math.min(this.start, time);
    this.now = this.now === null ? time : Math.max(this.now, time);
  }

  #fact(time, atom) {
    const [, name, key, value] = /^([^(]+)\((?:(.*), )?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\)$/.exec(atom) ?? [];
    if (value === undefined) { this.#bar(atom, time, time, true); return; }
    const group = getOr(this.values, name, () => new Map());
    const points = getOr(group, key ?? "", () => []);
    points.push([time, Number(value), atom]);
    if (points.length > 20_000) points.splice(0, 10_000);
  }

  #change(time, atom, holds) {
    if (holds) { if (!this.open.has(atom)) this.open.set(atom, time); return; }
    const since = this.open.get(atom) ?? this.start;
    this.open.delete(atom);
    if (since < time) this.#bar(atom, since, time - 1, false);
  }

  #bar(atom, since, until, given) {
    const row = getOr(this.rows, atom, () => ({ given, bars: [] }));
    const last = row.bars.at(-1);
    if (last && since <= last[1] + 1 && since >= last[0]) last[1] = Math.max(last[1], until);
    else row.bars.push([since, until, false]);
  }

  #plan() {
    if (this.due) return;
    this.due = true;
    setTimeout(() => { this.due = false; this.#forget(); this.drawn(this.timeline(), this); }, 200);
  }

  #forget() {
    const oldest = this.now - this.span * KEEP;
    for (const [atom, row] of this.rows) {
      while (row.bars.length && row.bars[0][1] < oldest) row.bars.shift();
      if (!row.bars.length) this.rows.delete(atom);
    }
  }

  timeline() {
    const end = this.now ?? 0, start = Math.max(this.start ?? 0, end - this.span + 1);
    const groups = new Map();
    const group = (atom, given) => {
      const name = atom.split("(")[0], arity = atom.includes("(") ? countArguments(atom) : 0;
      const title = arity ? `${name}/${arity}` : name;
      return getOr(groups, `${given ? 1 : 0} ${title}`, () => ({ name, title, arity, given, rows: [], curves: [] }));
    };
    const rows = new Map([...this.rows].map(([atom, row]) => [atom, { given: row.given, bars: row.bars.filter((bar) => bar[1] >= start) }]));
    for (const [atom, since] of this.open) getOr(rows, atom, () => ({ given: false, bars: [] })).bars.push([since, end, true]);
    for (const [atom, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { rows: list } = group(atom, row.given);
      if (row.bars.length && list.length < MOST_ROWS) list.push({ atom, label: inside(atom) ?? atom, bars: row.bars });
    }
    for (const [name, keys] of this.values) {
      const first = [...keys][0][1][0][2];
      const curves = [...keys].slice(0, 8).map(([key, points]) => ({ label: key, points: points.filter(([time]) => time >= start).slice(-2000) }));
      const shown = curves.filter((curve) => curve.points.length);
      if (shown.length) Object.assign(group(first, true), { name, curves: shown });
    }
    const order = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, made]) => made);
    return { start, end, tick: null, reduced: false, groups: order.filter((made) => made.rows.length || made.curves.length) };
  }
}

export const openLive = (content) => ask("live", content);
export const sendLines = (name, text) => post(`live/${name}/facts`, text);
export const endLive = (name) => post(`live/${name}/end`, "");
export const explainLive = (name, atom, at) => ask(`live/${name}/explain`, { atom, at });

function getOr(map, key, makeValue) {
  if (!map.has(key)) map.set(key, makeValue());
  return map.get(key);
}

const inside = (atom) => (atom.includes("(") ? atom.slice(atom.indexOf("(") + 1, -1) : null);

function countArguments(atom) {
  return inside(atom).replace(/"(?:[^"\\]|\\.)*"|<[^>]*>/g, "x").split(",").length;
}
