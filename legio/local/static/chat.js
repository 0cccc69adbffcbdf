// The page itself: follows the server's events, and sends what the person does.

import { draftElement, messageElement, summary } from "./message.js";

const TYPING_MS = 5000;
const DRAFT_MS = 30000;
const TOAST_MS = 4000;
const NEAR = 48;

const $ = (id) => document.getElementById(id);
const log = $("log");
const messages = new Map();
let replyTo = null;
let typing = 0;
let connected = false;
let pinned = true;

// --- the server's side ---

async function load() {
  const state = await (await fetch("/chat/state")).json();
  document.title = $("title").textContent = state.bot.first_name;
  for (const id of [...messages.keys()]) forget(id);
  state.messages.forEach(show);
  endDrafts();
  state.drafts.forEach(showDraft);
  $("empty").hidden = messages.size > 0;
  keepEnd();
  return state.position;
}

function follow(position) {
  const events = new EventSource(`/events?after=${encodeURIComponent(position)}`);
  const on = (kind, handle) => events.addEventListener(kind, (event) => steady(() => handle(JSON.parse(event.data))));
  on("message", (message) => {
    if (message.from.is_bot && !message.edit_date) stopTyping();
    show(message);
  });
  on("deleted", ({ ids }) => ids.forEach(forget));
  on("draft", showDraft);
  on("drafts_ended", endDrafts);
  on("action", showTyping);
  on("answer", showAnswer);
  events.addEventListener("reset", () => {
    events.close();
    start();
  });
  events.onopen = () => setConnected(true);
  events.onerror = () => setConnected(false);
}

async function start() {
  try {
    follow(await load());
  } catch {
    setConnected(false);
    setTimeout(start, 1000);
  }
}

async function send(deed, body) {
  const form = body instanceof FormData;
  try {
    const answer = await fetch(`/chat/${deed}`, {
      method: "POST",
      headers: form ? {} : { "Content-Type": "application/json" },
      body: form ? body : JSON.stringify(body),
    });
    if (answer.ok) return true;
    toast((await answer.json()).error);
  } catch {
    toast("The server does not answer.");
  }
  return false;
}

// --- what is shown ---

// Keeps the end in sight if it was, and leaves a reader of older messages where he is.
function steady(change) {
  change();
  $("empty").hidden = messages.size > 0;
  keepEnd();
}

function keepEnd() {
  if (pinned) log.scrollTop = log.scrollHeight;
}

// Only the reader's own scrolling lets go of the end: what grows above it later, such as a picture, does not.
log.addEventListener("scroll", () => {
  pinned = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
});
log.addEventListener("load", keepEnd, true);
new ResizeObserver(keepEnd).observe(log);

function show(message) {
  const node = messageElement(message);
  const old = document.getElementById(node.id);
  if (old) old.replaceWith(node);
  else $("drafts").before(node);
  messages.set(message.message_id, message);
}

function forget(id) {
  messages.delete(id);
  document.getElementById(`m${id}`)?.remove();
  if (replyTo === id) setReply(null);
}

function showDraft(draft) {
  const node = draftElement(draft);
  node.id = `d${draft.id}`;
  const old = document.getElementById(node.id);
  if (old) old.replaceWith(node);
  else $("drafts").append(node);
  setTimeout(() => node.remove(), DRAFT_MS);
}

function endDrafts() {
  $("drafts").replaceChildren();
}

function showTyping({ action }) {
  clearTimeout(typing);
  typing = setTimeout(stopTyping, TYPING_MS);
  setStatus(action === "typing" ? "typing" : action.replaceAll("_", " "), true);
}

function stopTyping() {
  clearTimeout(typing);
  setStatus(connected ? "bot" : "connecting…", false);
}

function setConnected(now) {
  connected = now;
  stopTyping();
}

function setStatus(text, busy) {
  $("status").textContent = text;
  $("status").classList.toggle("busy", busy);
}

function showAnswer({ text, alert }) {
  document.querySelectorAll("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
  if (!text) return;
  if (!alert) return void toast(text);
  $("alert-text").textContent = text;
  $("alert").showModal();
}

let toasting = 0;
function toast(text) {
  clearTimeout(toasting);
  $("toast").textContent = text;
  $("toast").hidden = false;
  toasting = setTimeout(() => { $("toast").hidden = true; }, TOAST_MS);
}

function setReply(id) {
  replyTo = id;
  $("replying").hidden = id === null;
  $("replying-to").textContent = id === null ? "" : summary(messages.get(id));
  if (id !== null) $("text").focus();
}

function jump(id) {
  const node = document.getElementById(`m${id}`);
  if (!node) return;
  node.scrollIntoView({ block: "center" });
  node.classList.add("found");
  setTimeout(() => node.classList.remove("found"), 1500);
}

// --- the person's side ---

async function say(text) {
  const sent = await send("say", { text, reply_to: replyTo });
  if (sent) setReply(null);
  return sent;
}

$("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("text").value;
  if (!text.trim()) return;
  $("text").value = "";
  pinned = true;
  if (!(await say(text)) && !$("text").value) $("text").value = text;
});

$("text").addEventListener("keydown", (event) => {
  if (event.key === "Escape") setReply(null);
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("composer").requestSubmit();
});

$("reply-cancel").addEventListener("click", () => setReply(null));

$("files").addEventListener("change", async () => {
  const form = new FormData();
  [...$("files").files].forEach((file, index) => form.append(`file${index}`, file));
  form.append("caption", $("text").value);
  if (replyTo !== null) form.append("reply_to", replyTo);
  $("files").value = "";
  if (!(await send("upload", form))) return;
  $("text").value = "";
  setReply(null);
});

log.addEventListener("click", (event) => {
  const { reply, jump: target, command, message, press, copy } = event.target.closest("button")?.dataset ?? {};
  if (reply) setReply(Number(reply));
  if (target) jump(Number(target));
  if (command) say(command);
  if (copy) navigator.clipboard.writeText(copy).then(() => toast("Copied"));
  if (press === undefined) return;
  event.target.closest("button").setAttribute("aria-busy", "true");
  send("press", { message_id: Number(message), data: press });
});

start();
