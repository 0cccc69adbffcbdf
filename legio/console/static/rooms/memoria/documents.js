// The shelves: what stands on them and what stood, read and written.

import * as kit from "../../kit.js";
import { again, former, go, heading, history, keep, kept, notice } from "./parts.js";

const { button, make } = kit;
const SHELVES = {
  edicta: ["Write an edictum", "Standing orders. Every agent is given them, and obeys them from his next turn on."],
  acta: ["Write an actum", "What the agents know together. Each of them reads it when he looks for something."],
  commentarii: ["Write a commentarium", "An agent's own journal. He reads it, and the Legatus does."],
};

const asks = ({ shelf, name }) => `/camp/memoria/${shelf}${name ? `/${encodeURIComponent(name)}` : ""}`;
const link = ({ shelf, owner }, ...words) => `#/memoria/${[shelf, owner, ...words].filter(Boolean).map(encodeURIComponent).join("/")}`;

// --- a shelf ---

export async function shelf(where) {
  const [write, about] = SHELVES[where.shelf];
  const found = make("div.found");
  const search = make("input", { type: "search", "aria-label": "Only those that contain", placeholder: "Search", maxlength: 200 });
  let waiting = 0;
  let asked = 0;

  async function list() {
    const mine = asked += 1;
    const camp = await kit.get(asks(where), { owner: where.owner, containing: search.value });
    if (mine === asked) found.replaceChildren(...listed(where, camp));
    return camp;
  }

  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => kit.tried(list), 250);
  });
  const { owners } = await list();
  return {
    nodes: [
      make("p.faint", about),
      make("div.row", where.owner ? whose(where, owners) : null, search, make("a.button", { href: link(where, "+") }, write)),
      found,
    ],
    leave: () => clearTimeout(waiting),
  };
}

function whose(where, owners) {
  return make("select", { "aria-label": "Whose journal", onchange: (event) => go(link({ ...where, owner: event.target.value })) },
    ...kit.options([...new Set([...owners, where.owner])], where.owner));
}

function listed(where, { documents, gone, broken, older }) {
  const title = (each) => make("a", { href: link(where, each.name), class: "words" }, each.title);
  const rows = documents.map((each) => make("li.card", make("h2", title(each)), make("p.faint.small.words", about(each))));
  const once = gone.map((each) => make("li", title(each), make("span.faint.small.words", ` ${ended(each)}`)));
  return [
    ...broken.map((word) => make("p.card.bad.words", word)),
    rows.length ? make("ul", ...rows) : make("p.empty", "Nothing stands here."),
    older ? make("p.faint", `${kit.count(older)} older ones are not shown: search for them.`) : null,
    once.length ? make("details", make("summary", `${kit.count(once.length)} that stood once`), make("ul", ...once)) : null,
  ].filter(Boolean);
}

function about({ name, author, created, characters, allowed }) {
  return `${name} · by ${author}${allowed && `, allowed by ${allowed}`} · ${kit.moment(created)} · ${kit.count(characters)} characters`;
}

function ended({ fate, ended: when, by, by_word: word }) {
  return `${fate}${by && ` by ${by}`}${word && `, allowed by ${word}`} · ${kit.moment(when)}`;
}

// --- one document ---

export async function page(where) {
  const { standing, versions, broken } = await kit.get(asks(where), { owner: where.owner });
  const rows = versions.filter((each) => each.id).map((each) => ({
    what: each.title,
    said: `by ${each.author} · ${ended(each)}`,
    href: link(where, where.name, each.id),
    back: () => restore(where, each.id, standing),
  }));

  async function revoke() {
    if (!(await kit.sure(`Revoke “${standing.title}”? It is kept, and can be put back.`, "Revoke"))) return;
    await kit.tried(async () => {
      await kit.post(`${asks(where)}/revoke`, { owner: where.owner, mark: standing.mark });
      kit.toast(`${where.name} is revoked.`);
      again();
    });
  }

  return {
    nodes: [
      back(where),
      ...broken.map((word) => make("p.card.bad.words", word)),
      standing ? make("article.card.document",
        heading(standing.title), make("p.faint.small.words", about(standing)), make("p.words.text", standing.text),
        make("div.row", make("a.button", { href: link(where, where.name, "edit") }, "Edit"), button("Revoke", revoke)))
        : heading(`Nothing stands as ${where.name}`),
      history(rows, standing ? "Compare" : "Read"),
    ],
  };
}

async function restore(where, version, standing) {
  await kit.tried(async () => {
    await kit.post(`${asks(where)}/restore`, { owner: where.owner, version, mark: standing?.mark ?? "" });
    kit.toast(`${where.name} stands again as it stood.`);
    go(link(where, where.name));
  });
}

export async function version(where, id) {
  const asked = { owner: where.owner };
  const [{ standing, versions }, whole] = await Promise.all([kit.get(asks(where), asked), kit.get(`${asks(where)}/version`, { ...asked, id })]);
  const one = versions.find((each) => each.id === id);
  const since = standing && (await kit.get(`${asks(where)}/difference`, { ...asked, from: id }));
  const said = `by ${whole.author}${one ? ` · ${ended(one)}` : ""}`;
  const shown = { title: whole.title, said, lines: since?.lines, text: whole.text, back: () => restore(where, id, standing) };
  return { nodes: [back(where, where.name), former(shown)] };
}

// --- writing ---

export async function write(where) {
  const given = { title: "", text: "", mark: "" };
  return form(where, SHELVES[where.shelf][0], given, (draft) => kit.post(asks({ shelf: where.shelf }), { owner: where.owner, ...draft }));
}

export async function edit(where) {
  const { standing, broken } = await kit.get(asks(where), { owner: where.owner });
  if (!standing) throw new kit.Failure(broken[0] ?? `Nothing stands as ${where.name}.`);
  return form(where, `Edit ${standing.title}`, standing, (draft) => kit.post(`${asks(where)}/amend`, { owner: where.owner, ...draft }));
}

function form(where, title, stands, save) {
  const place = link(where, where.name);
  const draft = kept(place);
  const begun = draft ?? stands;
  const line = make("input", { required: true, maxlength: 200, autocomplete: "off", "data-first": true });
  const text = make("textarea", { required: true, rows: 14, spellcheck: "true" });
  [line.value, text.value] = [begun.title, begun.text];
  const written = () => ({ title: line.value, text: text.value, mark: begun.mark });

  async function submit(event) {
    event.preventDefault();
    await kit.tried(async () => {
      const { name, warning } = await save(written());
      keep(place, null);
      kit.toast(warning || `${name} stands${where.shelf === "edicta" ? " from the next turn on" : ""}.`);
      go(link(where, name));
    });
  }

  return {
    nodes: [
      back(where, ...(where.name === "+" ? [] : [where.name])),
      make("form.card.document", { onsubmit: submit, oninput: () => keep(place, written()) },
        heading(title), draft && notice(place, draft.mark !== stands.mark),
        make("label.field", "Title", line), make("label.field", "Text", text),
        make("div.row", make("button.main", "Save"))),
    ],
  };
}

function back(where, ...words) {
  return make("p", make("a", { href: link(where, ...words) }, words.length ? `← ${words[0]}` : "← All of them"));
}
