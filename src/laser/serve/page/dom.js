// The little that is needed to make elements; text is always text, never markup.

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
