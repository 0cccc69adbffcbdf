// What documents and prompts have in common: drafts, versions, and two texts beside each other.

import { button, make } from "../../kit.js";

// --- drafts: what was typed and not saved is kept until this tab is closed ---

const key = (place) => `legio:memoria:${place}`;

export function kept(place) {
  try {
    return JSON.parse(sessionStorage.getItem(key(place)));
  } catch {
    return null; // a browser that keeps nothing
  }
}

export function keep(place, draft) {
  try {
    if (draft) sessionStorage.setItem(key(place), JSON.stringify(draft));
    else sessionStorage.removeItem(key(place));
  } catch {
    // A browser that keeps nothing still saves what is saved.
  }
}

// Says that a draft is shown in the place of what stands, and lets it go.
export function notice(place, stale) {
  const words = stale
    ? "This is your draft. What it began with has been changed since, so it cannot be saved: copy what you need, and discard it."
    : "This is your draft, which was not saved.";
  function discard() {
    keep(place, null);
    again();
  }
  return make("p", { class: `row draft ${stale ? "warn" : ""}`, role: "status" }, make("span", words), button("Discard the draft", discard));
}

// --- versions ---

// Each row: what it is, what is said of it, where it is looked at, and what puts it back.
export function history(rows, verb) {
  if (!rows.length) return null;
  const items = rows.map(({ what, said, href, back }) => make("li.row.apart",
    make("span.words", what, make("span.faint.small", ` ${said}`)),
    make("span.row",
      make("a.button", { href, "aria-label": `${verb} ${what} ${said}` }, verb),
      button("Put back", back, { "aria-label": `Put back ${what} ${said}` }))));
  return make("section.card", { "aria-labelledby": "history" }, make("h2", { id: "history" }, "History"), make("ul.versions", ...items));
}

// A version as it stood, with what has changed since where anything stands.
export function former({ title, said, lines, text, back }) {
  return make("article.card.document",
    heading(title), said && make("p.faint.small.words", said),
    lines && make("h3", "What has changed since"), lines && difference(lines),
    make("details", { open: !lines }, make("summary", "The whole text as it stood"), make("p.words.text", text)),
    make("div.row", button("Put back", back)));
}

// --- differences: read aloud, each line says what became of it ---

const SIGNS = { gone: ["−", "Gone: ", "del"], new: ["+", "New: ", "ins"], same: [" ", "", "span"] };

function difference(lines) {
  if (!lines.length) return make("p.faint", "There is no difference.");
  return make("div.difference", { role: "group", "aria-label": "What has changed since" }, ...lines.map((each) => line(each)));
}

function line({ kind, parts, lines }) {
  if (kind === "skipped") return make("p.skipped.faint", `${lines} lines that are the same`);
  const [sign, said, tag] = SIGNS[kind];
  const words = parts.map((text, index) => (text ? make(index % 2 ? tag : "span", {}, text) : null));
  return make("p", { class: `line ${kind}` }, make("span.sign", { "aria-hidden": "true" }, sign), said ? make("span.unseen", said) : null, ...words);
}

// --- places ---

export function heading(words) {
  return make("h2.words", { tabindex: "-1" }, words);
}

// Shows what stands at an address, also if it is this one.
export function go(address) {
  if (location.hash === address) again();
  else location.hash = address;
}

export function again() {
  dispatchEvent(new HashChangeEvent("hashchange"));
}
