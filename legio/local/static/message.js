// One message as DOM. What a click on it does is told in room.js, by data attributes.

import { make } from "/static/kit.js";
import { formatted, safeLink } from "./entities.js";

const FILES = ["document", "voice", "audio", "video", "video_note", "animation"];
const PHOTO_PX = 352; // as high as a picture is shown; the words around it are to be seen, too
const REACHED = "a, button, [tabindex]"; // what the keyboard comes to
const KINDS = ["photo", ...FILES, "sticker", "venue", "location", "contact"];

export function messageElement(message) {
  const mine = !message.from.is_bot;
  const bubble = make("div.bubble", ...quoted(message), ...carried(message), ...words(message));
  bubble.append(meta(message));
  const acts = make("div.acts", act("Reply", "↩", "reply", message));
  if (mine && message.text) acts.append(act("Edit", "✎", "edit", message));
  const label = `${mine ? "You" : message.from.first_name}, ${clock(message.date)}`;
  return make("article", { class: mine ? "message mine" : "message", id: `m${message.message_id}`,
    "aria-label": label }, make("div.line", bubble, acts), ...keyboard(message));
}

// Makes a message what it is now: who was on a button of it still is, what he opened stays open, and it is not read
// out once more at each change.
export function carryOver(old, node) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const at = [...old.querySelectorAll(REACHED)].indexOf(focused);
  old.querySelectorAll(".unfold").forEach((each, index) => {
    if (each.ariaExpanded === "true") node.querySelectorAll(".unfold")[index]?.click();
  });
  old.ariaLive = "off";
  old.ariaLabel = node.ariaLabel;
  old.hidden = node.hidden;
  old.replaceChildren(...node.childNodes);
  if (!focused || focused === old) return;
  const all = [...old.querySelectorAll(REACHED)];
  const same = all.find((each) => named(each) === named(focused) && each.className === focused.className);
  (same ?? all[at] ?? all.at(-1)).focus({ preventScroll: true });
}

function named(node) {
  return node.ariaLabel || node.textContent;
}

function act(label, sign, deed, message) {
  return make("button.act", { type: "button", [`data-${deed}`]: message.message_id, "aria-label": label,
    title: label }, sign);
}

export function draftElement(draft) {
  const text = make("div.text", draft.text ? formatted(draft.text, draft.entities) : "Thinking…");
  return make("article.message.draft", { "aria-label": "Being written" },
    make("div.bubble", text));
}

export function summary(message) {
  const text = message.text ?? message.caption ?? "";
  const kind = KINDS.find((name) => message[name]);
  return (kind && !text ? kind[0].toUpperCase() + kind.slice(1).replace("_", " ") : text).split("\n").join(" ").slice(0, 160);
}

function quoted(message) {
  const answered = message.reply_to_message;
  const origin = message.forward_origin;
  if (origin) {
    const from = origin.sender_user_name ?? origin.sender_user?.first_name ?? "somebody";
    return [make("div.forwarded", `Forwarded from ${from}`)];
  }
  if (!answered) return [];
  return [make("button.quoted", { type: "button", "data-jump": answered.message_id,
    "aria-label": "Show the message replied to" }, message.quote?.text ?? summary(answered))];
}

function words(message) {
  const text = message.text ?? message.caption;
  const entities = message.entities ?? message.caption_entities;
  return text ? [make("div.text", formatted(text, entities))] : [];
}

function carried(message) {
  if (message.photo) {
    const { file_id: id, width, height } = message.photo.at(-1);
    const shown = Math.min(1, PHOTO_PX / height);
    const image = make("img.photo", { src: file(id), width: Math.ceil(width * shown),
      height: Math.ceil(height * shown), alt: message.caption ?? "Photo" });
    return [make("a", { href: file(id), target: "_blank", rel: "noopener" }, image)];
  }
  const kind = FILES.find((name) => message[name]);
  if (kind) return [download(message[kind], kind)];
  if (message.sticker) return [make("div.sticker", message.sticker.emoji)];
  const place = message.venue?.location ?? message.location;
  if (place) return [make("div", `📍 ${message.venue?.title ?? ""} ${place.latitude}, ${place.longitude}`)];
  if (message.contact) return [make("div", `☎ ${message.contact.first_name} ${message.contact.phone_number}`)];
  return [];
}

function download(kept, kind) {
  const name = kept.file_name ?? (kind === "voice" ? "Voice message" : "Video message");
  const sign = kind === "voice" || kind === "audio" ? "♪" : "↓";
  const text = make("span", name, make("small", size(kept.file_size)));
  return make("a.file", { href: file(kept.file_id), download: name },
    make("span", { "aria-hidden": "true" }, sign), text);
}

function keyboard(message) {
  const rows = message.reply_markup?.inline_keyboard ?? [];
  if (!rows.length) return [];
  const pad = make("div.keyboard", { role: "group", "aria-label": "Choices" });
  for (const row of rows) pad.append(make("div", ...row.map((button) => choice(message, button))));
  return [pad];
}

function choice(message, button) {
  const address = safeLink(button.url ?? button.web_app?.url);
  if (address) return make("a.button", { href: address, target: "_blank", rel: "noopener noreferrer" }, button.text);
  return make("button.button", { type: "button", "data-message": message.message_id, "data-press": button.callback_data,
    "data-copy": button.copy_text?.text }, button.text);
}

function meta(message) {
  const line = make("div.meta");
  if (message.reactions?.length) line.append(make("span.reaction", ...message.reactions));
  if (message.edit_date) line.append("edited");
  line.append(make("time", { datetime: new Date(message.date * 1000).toISOString() }, clock(message.date)));
  return line;
}

function file(id) {
  return `/chat/file/${encodeURIComponent(id)}`;
}

function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
