// The room Agents: who serves and what each is granted, as forms; and a picture of who talked to whom.

import * as kit from "../kit.js";

const { button, make } = kit;
const GRANTED = [["", "no"], ["tools", "yes"], ["ask", "asks first"]];

export async function open(main) {
  const grid = make("div.cards");
  const talk = make("section.card.agent", { "aria-labelledby": "talk" }, make("h2", { id: "talk" }, "Who talked to whom, in the last seven days"));
  main.append(make("div.sheet", make("h1", "Agents"), recruiting(list), grid, talk));

  // Loads all anew; the card of `name` is focused, where it is to be.
  async function list(name = "") {
    const camp = await kit.get("/camp/agents/list");
    grid.replaceChildren(...camp.agents.map((agent) => card(agent, camp, list)));
    if (name) grid.querySelector(`[data-agent="${CSS.escape(name)}"] button`)?.focus();
  }

  await Promise.all([kit.tried(() => list()), kit.tried(async () => talk.append(...talked(await kit.get("/camp/agents/talk"))))]);
}

// --- one agent ---

function card(agent, camp, list) {
  const node = make("article.card.agent", { "aria-labelledby": `agent-${agent.name}`, "data-agent": agent.name });
  const title = make("h2", { id: `agent-${agent.name}` }, agent.name);
  const trouble = agent.trouble ? make("p.bad.small.words", agent.trouble) : null;

  function show() {
    const acts = make("div.row");
    if (agent.fields) acts.append(button("Edit", edit, { "aria-label": `Edit ${agent.name}` }));
    acts.append(make("a.button", { href: `#/memoria/prompts/${agent.name}`, "aria-label": `Prompt of ${agent.name}` }, "Prompt"));
    if (!agent.leads) acts.append(button("Remove", () => remove(agent.name, list), { "aria-label": `Remove ${agent.name}` }));
    node.replaceChildren(title, ...[trouble, ...(agent.fields ? described(agent) : []), acts].filter(Boolean));
  }

  function edit() {
    node.replaceChildren(title, form(agent, camp, { list, leave }));
    node.querySelector("input").focus();
  }

  function leave() {
    show();
    node.querySelector("button").focus();
  }

  show();
  return node;
}

function described(agent) {
  const { model, effort } = agent.in_force;
  const window = agent.fields.history_window;
  const facts = [
    ["Model", `${model.value ?? "default"} (${model.reason})`],
    ["Effort", `${effort.value ?? "default"} (${effort.reason})`],
    ["Is told", window === null ? "as many nuntii as all are" : `${window} nuntii at most`],
  ];
  return [
    make("p.words", agent.fields.description),
    make("dl.facts.small", ...facts.flatMap(([label, value]) => [make("dt", label), make("dd.words", value)])),
    make("h3", "Grants"),
    agent.grants.length
      ? make("ul.granted.small", ...agent.grants.map((grant) => granted(grant)))
      : make("p.faint.small", "None beyond what all have: the memoria, the record, sending files of his."),
    ...agent.doubts.map((doubt) => make("p.warn.small.words", doubt)),
  ];
}

function granted(grant) {
  const asks = grant.asks ? make("span.warn", " · asks you first") : null;
  return make("li.words", make("span.chip", grant.name), ` ${grant.allows}`, asks);
}

async function remove(name, list) {
  if (!(await kit.sure(`Remove ${name}? His files are kept in centuriones/.removed.`, `Remove ${name}`))) return;
  await kit.tried(async () => {
    kit.toast((await kit.post("/camp/agents/remove", { name })).said);
    await list();
    document.getElementById("main").focus();
  });
}

// --- the form ---

