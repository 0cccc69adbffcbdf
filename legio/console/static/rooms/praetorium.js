// All that was said: a page at a time, narrowed down by whom, day and words; one nuntius; and what is exported.

import * as kit from "../kit.js";
import { PLACE, address, dayOf, item, read, whole } from "./praetorium/nuntius.js";

const { button, make } = kit;
const EVERYBODY = ["", "Everybody"];
const NARROWED = ["words", "agent", "day"];
const PAGE = 50;
const MOST_TICKED = 500;

function narrowed(asked) {
  return Object.fromEntries(NARROWED.filter((name) => asked[name]).map((name) => [name, asked[name]]));
}

function said(asked, found) {
  if (asked.words) return `${kit.count(found.total)} found`;
  if (found.nuntii.length) return `Times of ${found.zone}`;
  return Object.keys(asked).length ? "Nothing fits." : "Nothing has been said yet.";
}

// Where one may go from this page: each way's name, what it asks for, and whether there is anything.
function onward(asked, { nuntii, newer, older, offset, total, last }) {
  const kept = narrowed(asked);
  if (asked.words) {
    const next = offset + nuntii.length;
    return [
      ["‹ Before", { ...kept, last, offset: Math.max(0, offset - PAGE) }, offset > 0],
      ["Next ›", { ...kept, last, offset: next }, nuntii.length > 0 && next < total],
    ];
  }
  return [
    ["Newest", kept, true],
    ["‹ Newer", { ...kept, after: nuntii[0]?.seq }, newer],
    ["Older ›", { ...kept, before: nuntii.at(-1)?.seq }, older],
    ["Oldest", { ...kept, after: 0 }, older],
  ];
}

// --- what is asked for ---

function asking(go) {
  const words = make("input", { type: "search", name: "words", placeholder: "Words, @name, since:2026-11-01", "aria-label": "Search" });
  const agent = make("select", { name: "agent", onchange: () => ask() }, ...kit.options([EVERYBODY]));
  const day = make("input", { type: "date", name: "day", min: "1970-01-01", max: "2999-12-31", onchange: () => ask() });

  function ask() {
    if (!day.validity.valid) return; // a year that is still being typed
    go(narrowed({ words: words.value.trim(), agent: agent.value, day: day.value }));
  }

  // Before anything is fetched: what is written while that is under way stays.
  function show(asked) {
    for (const field of [words, day]) {
      const wanted = asked[field.name] ?? "";
      if (field.value !== wanted) field.value = wanted; // else the cursor would jump
    }
    agent.value = asked.agent ?? "";
    if (agent.selectedIndex < 0) know([], asked.agent);
  }

  function know(names, chosen = agent.value) {
    const known = new Set([...names, ...(chosen ? [chosen] : [])]);
    agent.replaceChildren(...kit.options([EVERYBODY, ...[...known].map((name) => (name === "all" ? [name, "all (everyone at once)"] : name))]));
    agent.value = chosen; // not as the choice that `reset` goes back to
  }

  const form = make("form.card.row", { role: "search", onsubmit: (event) => { event.preventDefault(); ask(); } },
    make("span.row.grow", words, make("button.main", "Search")),
    make("label.row.small.faint", "Sent by or to", agent),
    make("label.row.small.faint", "Day", day),
    button("Clear", () => { form.reset(); ask(); }));
  return { form, show, know };
}

// --- what is exported: what is ticked, else all that is narrowed down to ---

function exporting(untick) {
  const ticked = new Set();
  const node = make("div.row.small", { role: "group" });

  function draw() {
    const what = ticked.size ? { seqs: [...ticked].join(",") } : narrowed(read().asked);
    const name = ticked.size ? `${ticked.size} ticked` : Object.keys(what).length ? "these" : "everything";
    const kinds = [["jsonl", "JSON Lines"], ["markdown", "Markdown"]];
    node.setAttribute("aria-label", `Export ${name}`);
    node.replaceChildren(make("span.faint", `Export ${name}:`),
      ...kinds.map(([form, label]) => make("a.button", { download: "", href: `${PLACE}/export?${new URLSearchParams({ form, ...what })}` }, label)));
    if (ticked.size) node.append(button("Untick", () => { ticked.clear(); untick(); draw(); }));
  }

  function change(box, seq) {
    if (box.checked && ticked.size === MOST_TICKED) {
      box.checked = false;
      kit.toast(`${MOST_TICKED} are ticked; a filter exports any number.`);
    } else if (box.checked) ticked.add(seq);
    else ticked.delete(seq);
    draw();
  }

  function tick(seq) {
    const box = make("input", { type: "checkbox", "aria-label": `Tick nuntius ${seq}`, onchange: () => change(box, seq) });
    box.checked = ticked.has(seq);
    return box;
  }

  return { node, draw, tick };
}

