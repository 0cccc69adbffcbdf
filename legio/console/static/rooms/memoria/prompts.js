// The prompts: written with a check that follows the pen: what is wrong, and what an agent would be told, counted.

import * as kit from "../../kit.js";
import { again, former, go, heading, history, keep, kept, notice } from "./parts.js";

const { make } = kit;
const PAUSE_MS = 600; // in the typing, before a draft is checked
const SOURCES = { legio: "Legio's own words", prompt: "His prompt", edicta: "The edicta", roster: "Who serves" };

const asks = (agent) => `/camp/memoria/prompts/${encodeURIComponent(agent)}`;
const link = (...words) => `#/memoria/${["prompts", ...words].map(encodeURIComponent).join("/")}`;

export async function prompts() {
  const camp = await kit.get("/camp/memoria/prompts");
  const rows = camp.prompts.map(({ name, description, trouble }) => make("li.card",
    make("h2", make("a", { href: link(name) }, name)), make("p", { class: `small words ${trouble ? "bad" : "faint"}` }, trouble || description)));
  return { nodes: [make("p.faint", "Who an agent is and how he works. A change takes effect at his next turn."), make("ul", ...rows)] };
}

// --- one prompt ---

export async function prompt(agent) {
  const stands = await kit.get(asks(agent));
  const place = link(agent);
  const draft = kept(place);
  const was = draft?.was ?? stands.text;
  const text = make("textarea.code", { rows: 20, spellcheck: "false", "aria-describedby": "flaws" });
  text.value = draft?.text ?? stands.text;
  const checked = checking(agent, text);

  async function submit(event) {
    event.preventDefault();
    if (await save(agent, text.value, was)) again();
  }

  text.addEventListener("input", () => {
    keep(place, { text: text.value, was });
    checked.later();
  });
  const form = make("form.card.document", { onsubmit: submit },
    heading(agent), draft && notice(place, was !== stands.text),
    make("label.field", "prompt.md", text), checked.flaws,
    make("div.row", make("button.main", "Save")));
  const rows = stands.versions.map((each) => ({
    what: `until ${kit.moment(each.ended)}`,
    said: `${kit.count(each.characters)} characters`,
    href: link(agent, each.id),
    back: () => restore(agent, each.id, stands.text),
  }));
  return { nodes: [back(), form, checked.told, history(rows, "Compare")], begin: checked.now, leave: checked.stop };
}

function save(agent, text, was) {
  return kit.tried(async () => {
    await kit.post(`${asks(agent)}/save`, { text, was });
    keep(link(agent), null);
    kit.toast(`${agent}'s prompt stands from his next turn on.`);
  });
}

// --- the check ---

function checking(agent, text) {
  const title = () => make("h2", { id: "told" }, "What he would be told");
  const flaws = make("div", { id: "flaws", role: "status" });
  const told = make("section.card.told", { "aria-labelledby": "told" }, title());
  let asked = 0;
  let waiting = 0;

  async function now() {
    const mine = asked += 1;
    await kit.tried(async () => {
      const found = await kit.post("/camp/memoria/prompts/check", { name: agent, text: text.value });
      if (mine !== asked) return;
      flaws.replaceChildren(wrong(found));
      redraw(told, [title(), ...(found.whole ? tellings(found) : [make("p.faint", "Nothing: he cannot be started with this prompt.")])]);
    });
  }

  function later() {
    clearTimeout(waiting);
    waiting = setTimeout(now, PAUSE_MS);
  }

  function stop() {
    clearTimeout(waiting);
    asked += 1;
  }

  return { flaws, told, now, later, stop };
}

function wrong({ flaws, doubts }) {
  if (!flaws.length && !doubts.length) return make("p.good.small", "The prompt can be used.");
  const said = flaws.map((flaw) => make("li.bad.words", flaw.line ? `Line ${flaw.line}: ${flaw.said}` : flaw.said));
  return make("ul.flaws", ...said, ...doubts.map((word) => make("li.warn.words", word)));
}

// What was unfolded stays so, and keeps the focus.
function redraw(told, nodes) {
  const before = [...told.querySelectorAll("details")];
  const unfolded = before.filter((each) => each.open).map((each) => each.dataset.source);
  const focused = before.find((each) => each.contains(document.activeElement))?.dataset.source;
  told.replaceChildren(...nodes);
  for (const each of told.querySelectorAll("details")) {
    each.open = unfolded.includes(each.dataset.source);
    if (each.dataset.source === focused) each.querySelector("summary").focus();
  }
}

function tellings({ parts, whole }) {
  const rows = parts.map((part) => {
    const bar = make("span");
    bar.style.width = `${Math.min(100, (100 * part.tokens) / Math.max(1, whole.tokens))}%`;
    return make("details", { "data-source": part.source },
      make("summary", SOURCES[part.source], make("span.figures.faint", tokens(part)), make("span.bar", { "aria-hidden": "true" }, bar)),
      make("pre", { tabindex: "0" }, part.text));
  });
  return [make("p.figures", `In all ${tokens(whole)}`, make("span.faint.small", ` ${whole.rule}. His tools come on top.`)), ...rows];
}

function tokens({ tokens: number, about }) {
  return `${about ? "about " : ""}${kit.count(number)} token${number === 1 ? "" : "s"}`;
}

// --- what stood before ---

async function restore(agent, id, was) {
  await kit.tried(async () => {
    const { text } = await kit.get(`${asks(agent)}/version`, { id });
    if (await save(agent, text, was)) go(link(agent));
  });
}

export async function formerPrompt(agent, id) {
  const [stands, whole, since] = await Promise.all(["", "/version", "/difference"].map((what) => kit.get(asks(agent) + what, { id, from: id })));
  const title = `${agent}, until ${kit.moment(stands.versions.find((each) => each.id === id)?.ended)}`;
  return { nodes: [back(agent), former({ title, lines: since.lines, text: whole.text, back: () => restore(agent, id, stands.text) })] };
}

function back(...words) {
  return make("p", make("a", { href: link(...words) }, `← ${words[0] ?? "All of them"}`));
}
