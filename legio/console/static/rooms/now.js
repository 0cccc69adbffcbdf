// The room Now: a card for each agent, live, and what can be done to him. A card that is redrawn stays the same
// node, so that focus and scroll position are kept.

import * as kit from "../kit.js";

const { button, make, say } = kit;
const SIGNS = { asleep: "◌", awake: "●", working: "▶", held: "❚❚" };
const ACTS = ["stop", "reset", "sleep"];

export async function open(main) {
  const cards = new Map();
  const grid = make("div.cards");
  const line = make("p.faint.small", { role: "status" }, "Looking …");
  main.append(make("div.sheet", make("div.row.apart", make("h1", "Now"), line), grid));

  function show(state) {
    const names = state.agents.map((agent) => agent.name);
    for (const [name, card] of cards) {
      if (names.includes(name)) continue;
      card.node.remove();
      cards.delete(name);
    }
    state.agents.forEach((agent, place) => {
      if (!cards.has(agent.name)) cards.set(agent.name, newCard(agent.name));
      const card = cards.get(agent.name);
      if (grid.children[place] !== card.node) grid.insertBefore(card.node, grid.children[place] ?? null);
      card.show(agent);
    });
    const working = state.agents.filter((agent) => agent.kind === "working").length;
    say(line, `${state.agents.length} agents, ${working} at work`);
  }

  const close = kit.follow("/camp/now/live", { state: show, trouble: (trouble) => say(line, trouble.error) }, (well) => {
    if (!well) say(line, "Legio does not answer. Trying again …");
  });
  const ticking = setInterval(() => cards.forEach((card) => card.tick()), 1000);
  return () => {
    clearInterval(ticking);
    close();
  };
}

function newCard(name) {
  const state = make("p.state");
  const about = make("p.faint.small.words");
  const trouble = make("p.bad.small.words");
  const fill = make("span");
  const bar = make("div.bar", { role: "meter", "aria-label": `Context of ${name}`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const facts = Object.fromEntries(
    ["Tool", "Waiting", "Context", "Cost today", "Model", "Effort", "Memory", "Last rebuilt", "Last active"].map((label) => [label, make("dd.figures.words")]),
  );
  const rows = Object.entries(facts).flatMap(([label, value]) => [make("dt", label), value]);
  const node = make(
    "article.card.agent",
    { "aria-labelledby": `agent-${name}`, "data-agent": name },
    make("div.row.apart", make("h2", { id: `agent-${name}` }, name), state),
    about,
    trouble,
    bar,
    make("dl.facts.small", ...rows),
    make("div.row", ...ACTS.map((act) => button(word(act), () => doTo(name, act), { "aria-label": `${word(act)} ${name}` }))),
  );

  let agent = {};
  let since = 0;

  function tick() {
    const passed = (performance.now() - since) / 1000;
    const lasting = agent.kind === "asleep" ? "" : ` · ${kit.seconds(agent.seconds + passed)}`;
    say(state, `${SIGNS[agent.kind]} ${agent.state}${lasting}`);
    say(facts.Tool, agent.tool ? `${agent.tool.name} · ${kit.seconds(agent.tool.seconds + passed)}` : "none");
  }

  function show(news) {
    agent = news;
    since = performance.now();
    state.className = `state ${agent.kind}`;
    say(about, agent.description);
    say(trouble, agent.trouble);
    trouble.hidden = !agent.trouble;
    const percent = Math.round(agent.share * 100);
    fill.style.width = `${percent}%`;
    bar.setAttribute("aria-valuenow", percent);
    bar.setAttribute("aria-valuetext", `${percent} %, ${agent.tokens} of ${agent.most} tokens`);
    say(facts.Context, `${percent} % · ${kit.count(agent.tokens)} of ${kit.count(agent.most)} tokens`);
    say(facts.Waiting, agent.waiting ? `${agent.waiting}` : "nobody");
    say(facts["Cost today"], kit.dollars(agent.cost));
    say(facts.Model, inForce(agent.model));
    say(facts.Effort, inForce(agent.effort));
    say(facts.Memory, agent.megabytes === null ? "" : `${kit.count(agent.megabytes)} MB`);
    say(facts["Last rebuilt"], rebuilt(agent));
    say(facts["Last active"], agent.active ? kit.moment(agent.active) : "");
    tick();
    for (const value of Object.values(facts)) value.hidden = value.previousSibling.hidden = !value.textContent;
  }

  return { node, show, tick };
}

function word(act) {
  return act[0].toUpperCase() + act.slice(1);
}

function inForce({ value, reason }) {
  return reason ? `${value ?? "default"} (${reason})` : "";
}

function rebuilt(agent) {
  if (!agent.rebuilt) return "";
  const when = agent.begun ? `${kit.moment(agent.begun)}, because ` : "";
  const since = agent.since ? `. Since then: ${agent.since}` : "";
  return `${when}${agent.rebuilt}${since}`;
}

async function doTo(name, act) {
  if (act === "reset" && !(await kit.sure(`Begin ${name}'s conversation afresh? What runs is stopped.`, `Reset ${name}`))) return;
  await kit.tried(async () => kit.toast((await kit.post(`/camp/now/${act}`, { name })).said));
}
