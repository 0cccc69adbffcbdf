// What has been said, oldest first: the messages of the open topic, and those further up when one gets there.

import { button, make, tried } from "/static/kit.js";
import { carryOver, draftElement, messageElement } from "./message.js";
import { Place } from "./place.js";
import { Unseen } from "./unseen.js";

const DRAFT_MS = 30000;
const FOUND_MS = 1500;
const AHEAD = 600; // so near to the top, in px, what stands above it is fetched

let left = 0; // the last message that stood there when the room was left

export class Log {
  // `earlier` fetches what stands above a message; `told` hears that there is more, or less, to be seen.
  constructor(earlier, told) {
    this.earlier = earlier;
    this.told = told;
    this.topic = 0; // the one that is open; 0 is the chat itself
    this.messages = new Map();
    this.unseen = new Unseen();
    this.more = false;
    this.oldest = Infinity;
    this.loading = null;
    this.meanwhile = [];
    this.timers = new Set();
    this.build();
  }

  build() {
    this.empty = make("p.empty", { id: "empty", hidden: true }, "Nothing has been said yet.", make("br"),
      "Write to the Legatus, or name centuriones with @.");
    this.line = make("p.new", { hidden: true }, "New");
    this.drafts = make("div", { id: "drafts", "aria-live": "off" });
    this.node = make("div.log", { id: "log", role: "log", "aria-label": "Messages",
      "aria-relevant": "additions", tabindex: 0 }, this.empty, this.drafts);
    this.down = button("", () => this.pin(), { class: "button down", hidden: true });
    this.frame = make("div.reading", this.node, this.down);
    this.place = new Place(this.node, () => {
      this.looked();
      this.reach();
    });
  }

  close() {
    this.place.close();
    this.timers.forEach(clearTimeout);
    left = Math.max(left, ...this.messages.keys());
  }

  // --- messages ---

  load({ messages, more, drafts }) {
    for (const id of this.messages.keys()) element(id)?.remove();
    this.endDrafts();
    this.messages.clear();
    this.unseen.clear();
    this.loading = null;
    this.more = more;
    this.oldest = messages[0]?.message_id ?? Infinity;
    this.place.pinned = true;
    this.steady(() => this.drafts.before(...messages.map((message) => this.made(message))));
    drafts.forEach((draft) => this.draft(draft));
    this.welcome(messages);
    this.reach();
  }

  // Who comes back to the room begins where he left it.
  welcome(messages) {
    const news = left ? messages.filter((it) => it.from.is_bot && it.message_id > left) : [];
    left = 0;
    news.forEach((message) => this.unseen.missed(topicOf(message), message.message_id));
    this.mark();
    if (!this.line.hidden) {
      this.line.scrollIntoView({ block: "start" });
      this.place.settle();
    }
    this.looked();
  }

  made(message) {
    const node = messageElement(message);
    node.hidden = topicOf(message) !== this.topic;
    this.messages.set(message.message_id, message);
    return node;
  }

  show(message) {
    const id = message.message_id;
    const old = element(id);
    if (!old && this.above(id)) return void this.meanwhile.push(() => this.show(message));
    this.steady(() => {
      const node = this.made(message);
      if (old) carryOver(old, node);
      else this.drafts.before(node);
    });
    if (!old) this.came(message);
  }

  came(message) {
    const topic = topicOf(message);
    const read = this.place.pinned && topic === this.topic && !document.hidden;
    if (!message.from.is_bot) this.unseen.answered(topic);
    else if (!read) this.unseen.missed(topic, message.message_id);
    this.mark();
    this.looked();
  }

  forget(ids) {
    if (this.loading) this.meanwhile.push(() => this.forget(ids));
    this.steady(() => ids.forEach((id) => {
      element(id)?.remove();
      this.messages.delete(id);
    }));
    this.unseen.forget(ids);
    this.mark();
    this.looked();
  }

  // Whether a message stands further up than what is shown: it is fetched when somebody wants to see it.
  above(id) {
    return this.more && id < this.oldest;
  }

  lastOwn() {
    const own = [...this.messages.values()].filter((it) => !it.from.is_bot && it.text && topicOf(it) === this.topic);
    return own.length ? Math.max(...own.map((it) => it.message_id)) : null;
  }

  topicOf(id) {
    return this.messages.has(id) ? topicOf(this.messages.get(id)) : null;
  }

  // --- further up ---

  reach() {
    if (this.more && this.node.scrollTop < AHEAD) tried(() => this.fetchMore());
  }

  fetchMore() {
    if (this.loading) return this.loading;
    this.meanwhile = []; // what happens further up until it is here
    const mine = this.fetched(() => this.loading === mine);
    this.loading = mine;
    return mine;
  }

  // `current` says whether it is still wanted: meanwhile all may have been loaded anew.
  async fetched(current) {
    try {
      const { messages, more } = await this.earlier(this.oldest);
      if (!current()) return;
      this.more = more;
      this.oldest = messages[0]?.message_id ?? this.oldest;
      this.steady(() => this.empty.after(...messages.map((message) => this.made(message))));
    } finally {
      if (current()) this.loading = null;
    }
    this.meanwhile.splice(0).forEach((happened) => happened());
    this.reach();
  }

  async find(id) {
    while (!this.messages.has(id) && this.above(id)) await this.fetchMore();
  }

  jump(id) {
    const node = element(id);
    node.scrollIntoView({ block: "center" });
    this.place.settle();
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
    node.classList.add("found");
    this.later(FOUND_MS, () => node.classList.remove("found"));
  }

  // --- drafts ---

  draft(draft) {
    const node = draftElement(draft);
    node.id = `d${draft.id}`;
    this.steady(() => {
      const old = document.getElementById(node.id);
      if (old) old.replaceWith(node);
      else this.drafts.append(node);
    });
    this.later(DRAFT_MS, () => this.steady(() => node.remove()));
  }

  endDrafts() {
    this.steady(() => this.drafts.replaceChildren());
  }

  later(milliseconds, work) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, milliseconds);
    this.timers.add(timer);
  }

  // --- what is in sight ---

  steady(change) {
    change();
    this.empty.hidden = this.messages.size > 0;
    this.place.keep();
  }

  pin() {
    this.place.pin();
    this.looked();
  }

  enter(topic) {
    this.topic = topic;
    for (const [id, message] of this.messages) element(id).hidden = topicOf(message) !== topic;
    this.mark();
    this.pin();
    this.reach();
  }

  mark() {
    const marked = element(this.unseen.marks.get(this.topic));
    this.steady(() => {
      this.line.hidden = !marked;
      if (marked && marked.previousSibling !== this.line) marked.before(this.line); // moved, it is read out again
    });
  }

  looked() {
    if (this.place.pinned && !document.hidden) this.unseen.looked(this.topic);
    const count = this.unseen.count(this.topic);
    this.down.hidden = this.place.pinned;
    this.down.textContent = count ? `↓ ${count} new` : "↓";
    this.down.ariaLabel = count ? `${count} new: to the end` : "To the end";
    this.told();
  }
}

function element(id) {
  return document.getElementById(`m${id}`);
}

function topicOf(message) {
  return message.message_thread_id ?? 0;
}
