// What some days took: a chart for each quantity, its figures as a table, and a table of all names.
// What stands on the page stays, and only what is in it is drawn anew: so focus, scroll and open tables are kept.

import * as kit from "../../kit.js";
import { card, choice, swatch, wide } from "./parts.js";

const { make, say, table } = kit;
const CHARTS = ["usd", "tokens", "turns", "seconds", "failed"];
const SPANS = [7, 30, 90];

export function account() {
  const wanted = { days: 30, by: "agent" };
  const choose = (name) => (value) => {
    wanted[name] = value;
    kit.tried(draw);
  };
  const days = choice("Days", SPANS.map((span) => [span, `the last ${span}`]), choose("days"));
  const by = choice("By", [["agent", "agent"], ["model", "model"]], choose("by"));
  const span = make("p.small.faint");
  const legend = make("ul.legend", { "aria-label": "Legend" });
  const names = wide("All figures by name");
  const charts = new Map(CHARTS.map((what) => [what, chart()]));
  days.select.value = wanted.days;
  let asked = 0;
  let width = 0;

  // What a chart has of the page's width, in pixels; 0 while there is none.
  function room() {
    return charts.get(CHARTS[0]).picture.clientWidth;
  }

  async function draw() {
    const number = asked += 1;
    width = room();
    const found = await kit.get("/camp/costs/figures", { ...wanted, width });
    if (number !== asked) return; // something else has been asked for since
    span.textContent = `${day(found.since)} to ${day(found.until)}, in days of ${found.zone}.`;
    legend.replaceChildren(...found.legend.map(entry));
    for (const { node } of charts.values()) node.hidden = !found.charts.length;
    for (const each of found.charts) charts.get(each.what).show(each);
    names.replaceChildren(found.rows.length ? everything(found) : make("p.empty", "No turn has ended in these days."));
  }

  return {
    draw,
    stale: () => Math.abs(room() - width) >= 8,
    charts: [...charts.values()].map(({ node }) => node),
    node: make("section.card.part",
      make("div.row.apart", make("h2", "Costs"), make("div.row", days.node, by.node)),
      span, legend),
    table: card("In figures", names),
  };
}

function day(iso) {
  return new Date(`${iso}T12:00`).toLocaleDateString([], { dateStyle: "medium" }); // it is the owner's day already
}

function entry({ name, colour, total }) {
  return make("li", swatch(colour), make("span.words", name), make("span.figures.faint", total));
}

function everything(found) {
  const rows = found.rows.map(({ name, colour, cells }) => ({ cells: [name, ...cells], mark: swatch(colour) }));
  return table([found.by, ...found.columns], [...rows, { cells: ["all", ...found.total] }]);
}

function chart() {
  const title = make("span");
  const total = make("span.figures");
  const picture = make("div.picture");
  const body = wide("");
  const details = make("details", { ontoggle: fill }, make("summary", "As a table"), body);
  let shown = { head: [], rows: [] };

  function fill() {
    body.replaceChildren(...(details.open ? [table(shown.head, shown.rows.map((cells) => ({ cells })))] : []));
  }

  function show(given) {
    shown = given;
    say(title, given.title);
    say(total, given.total);
    body.setAttribute("aria-label", `${given.title}, as a table`);
    picture.replaceChildren(given.svg ? drawing(given.svg) : make("p.empty", "None in these days."));
    details.hidden = !given.rows.length;
    fill();
  }

  const node = make("section.card.part", make("h2.row.apart", title, total), picture, details);
  return { node, picture, show };
}

function drawing(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}
