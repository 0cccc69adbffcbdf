// Text with entities as DOM. Offsets count UTF-16 units, as JavaScript's own do; all text goes in as text.

import { make } from "/static/kit.js";

const TAGS = { bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code" };

export function formatted(text, entities = []) {
  const waiting = entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  build(fragment, text, waiting, 0, text.length);
  return fragment;
}

// Fills `parent` with the text from `start` to `end`; an entity that reaches beyond is continued after it.
function build(parent, text, waiting, start, end) {
  let at = start;
  while (waiting.length && waiting[0].offset < end) {
    const entity = waiting.shift();
    const from = Math.max(entity.offset, at);
    const reach = entity.offset + entity.length;
    const to = Math.min(reach, end);
    if (reach > end) waiting.unshift({ ...entity, offset: end, length: reach - end });
    if (from >= to) continue;
    const { outer, inner } = element(entity, text.slice(from, to));
    const block = outer.matches("figure, blockquote, .quote");
    const before = text.slice(at, from);
    // A block stands apart by itself: the line breaks around it would only be holes.
    parent.append(block ? before.replace(/\n{1,2}$/, "") : before);
    build(inner, text, waiting, from, to);
    parent.append(outer);
    at = to;
    for (let breaks = 0; block && breaks < 2 && at < end && text[at] === "\n"; breaks += 1) at += 1;
  }
  parent.append(text.slice(at, end));
}

function element(entity, words) {
  switch (entity.type) {
    case "pre": return code(entity.language);
    case "text_link": return link(entity.url);
    case "url": return link(words);
    case "spoiler": return spoiler();
    case "blockquote": return plain("blockquote");
    case "expandable_blockquote": return folded();
    case "bot_command": return command(words);
    case "mention": case "text_mention": return plain("span", "mention");
    case "hashtag": case "cashtag": return plain("span", "hashtag");
    default: return plain(TAGS[entity.type] ?? "span");
  }
}

function plain(tag, name = "") {
  const node = make(tag, { class: name || null });
  return { outer: node, inner: node };
}

function code(language) {
  const inner = make("code");
  const outer = make("figure", language ? make("figcaption", language) : null,
    make("pre", { tabindex: 0 }, inner), make("button.copy", { type: "button", "data-code": "" }, "Copy"));
  return { outer, inner };
}

export function safeLink(address) {
  return /^(https?|tg):\/\//i.test(address ?? "") ? address : null;
}

function link(address) {
  const target = safeLink(address);
  if (!target) return plain("span");
  const node = make("a", { href: target, target: "_blank", rel: "noopener noreferrer" });
  return { outer: node, inner: node };
}

function spoiler() {
  const { outer } = plain("span", "spoiler");
  outer.tabIndex = 0;
  outer.role = "button";
  outer.ariaLabel = "Hidden text: show";
  const show = () => {
    outer.classList.add("shown");
    outer.removeAttribute("role");
    outer.removeAttribute("aria-label");
    outer.removeAttribute("tabindex");
  };
  outer.addEventListener("click", show);
  outer.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      show();
    }
  });
  return { outer, inner: outer };
}

function folded() {
  const { outer } = plain("div", "quote");
  const { outer: inner } = plain("blockquote", "folded");
  const button = make("button.unfold", { type: "button" });
  const name = () => {
    const shut = inner.classList.contains("folded");
    button.textContent = shut ? "Show more" : "Show less";
    button.ariaExpanded = String(!shut);
  };
  button.addEventListener("click", () => {
    inner.classList.toggle("folded");
    name();
  });
  name();
  outer.append(inner, button);
  return { outer, inner };
}

function command(words) {
  const { outer } = plain("button", "command");
  outer.type = "button";
  outer.dataset.command = words;
  return { outer, inner: outer };
}
