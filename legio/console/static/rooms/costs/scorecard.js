// What Legio loses when everything around it fails, as it was measured; asked for when somebody wants to see it.

import * as kit from "../../kit.js";
import { wide } from "./parts.js";

const { make, table } = kit;
const NONE = "None was measured for this version. In the repository, make scorecard makes every fault and counts what is lost.";

export function scorecard() {
  const body = make("div.part");

  async function fill() {
    if (!node.open || body.firstChild) return;
    const found = await kit.get("/camp/costs/scorecard");
    body.replaceChildren(...(found.groups.length
      ? [make("p", found.measured), make("p.small.faint", found.explained), ...found.groups.map((each) => group(each, found.head))]
      : [make("p.faint", NONE)]));
  }

  const node = make("details.card", { ontoggle: () => kit.tried(fill) }, make("summary", make("h2", "Scorecard")), body);
  return node;
}

function group({ name, rows }, head) {
  const good = rows.filter((row) => row.good).length;
  const sign = make("span", { class: good === rows.length ? "good" : "bad" }, `${good} of ${rows.length} as they should be`);
  const lines = rows.map((row) => ({ cells: [row.name, ...row.figures, row.good ? "good" : "bad", row.note] }));
  return make("details", make("summary", `${name}: `, sign),
    wide(name, table(["scenario", ...head, "is", "seen"], lines, 2)));
}