export async function open(main) {
  let listed = null; // the address of the page that is listed
  let opened = ""; // the seq of the nuntius that is open
  let scrolled = 0; // where the list's reader was
  let turn = 0; // only the answer to what was asked last is shown

  const status = make("p.small.faint", { role: "status", tabindex: "-1" });
  const pages = make("div.pages", { onkeydown: step });
  const pager = make("nav.row", { "aria-label": "Pages" });
  const asker = asking(go);
  const exported = exporting(() => {
    for (const box of pages.querySelectorAll("input:checked")) box.checked = false;
    status.focus(); // the button is gone
  });
  const list = make("div.sheet", asker.form, make("div.row.apart", status, exported.node), pages, pager);
  const one = make("div.sheet", { hidden: true });

  function go(asked) {
    const to = address("", asked);
    const now = read();
    if (!now.seq && address("", now.asked) === to) kit.tried(() => load(asked)); // for what is new
    else location.hash = to;
  }

  function step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...pages.querySelectorAll("a.to")];
    const at = links.indexOf(document.activeElement);
    if (!by || at < 0) return;
    event.preventDefault();
    links[at + by]?.focus();
  }

  async function load(asked) {
    const mine = turn += 1;
    asker.show(asked);
    const found = await kit.get(asked.words ? `${PLACE}/search` : `${PLACE}/nuntii`, asked);
    if (mine !== turn) return;
    listed = address("", asked);
    asker.know(found.names);
    pages.replaceChildren(...grouped(asked, found.nuntii));
    const turning = pager.contains(document.activeElement);
    pager.replaceChildren(...onward(asked, found).map(([label, next, possible]) => button(label, () => go(next), { disabled: !possible })));
    if (turning) pages.querySelector("a.to")?.focus({ preventScroll: true });
    status.textContent = said(asked, found);
    exported.draw();
    main.scrollTop = scrolled = 0;
  }

  function grouped(asked, nuntii) {
    const days = [];
    for (const each of nuntii) {
      const name = asked.words ? "" : dayOf(each); // the best come first, whenever they were said
      if (days.at(-1)?.name !== name) days.push({ name, items: [] });
      days.at(-1).items.push(item(each, asked, exported.tick(each.seq)));
    }
    return days.map(({ name, items }) => make("section", name ? make("h2.small.faint", name) : null, make("ol.nuntii", ...items)));
  }

  async function show(seq, asked) {
    const mine = turn += 1;
    const found = await kit.get(`${PLACE}/nuntius/${encodeURIComponent(seq)}`);
    if (mine !== turn) return;
    opened = seq;
    const title = make("h2", { tabindex: "-1" }, `Nuntius ${found.nuntius.seq}`);
    one.replaceChildren(make("div.row", make("a.button", { href: address("", asked) }, "‹ All nuntii"), title), ...whole(found, asked));
    if (!list.hidden) scrolled = main.scrollTop;
    turnTo(one);
    main.scrollTop = 0;
    title.focus({ preventScroll: true });
  }

  function turnTo(sheet) {
    list.hidden = sheet !== list;
    one.hidden = sheet !== one;
  }

  async function draw() {
    const { seq, asked } = read();
    if (seq) return show(seq, asked);
    const back = !one.hidden;
    turnTo(list);
    if (address("", asked) !== listed) return load(asked);
    turn += 1; // what still comes for a nuntius comes too late
    if (!back) return undefined;
    main.scrollTop = scrolled;
    pages.querySelector(`a[data-seq="${CSS.escape(opened)}"]`)?.focus({ preventScroll: true });
    return undefined;
  }

  function leave(event) {
    if (event.key !== "Escape" || one.hidden || document.querySelector("dialog[open]")) return;
    location.hash = address("", read().asked);
  }

  const redraw = () => kit.tried(draw);
  main.append(list, one);
  addEventListener("hashchange", redraw);
  addEventListener("keydown", leave);
  await kit.tried(draw);
  return () => {
    turn += 1;
    removeEventListener("hashchange", redraw);
    removeEventListener("keydown", leave);
  };
}
