// An editor for plain text. Each line is a block of its own, so that findings about a line can be shown below it.
// Colours are highlights over ranges, and findings are attributes: neither changes the text, so the browser's own undo works.

const MARK = "\uE000"; // marks the caret while lines are rearranged

const RULES = /(?<comment>%\*[\s\S]*?\*%|\/\*[\s\S]*?\*\/|(?:%|\/\/).*)|(?<string>"(?:[^"\\]|\\.)*"?|<[A-Za-z][\w+.-]*:[^\s<>]*>)|(?<directive>#(?:const|include|input|prefix|record|show|warmup|zone)\b)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b(?:not|in|at|always|div|mod|abs|min|max)\b|\b(?:contains|starts|ends|matches)\b(?=\s*\()|(?<=[\w)\]}">]\s+)(?:or)\b(?=\s)|\b(?:count|sum|avg|median|stdev|quantile)\b(?=\s*[({][^()]*:)|\b(?:every|each|this|ago|last|per)\b(?=[^[\]]*\])|(?<=\bat\s+)(?:least|most)\b(?=\s+\S+\s+times\b)|(?<=\b(?:least|most)\s+\S+\s+)(?:times)\b)|(?<variable>\b[A-Z_]\w*)|(?<symbol>:-|<-|←|[⊞◇□¬@])/g;
const STREAM = /(?<comment>(?:%|\/\/).*)|(?<directive>^\s*[\d][\dT:.Z+-]*(?=:)|"(?:time|predicate|args|facts)"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*"?)|(?<number>-?\b\d+(?:\.\d+)?\b)/gm;
const KINDS = ["comment", "string", "directive", "number", "word", "variable", "symbol"];
const editors = [];

export class Editor {
  constructor(host, { label, grammar, changed }) {
    this.host = host;
    this.grammar = grammar === "rules" ? RULES : STREAM;
    this.findings = [];
    Object.assign(host, { contentEditable: "true", spellcheck: false });
    for (const [name, value] of Object.entries({ role: "textbox", "aria-multiline": "true", "aria-label": label, autocapitalize: "off" }))
      host.setAttribute(name, value);
    host.addEventListener("input", () => { this.#order(); this.colour(); changed(); });
    host.addEventListener("paste", (event) => {
      event.preventDefault();
      document.execCommand("insertText", false, event.clipboardData.getData("text/plain").replaceAll("\r", ""));
    });
    host.addEventListener("drop", (event) => event.preventDefault());
    editors.push(this);
    this.text = "";
  }

  get lines() { return [...this.host.children].map((line) => line.textContent); }
  get text() { return this.lines.join("\n"); }
  set text(value) {
    this.#build(value.replaceAll("\r", "").replace(/\n$/, "").split("\n"));
    this.findings = [];
    this.colour();
  }

  #build(lines) {
    this.host.replaceChildren(...lines.map((text) => {
      const line = document.createElement("div");
      line.append(text || document.createElement("br"));
      return line;
    }));
  }

  // Browsers handle Enter, Backspace and drops differently; afterwards every line is a block again.
  #order() {
    const lines = [...this.host.childNodes];
    const tidy = lines.length > 0 && lines.every((line) => line.nodeName === "DIV" &&
      [...line.childNodes].every((part) => (part.nodeType === 3 && !part.data.includes("\n")) || (part.nodeName === "BR" && line.childNodes.length === 1)));
    if (!tidy) this.#rebuild();
    if (this.host.children.length !== this.known) this.#forget();
    this.known = this.host.children.length;
  }

  #rebuild() {
    const selection = getSelection();
    if (selection.rangeCount && this.host.contains(selection.focusNode)) {
      const range = selection.getRangeAt(0).cloneRange();
      range.collapse(false);
      range.insertNode(document.createTextNode(MARK));
    }
    const lines = [""];
    read(this.host, lines);
    const row = lines.findIndex((line) => line.includes(MARK));
    const column = row < 0 ? 0 : lines[row].indexOf(MARK);
    this.#build(lines.map((line) => line.replaceAll(MARK, "")));
    if (row >= 0) this.#caret(row, column);
  }

  #caret(row, column) {
    const line = this.host.children[row];
    if (!line) return;
    const text = line.firstChild?.nodeType === 3 ? line.firstChild : null;
    getSelection().collapse(text ?? line, text ? Math.min(column, text.length) : 0);
  }

  goTo(row) {
    this.host.focus();
    this.#caret(row - 1, 0);
    this.host.children[row - 1]?.scrollIntoView({ block: "nearest" });
  }

  // A line that is split in two has its findings twice, until they are computed again a moment later.
  #forget() {
    for (const line of this.host.children) { delete line.dataset.finding; delete line.dataset.severity; }
    this.findings = [];
  }

  mark(findings) {
    this.#forget();
    this.findings = findings;
    for (const { line, severity, message, hint } of findings) {
      const row = this.host.children[(line ?? 1) - 1] ?? this.host.lastElementChild;
      const told = `${severity}: ${message}${hint ? `\n→ ${hint}` : ""}`;
      row.dataset.finding = row.dataset.finding ? `${row.dataset.finding}\n${told}` : told;
      if (row.dataset.severity !== "error") row.dataset.severity = severity;
    }
    this.known = this.host.children.length;
    this.colour();
  }

  colour() { paint(); }

  // The ranges of everything that is coloured in this editor, by kind.
  ranges(add) {
    const lines = [...this.host.children];
    const starts = [];
    let length = 0;
    for (const line of lines) { starts.push(length); length += line.textContent.length + 1; }
    const place = (row, from, to, kind) => {
      const text = lines[row]?.firstChild;
      if (text?.nodeType !== 3 || from >= text.length) return;
      const range = new Range();
      range.setStart(text, Math.max(0, from));
      range.setEnd(text, Math.min(to, text.length));
      add(kind, range);
    };
    let row = 0;
    for (const match of this.text.matchAll(this.grammar)) {
      const kind = KINDS.find((name) => match.groups[name] !== undefined);
      while (row + 1 < starts.length && starts[row + 1] <= match.index) row += 1;
      let begin = match.index, here = row;
      for (const part of match[0].split("\n")) { // comments may span several lines
        place(here, begin - starts[here], begin - starts[here] + part.length, kind);
        begin += part.length + 1;
        here += 1;
      }
    }
    for (const { line, column, end_line, end_column, severity } of this.findings) {
      if (!line || !column) continue;
      place(line - 1, column - 1, end_line === line ? Math.max(end_column - 1, column) : Infinity, severity === "error" ? "wrong" : "odd");
    }
  }
}

function read(node, lines) {
  for (const child of node.childNodes) {
    if (child.nodeType === 3) {
      const [first, ...others] = child.data.split("\n");
      lines[lines.length - 1] += first;
      lines.push(...others);
    } else if (child.nodeName === "BR") {
      if (child.nextSibling) lines.push("");
    } else {
      const block = child.nodeName === "DIV" || child.nodeName === "P";
      if (block && child.previousSibling) lines.push("");
      read(child, lines);
      if (block && child.nextSibling && !["DIV", "P"].includes(child.nextSibling.nodeName)) lines.push("");
    }
  }
}

function paint() {
  if (!globalThis.CSS?.highlights) return; // an older browser shows the text without colours
  const kinds = new Map([...KINDS, "wrong", "odd"].map((kind) => [kind, new Highlight()]));
  for (const editor of editors) editor.ranges((kind, range) => kinds.get(kind).add(range));
  for (const [kind, highlight] of kinds) CSS.highlights.set(kind, highlight);
}
