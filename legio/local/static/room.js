// The chat as a room of the page: what stands in it, the server's events, and what a click does.

import { Composer } from "./composer.js";
import { Log } from "./log.js";

const TYPING_MS = 5000;
const AGAIN_MS = 1000;

export async function open(main, kit) {
  const { button, make } = kit;
  const title = document.title;
  const leaving = new AbortController();
  let connected = false;
  let unfollow = () => {};
  let typing = 0;
  let again = 0;

  // --- what it is made of ---

  const name = make("h1", "Legio");
  const status = make("p", { id: "status", role: "status" }, "connecting…");
  const topics = make("nav.topics", { id: "topics", "aria-label": "Topics", hidden: true, onclick: turn });
  const alertText = make("p.words", { id: "alert-text" });
  const alert = make("dialog", { id: "alert", "aria-labelledby": "alert-text" }, alertText,
    make("form", { method: "dialog" }, make("button.main", "OK")));
  const log = new Log((before) => kit.get("/chat/earlier", { before }), tell);
  const composer = new Composer(log, send);
  const phone = make("section.phone", { "aria-label": "Chat" },
    make("header.head", name, status), topics, log.frame, composer.form, alert);
  main.replaceChildren(phone);

  // --- the server's side ---

  async function start() {
    unfollow();
    try {
      const state = await kit.get("/chat/state");
      if (leaving.signal.aborted) return;
      name.textContent = state.bot.first_name;
      log.load(state);
      setTopics(state.topics);
      unfollow = follow(state.position);
    } catch (failure) {
      if (!(failure instanceof kit.Failure)) throw failure;
      setConnected(false);
      if (!leaving.signal.aborted) again = setTimeout(start, AGAIN_MS);
    }
  }

  function follow(position) {
    return kit.follow(`/chat/events?after=${encodeURIComponent(position)}`, {
      message: heard,
      deleted: ({ ids }) => {
        ids.forEach((id) => composer.forget(id));
        log.forget(ids);
      },
      draft: (draft) => log.draft(draft),
      drafts_ended: () => log.endDrafts(),
      action: showTyping,
      topics: setTopics,
      answer: showAnswer,
      reset: start,
    }, (now, over) => {
      setConnected(now);
      if (!over) return; // the browser tries again by itself
      unfollow();
      again = setTimeout(start, AGAIN_MS);
    });
  }

  async function send(deed, body) {
    return kit.tried(() => (body instanceof FormData ? kit.upload : kit.post)(`/chat/${deed}`, body));
  }

  // --- what is shown ---

  function heard(message) {
    if (message.from.is_bot && !message.edit_date) stopTyping();
    log.show(message);
  }

  function setTopics(named) {
    topics.hidden = Object.keys(named).length === 0;
    topics.replaceChildren(...Object.entries({ 0: "Chat", ...named }).map(([place, word]) =>
      button(word, null, { "data-topic": place })));
    if (tab(log.topic)) current();
    else enter(0);
  }

  function tab(place) {
    return topics.querySelector(`[data-topic="${place}"]`);
  }

  function turn(event) {
    const place = event.target.dataset.topic;
    if (place === undefined) return;
    composer.setReply(null);
    enter(Number(place));
  }

  function enter(place) {
    log.enter(place);
    current();
  }

  function current() {
    for (const each of topics.children) each.setAttribute("aria-current", each === tab(log.topic));
    tell();
  }

  // What has not been seen is told in the title, and on the tabs of the other topics.
  function tell() {
    const count = log.unseen.count();
    document.title = count ? `(${count}) ${title}` : title;
    for (const each of topics.children) {
      const place = Number(each.dataset.topic);
      each.classList.toggle("news", place !== log.topic && log.unseen.count(place) > 0);
    }
  }

  function showTyping({ action }) {
    clearTimeout(typing);
    typing = setTimeout(stopTyping, TYPING_MS);
    setStatus(action.replaceAll("_", " "), true);
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
    status.textContent = text;
    status.classList.toggle("busy", busy);
  }

  function showAnswer({ text, alert: asked }) {
    idle();
    if (!text) return;
    if (!asked) return void kit.toast(text);
    alertText.textContent = text;
    alert.showModal();
  }

  function idle() {
    phone.querySelectorAll("[aria-busy]").forEach((each) => each.removeAttribute("aria-busy"));
  }

  // --- what a click does ---

  log.node.addEventListener("click", (event) => {
    const pressed = event.target.closest("button");
    const { reply, edit, jump, command, message, press, copy, code } = pressed?.dataset ?? {};
    if (reply) composer.setReply(Number(reply));
    if (edit) composer.setEdit(Number(edit));
    if (jump) kit.tried(() => seek(Number(jump)));
    if (command) composer.say(command);
    if (copy) clip(copy);
    if (code !== undefined) clip(pressed.closest("figure").querySelector("code").textContent);
    if (press !== undefined) choose(pressed, Number(message), press);
  });

  async function choose(pressed, message, data) {
    pressed.setAttribute("aria-busy", "true");
    if (!(await send("press", { message_id: message, data }))) idle();
  }

  async function seek(id) {
    await log.find(id);
    const topic = log.topicOf(id);
    if (topic === null) return;
    if (topic !== log.topic) enter(topic);
    log.jump(id);
  }

  async function clip(text) {
    try {
      await navigator.clipboard.writeText(text);
      kit.toast("Copied");
    } catch {
      kit.toast("The browser does not let this page copy.");
    }
  }

  // Files may be let go anywhere on the page.
  const anywhere = { signal: leaving.signal };
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    phone.classList.toggle("dropping", event.dataTransfer.types.includes("Files"));
  }, anywhere);
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) phone.classList.remove("dropping");
  }, anywhere);
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    phone.classList.remove("dropping");
    if (event.dataTransfer.files.length) composer.upload(event.dataTransfer.files);
  }, anywhere);
  document.addEventListener("visibilitychange", () => log.looked(), anywhere);

  start();
  composer.open();

  return () => {
    leaving.abort();
    unfollow();
    clearTimeout(typing);
    clearTimeout(again);
    composer.close();
    log.close();
  };
}
