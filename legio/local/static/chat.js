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
let quote = "";
let editing = null;
let picked = "";
let typing = 0;
let topic = 0; // the one that is open; 0 is the chat itself
let connected = false;
let pinned = true;
let sized = "";

// --- the server's side ---

async function load() {
  const state = await (await fetch("/chat/state")).json();
  document.title = $("title").textContent = state.bot.first_name;
  for (const id of [...messages.keys()]) forget(id);
  setTopics(state.topics);
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
  on("topics", setTopics);
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
  sized = extent();
}

function extent() {
  return `${log.scrollHeight} ${log.clientHeight}`;
}

// Only the reader's own scrolling lets go of the end: what grows above it later, such as a picture, does not, and
// neither does a window of another size, such as a phone that was turned.
log.addEventListener("scroll", () => {
  if (sized === extent()) pinned = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  sized = extent();
});
log.addEventListener("load", keepEnd, true);
new ResizeObserver(keepEnd).observe(log);

function show(message) {
  const node = messageElement(message);
  const place = message.message_thread_id ?? 0;
  node.hidden = place !== topic;
  if (node.hidden && connected && message.from.is_bot) tab(place)?.classList.add("news");
  const old = document.getElementById(node.id);
  if (old) old.replaceWith(node);
  else $("drafts").before(node);
  messages.set(message.message_id, message);
}

function setTopics(topics) {
  $("topics").hidden = Object.keys(topics).length === 0;
  $("topics").replaceChildren(...Object.entries({ 0: "Chat", ...topics }).map(([place, name]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.dataset.topic = place;
    return button;
  }));
  openTopic(tab(topic) ? topic : 0);
}

function tab(place) {
  return $("topics").querySelector(`[data-topic="${place}"]`);
}

function openTopic(place) {
  topic = place;
  for (const button of $("topics").children) button.setAttribute("aria-current", button === tab(place));
  tab(place).classList.remove("news");
  for (const [id, message] of messages) $(`m${id}`).hidden = (message.message_thread_id ?? 0) !== place;
  pinned = true;
  keepEnd();
}

function forget(id) {
  messages.delete(id);
  document.getElementById(`m${id}`)?.remove();
  if (replyTo === id || editing === id) setReply(null);
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

// Answers a message, or only the words of it that are marked.
function setReply(id) {
  if (editing !== null) $("text").value = "";
  replyTo = id;
  editing = null;
  quote = id !== null && picked && messages.get(id).text?.includes(picked) ? picked : "";
  showIntent(id === null ? "" : quote ? `“${quote}”` : summary(messages.get(id)));
}

function setEdit(id) {
  setReply(null);
  editing = id;
  $("text").value = messages.get(id).text;
  showIntent(`Editing: ${summary(messages.get(id))}`);
}

function showIntent(words) {
  $("replying").hidden = !words;
  $("replying-to").textContent = words;
  if (words) $("text").focus();
}

function jump(id) {
  const node = document.getElementById(`m${id}`);
  if (!node) return;
  if (node.hidden) openTopic(messages.get(id).message_thread_id ?? 0);
  node.scrollIntoView({ block: "center" });
  node.classList.add("found");
  setTimeout(() => node.classList.remove("found"), 1500);
}

// --- the person's side ---

async function say(text) {
  const edit = editing;
  const sent = edit === null ? await send("say", { text, reply_to: replyTo, quote, thread: topic })
    : await send("edit", { message_id: edit, text });
  if (sent && editing === edit) setReply(null);
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

$("topics").addEventListener("click", (event) => {
  const place = event.target.dataset.topic;
  if (place === undefined) return;
  setReply(null);
  openTopic(Number(place));
});

$("reply-cancel").addEventListener("click", () => setReply(null));

async function upload(files) {
  const form = new FormData();
  [...files].forEach((file, index) => form.append(`file${index}`, file));
  form.append("caption", $("text").value);
  if (replyTo !== null) form.append("reply_to", replyTo);
  form.append("thread", topic);
  $("files").value = "";
  if (!(await send("upload", form))) return;
  $("text").value = "";
  setReply(null);
}

$("files").addEventListener("change", () => upload($("files").files));

$("text").addEventListener("paste", (event) => {
  if (!event.clipboardData.files.length) return;
  event.preventDefault();
  upload(event.clipboardData.files);
});

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) upload(event.dataTransfer.files);
});

// A click on a button may unmark what was marked, so that is looked at before.
log.addEventListener("pointerdown", () => {
  picked = getSelection().toString().trim();
});

log.addEventListener("click", (event) => {
  const { reply, edit, jump: target, command, message, press, copy } = event.target.closest("button")?.dataset ?? {};
  if (reply) setReply(Number(reply));
  if (edit) setEdit(Number(edit));
  if (target) jump(Number(target));
  if (command) say(command);
  if (copy) navigator.clipboard.writeText(copy).then(() => toast("Copied"));
  if (press === undefined) return;
  event.target.closest("button").setAttribute("aria-busy", "true");
  send("press", { message_id: Number(message), data: press });
});

start();
