// A few functions that make elements; text is always text, never markup.

export const find = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  return fill(node, attributes, children);
}

export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Letters of East Asia are two columns wide.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{20000}-\u{3fffd}]/u;
const columnsOfLetter = (letter) => (WIDE.test(letter) ? 2 : 1);
export const columnsOf = (text) => [...text].reduce((sum, letter) => sum + columnsOfLetter(letter), 0);

export function fit(text, most) {
  if (columnsOf(text) <= most) return text;
  let kept = "", room = Math.max(1, most - 1);
  for (const letter of text) {
    room -= columnsOfLetter(letter);
    if (room < 0) break;
    kept += letter;
  }
  return `${kept}…`;
}

export function later(wait, act) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

let clearing = 0;
export function say(text) {
  find("status").textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => (find("status").textContent = ""), 4000);
}