function form(agent, camp, { list, leave }) {
  const { fields } = agent;
  const description = make("input", { name: "description", required: true, maxlength: 200, value: fields.description });
  const model = make("input", { name: "model", maxlength: 200, list: `models-${agent.name}`, placeholder: "as all have", value: fields.model });
  const effort = make("select", ...kit.options([["", "as all have"], ...camp.efforts], fields.effort ?? ""));
  const window = make("input", { name: "history_window", type: "number", min: 0, max: 500, placeholder: "as all have", value: fields.history_window });
  const grants = grantRows(agent, camp);

  async function save(event) {
    event.preventDefault();
    const wanted = {
      name: agent.name,
      version: agent.version,
      description: description.value,
      model: model.value,
      effort: effort.value,
      history_window: window.value === "" ? null : Number(window.value),
      ...grants.chosen(),
    };
    await kit.tried(async () => {
      kit.toast((await kit.post("/camp/agents/edit", wanted)).said);
      await list(agent.name);
    });
  }

  return make(
    "form",
    { onsubmit: save, "aria-label": `Edit ${agent.name}` },
    make("label.field", "What he is for", description),
    make("label.field", "Model", model),
    make("datalist", { id: `models-${agent.name}` }, ...kit.options(camp.models)),
    make("label.field", "Effort", effort),
    make("label.field", "Nuntii he is told at most", window),
    grants.node,
    make("div.row", make("button.main", "Save"), button("Cancel", leave)),
  );
}

function grantRows(agent, camp) {
  const selects = new Map();
  const rows = make("div.granted");
  const more = make("input", { "aria-label": "Another grant", placeholder: "mcp__server__tool" });
  const held = (name) => (agent.fields.tools.includes(name) ? "tools" : agent.fields.ask.includes(name) ? "ask" : "");

  function add(name, chosen) {
    if (selects.has(name)) return;
    const select = make("select", ...kit.options(GRANTED, chosen));
    selects.set(name, select);
    rows.append(make("label.grant.small", make("span.words", make("b", name), camp.grants[name] ? ` ${camp.grants[name]}` : ""), select));
  }

  const own = [...agent.fields.tools, ...agent.fields.ask];
  [...own, ...Object.keys(camp.grants)].forEach((name) => add(name, held(name)));

  function another() {
    const name = more.value.trim();
    if (!name) return;
    add(name, "ask");
    more.value = "";
    selects.get(name).focus();
  }

  const node = make(
    "details",
    {},
    make("summary", `Grants (${own.length})`),
    make("fieldset", make("legend", `What ${agent.name} may use`), rows, make("div.row", more, button("Add", another))),
  );
  const chosen = () => {
    const of = (kind) => [...selects].filter(([, select]) => select.value === kind).map(([name]) => name);
    return { tools: of("tools"), ask: of("ask") };
  };
  return { node, chosen };
}

function recruiting(list) {
  const name = make("input", { required: true, maxlength: 32, autocapitalize: "none", autocomplete: "off" });
  const specialization = make("input", { required: true, maxlength: 200 });

  async function create(event) {
    event.preventDefault();
    await kit.tried(async () => {
      kit.toast((await kit.post("/camp/agents/create", { name: name.value, specialization: specialization.value })).said);
      const created = name.value.trim().toLowerCase();
      event.target.reset();
      node.open = false;
      await list(created);
    });
  }

  const node = make(
    "details.card",
    make("summary", "Recruit a centurio"),
    make(
      "form",
      { onsubmit: create },
      make("label.field", "Name", name),
      make("label.field", "What he is for, in a sentence", specialization),
      make("div.row", make("button.main", "Recruit")),
    ),
  );
  return node;
}

// --- who talked to whom ---

function talked(talk) {
  if (!talk.picture) return [make("p.empty", "Nobody has said anything.")];
  const picture = new DOMParser().parseFromString(talk.picture, "image/svg+xml").documentElement;
  const rows = talk.exchanges.map((it) => make("tr", make("td.words", it.sender), make("td.words", it.hearer), make("td.number", kit.count(it.nuntii))));
  const heads = make("tr", make("th", { scope: "col" }, "From"), make("th", { scope: "col" }, "To"), make("th.number", { scope: "col" }, "Nuntii"));
  return [
    document.importNode(picture, true),
    make("details", make("summary", "The same as a table"), make("div.scroll", make("table", make("thead", heads), make("tbody", ...rows)))),
  ];
}
