// What the room Costs and health is made of.

import { count, make, options } from "../../kit.js";

export function card(title, ...content) {
  return make("section.card.part", make("h2", title), ...content);
}

// Pairs of a name and what is so now, with a class for its sign; a pair without a value is left out.
export function facts(node, pairs) {
  const shown = pairs.filter(([, value]) => value);
  node.replaceChildren(...shown.map(([name, value, sign]) =>
    make("div", make("dt", name), make("dd", { class: sign }, value))));
}

// What may be wider than the page: it scrolls by itself, with keys as well.
export function wide(label, ...content) {
  return make("div.scroll", { role: "region", tabindex: "0", "aria-label": label }, ...content);
}

export function swatch(colour) {
  return make("span", { class: `swatch piece-${colour}`, "aria-hidden": "true" });
}

export function choice(label, pairs, change) {
  const select = make("select", { onchange: () => change(select.value) }, ...options(pairs));
  return { select, node: make("label.field", label, select) };
}

export function counted(figure, one, many = `${one}s`) {
  return `${count(figure)} ${figure === 1 ? one : many}`;
}
