// A nuntius on the page: as a line of the list, and whole, with what it belongs with and the ways of its turns.

import { make, table } from "../../kit.js";

export const PLACE = "/camp/praetorium";
const DEEPEST = 6;

// --- what is shown stands in the address, so that a link or a reload leads back to it ---

export function address(seq, asked) {
  const query = new URLSearchParams(asked).toString();
  return `#/praetorium/${seq}${query ? `?${query}` : ""}`;
}

export function read() {
  const [path, query] = location.hash.split("?");
  return { seq: path.match(/^#\/praetorium\/(.+)$/)?.[1] ?? "", asked: Object.fromEntries(new URLSearchParams(query)) };
}

// --- words ---

export function dayOf(nuntius) {
  const noon = new Date(`${nuntius.time.slice(0, 10)}T12:00:00Z`); // the day is the owner's already
  return noon.toLocaleDateString([], { dateStyle: "full", timeZone: "UTC" });
}

function way(nuntius) {
  return `${nuntius.sender} → ${nuntius.audience.join(", ")}`;
}

function bytes(size) {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

// --- a line of the list ---

export function item(nuntius, asked, tick) {
  const day = asked.words ? `${nuntius.time.slice(0, 10)} ` : "";
  return make("li.card",
    make("div.row", tick,
      make("a.to", { href: address(nuntius.seq, asked), "data-seq": nuntius.seq }, way(nuntius)),
      nuntius.answers ? make("span.faint.small", "↩ reply") : null,
      nuntius.origin ? make("span.chip", nuntius.origin) : null,
      make("time.faint.small.figures", { datetime: nuntius.time }, day + nuntius.time.slice(11, 16))),
    quoted(nuntius),
    excerpt(nuntius),
    nuntius.files.length ? make("p.row.small", ...nuntius.files.map((file) => make("span.chip", `📎 ${file.name}`))) : null);
}

function excerpt(nuntius) {
  const parts = nuntius.parts ?? [[nuntius.text + (nuntius.cut ? " …" : ""), false]];
  return make("p.words.excerpt", ...parts.map(([text, mark]) => (mark ? make("mark", text) : text)));
}

function quoted(nuntius) {
  return nuntius.quote && make("blockquote.words.faint.small", `${nuntius.quote.sender}: ${nuntius.quote.text}`);
}

// --- the whole of it ---

export function whole(found, asked) {
  return [article(found.nuntius), thread(found, asked), ways(found.ways)].filter(Boolean);
}

function article(nuntius) {
  return make("article.card",
    make("p", make("strong", way(nuntius)), nuntius.origin ? make("span.chip", nuntius.origin) : null),
    make("p.faint.small", make("time", { datetime: nuntius.time }, `${dayOf(nuntius)}, ${nuntius.time.slice(11, 19)}`)),
    quoted(nuntius),
    make("p.words.whole", nuntius.text),
    nuntius.files.length ? make("ul.files", ...nuntius.files.map((file, position) => attached(nuntius, file, position))) : null,
    make("p.faint.small", `May be seen by ${nuntius.seen.join(", ")}.`));
}

function attached(nuntius, file, position) {
  const href = `${PLACE}/nuntius/${nuntius.seq}/file/${position}`;
  const name = file.kept ? make("a", { download: "", href }, file.name) : make("span", file.name);
  const said = [bytes(file.size), file.type, file.note].filter(Boolean).join(" · ");
  return make("li", name, make("span.faint.small", ` ${said}`));
}

function thread({ nuntius, above, below, more }, asked) {
  if (!above.length && !below.length) return null;
  const level = above.length ? 1 : 0;
  const rows = [
    above[0]?.answers ? make("li.faint", "… and what was said before that") : null,
    ...above.map((each) => link(each, 0, asked)),
    make("li.at", { "aria-current": "true", "data-depth": level }, `${way(nuntius)}: this one`),
    ...below.map((each) => link(each, level + each.depth, asked)),
    more ? make("li.faint", "… and more") : null,
  ];
  return make("section.card", { "aria-labelledby": "thread" },
    make("h3", { id: "thread" }, "Conversation"), make("ol.thread", ...rows.filter(Boolean)));
}

function link(each, depth, asked) {
  const line = each.text.replace(/\s+/g, " ").slice(0, 120) || each.files.map((file) => file.name).join(", ");
  return make("li", { "data-depth": Math.min(depth, DEEPEST) }, make("a", { href: address(each.seq, asked) }, way(each)), ` ${line}`);
}

// One column a turn: who was asked stands above it.
function ways(turns) {
  if (!turns.length) return null;
  const columns = turns.map(({ state, detail, rows }) => [["State", state], ["Why", detail], ...rows.filter(([name]) => name !== "Agent")]);
  const rows = columns[0].map(([name], at) => [name, ...columns.map((column) => column[at][1])]).filter(([, ...values]) => values.some(Boolean));
  return make("section.card", { "aria-labelledby": "ways" }, make("h3", { id: "ways" }, "Its way"),
    make("div.scroll", { tabindex: "0", role: "group", "aria-labelledby": "ways" },
      table(["Turn of", ...turns.map(({ agent }) => agent)], rows.map((cells) => ({ cells })), turns.length)));
}
