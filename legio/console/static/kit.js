// What every room of the page is made with. All text goes in as text: nothing here parses markup.

let token = ""; // proves to the server that a write comes from this page

export function setToken(given) {
  token = given;
}

// --- DOM ---

// `what` is a tag with classes behind dots; the attributes may be left out.
export function make(what, ...given) {
  const [tag, ...classes] = what.split(".");
  const node = document.createElement(tag);
  node.classList.add(...classes);
  const named = given[0] && typeof given[0] === "object" && !(given[0] instanceof Node);
  for (const [name, value] of Object.entries(named ? given.shift() : {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...given.filter((child) => child !== null && child !== undefined));
  return node;
}

export function button(label, press, attributes = {}) {
  return make("button", { type: "button", onclick: press, ...attributes }, label);
}

// Text that is the same is left alone: whoever marks or reads it is not disturbed, and a live region is silent.
export function say(node, text, sign = node.className) {
  if (node.textContent !== text) node.textContent = text;
  node.className = sign;
}

// Rows of cells, each with a mark before its first. Figures stand behind the first column, `words` last ones apart.
export function table(head, rows, words = 0) {
  const kind = (at) => (at && at < head.length - words ? "number" : null);
  const heads = head.map((text, at) => make("th", { scope: "col", class: kind(at) }, text));
  const line = ({ cells: [name, ...cells], mark }) => make("tr",
    make("th", { scope: "row", class: mark && "marked" }, mark, name),
    ...cells.map((text, at) => make("td", { class: kind(at + 1) }, text)));
  return make("table", make("thead", make("tr", ...heads)), make("tbody", ...rows.map(line)));
}

// Pairs of a value and a label, or words that are both.
export function options(pairs, chosen) {
  return pairs.map((each) => {
    const [value, label] = [each].flat();
    return make("option", { value, selected: value === chosen }, label ?? value);
  });
}

// --- the server ---

export class Failure extends Error {}

// What went wrong, in words; what is a fault of the page's own is thrown on.
export function told(failure) {
  if (!(failure instanceof Failure)) throw failure;
  return failure.message;
}

async function answered(response) {
  if (response.status === 401) location.assign("/login");
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(body.error ?? `The server answered ${response.status}.`);
  return body;
}

async function asked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Failure("Legio does not answer.");
  }
  return answered(response);
}

export function get(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return asked(query ? `${path}?${query}` : path, {});
}

export function post(path, body = {}) {
  return asked(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Legio-Token": token },
    body: JSON.stringify(body),
  });
}

// Files go as a form.
export function upload(path, form) {
  return asked(path, { method: "POST", headers: { "X-Legio-Token": token }, body: form });
}

const AGAIN_MS = 5000;

// Follows a stream of events; `handlers` maps an event's name to what takes its JSON and its id. `connected` hears
// whether the line stands, and if not, whether the browser has given up: then it is tried anew after a while, and
// whose session has ended is led to the door.
export function follow(path, handlers, connected = () => {}) {
  let events;
  let again = 0;
  function open() {
    events = new EventSource(path);
    for (const [name, handle] of Object.entries(handlers)) {
      events.addEventListener(name, (event) => handle(JSON.parse(event.data), event.lastEventId));
    }
    events.onopen = () => connected(true);
    events.onerror = () => {
      const over = events.readyState === EventSource.CLOSED;
      if (over) {
        again = setTimeout(open, AGAIN_MS);
        get("/rooms").catch(() => {});
      }
      connected(false, over);
    };
  }
  open();
  return () => {
    clearTimeout(again);
    events.close();
  };
}

// --- words to the person ---

let fading = 0;

export function toast(text) {
  const node = document.getElementById("toast");
  node.textContent = text;
  node.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { node.hidden = true; }, 5000);
}

// Runs what may fail, and says so; true when it went well.
export async function tried(work) {
  try {
    await work();
    return true;
  } catch (failure) {
    toast(told(failure));
    return false;
  }
}

// Asks before something that is not easily undone.
export function sure(question, yes) {
  const dialog = document.getElementById("sure");
  document.getElementById("sure-text").textContent = question;
  document.getElementById("sure-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

// --- figures ---

export function moment(iso) {
  if (!iso) return "never";
  return new Date(iso).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

export function clock(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export function dollars(usd) {
  return `$${usd.toFixed(usd && usd < 0.1 ? 4 : 2)}`;
}

export function seconds(count) {
  if (count < 60) return `${Math.round(count)} s`;
  if (count < 3600) return `${Math.floor(count / 60)} min ${Math.round(count % 60)} s`;
  return `${Math.floor(count / 3600)} h ${Math.floor((count % 3600) / 60)} min`;
}

export function count(figure) {
  return figure.toLocaleString();
}
