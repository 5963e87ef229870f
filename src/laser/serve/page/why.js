// Shows an explanation: a tree of atoms, rules and their premises.
import { make } from "./dom.js";

const MARKS = { rule: "⊢", fact: "●", background: "■", premise: "✓", failure: "⊬", fails: "✗", missing: "✗", more: "…" };

export function showWhy(host, answer, goTo) {
  if (answer.error) {
    host.replaceChildren(make("p", { class: "wrong" }, answer.error.message));
    return;
  }
  const verdict = answer.holds ? make("span", { class: "yes" }, "holds") : make("span", { class: "no" }, "does not hold");
  const parts = [make("h3", {}, `${answer.atom} `, verdict, ` at ${answer.when ?? answer.time}`)];
  if (answer.extent) parts.push(make("p", { class: "quiet" }, answer.extent));
  parts.push(tree(answer.tree, goTo));
  host.replaceChildren(...parts);
}

const tree = (nodes, goTo) => make("ul", {}, ...nodes.map((node) => item(node, goTo)));

function item(node, goTo) {
  const parts = [`${MARKS[node.kind] ?? "·"} `, make("code", {}, node.text)];
  if (node.note) parts.push(" ", make("span", { class: "note" }, node.note));
  if (node.rule) parts.push(make("button", { class: "rule-text", title: node.line ? `Go to line ${node.line}` : null, onclick: () => node.line && goTo(node.line) },
    node.line ? `${node.rule}   (line ${node.line})` : node.rule));
  if (node.children.length) parts.push(tree(node.children, goTo));
  return make("li", { class: node.kind }, ...parts);
}
