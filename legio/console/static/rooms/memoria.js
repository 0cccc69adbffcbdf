// The room Memoria: three shelves and the prompts. Which of them is shown, and what of it, stands in the address:
//   #/memoria/edicta, …/edicta/+ to write one, …/edicta/name, …/edicta/name/edit, …/edicta/name/VERSION
//   #/memoria/commentarii/agent and behind it the same, #/memoria/prompts/agent and …/agent/VERSION

import * as kit from "../kit.js";
import { edit, page, shelf, version, write } from "./memoria/documents.js";
import { formerPrompt, prompt, prompts } from "./memoria/prompts.js";

const { make } = kit;
const TABS = [["edicta", "Edicta"], ["acta", "Acta"], ["commentarii", "Commentarii"], ["prompts", "Prompts"]];

export async function open(main) {
  const tabs = TABS.map(([name, title]) => make("a.button", { href: `#/memoria/${name}`, "data-tab": name }, title));
  const place = make("div.place");
  main.append(make("div.sheet", make("h1", "Memoria"), make("nav.row.tabs", { "aria-label": "Shelves" }, ...tabs), place));
  let turn = 0;
  let leave = () => {};

  // What was asked for last is shown, in whatever order the answers come.
  async function show(moved) {
    const words = address();
    if (!words) return;
    const mine = turn += 1;
    leave();
    leave = () => {};
    for (const tab of tabs) {
      if (tab.dataset.tab === words[0]) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    const shown = await view(words).catch((failure) => missing(failure));
    if (mine !== turn) return shown.leave?.();
    leave = shown.leave ?? leave;
    place.replaceChildren(...shown.nodes.filter(Boolean));
    if (moved) (place.querySelector("[data-first]") ?? place.querySelector("h2"))?.focus();
    shown.begin?.();
  }

  const follow = () => show(true);
  addEventListener("hashchange", follow);
  await show(false);
  return () => {
    turn += 1;
    leave();
    removeEventListener("hashchange", follow);
  };
}

// The words behind the room's name; none where another room is shown. Without an address this is the first room.
function address() {
  const [, room = "memoria", ...words] = location.hash.split("/").map(plain);
  if (room !== "memoria") return null;
  return TABS.some(([name]) => name === words[0]) ? words.filter(Boolean) : ["edicta"];
}

function plain(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function missing(failure) {
  return { nodes: [make("h2.empty.words", { tabindex: "-1" }, kit.told(failure))] };
}

async function view([tab, ...rest]) {
  if (tab === "prompts") {
    const [agent, id] = rest;
    if (!agent) return prompts();
    return id ? formerPrompt(agent, id) : prompt(agent);
  }
  const owner = tab === "commentarii" ? rest.shift() ?? "legatus" : "";
  const [name, what] = rest;
  const where = { shelf: tab, owner, name };
  if (!name) return shelf(where);
  if (name === "+") return write(where);
  if (!what) return page(where);
  return what === "edit" ? edit(where) : version(where, what);
}
