// Where one writes: a message, an answer, a correction, or what goes with files.

import { button, make } from "/static/kit.js";
import { Choices } from "./choices.js";
import { summary } from "./message.js";

const SVG = "http://www.w3.org/2000/svg";
const CLIP = "M8 12.5l6.3-6.3a3 3 0 0 1 4.3 4.3l-8.4 8.4a5 5 0 0 1-7-7l8-8";
const ARROW = "M12 20V5M5.5 11.5L12 5l6.5 6.5";

let kept = ""; // what was being written when the room was left

export class Composer {
  // `send` does a deed at the server, and tells whether it went well.
  constructor(log, send) {
    this.log = log;
    this.send = send;
    this.replyTo = null;
    this.quote = "";
    this.editing = null;
    this.picked = "";
    this.build();
    this.listen();
  }

  build() {
    this.words = make("p", { id: "replying-to" });
    this.intent = make("div.replying", { id: "replying", hidden: true }, this.words,
      button("✕", () => this.setReply(null), { "aria-label": "Cancel" }));
    this.files = make("input", { type: "file", id: "files", multiple: true, "aria-label": "Send files" });
    this.field = make("textarea", { id: "text", rows: 1, placeholder: "Message", "aria-label": "Message",
      autocomplete: "off", enterkeyhint: "send" });
    this.choices = new Choices(this.field);
    this.form = make("form.composer", { id: "composer", "aria-label": "Write a message" },
      this.choices.list, this.intent,
      make("label.round.attach", { title: "Send files" }, this.files, icon(CLIP)),
      this.field, make("button.round.send", { "aria-label": "Send" }, icon(ARROW)));
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.field.addEventListener("keydown", (event) => this.typed(event));
    this.files.addEventListener("change", () => this.upload(this.files.files));
    this.field.addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.upload(event.clipboardData.files);
    });
    // A click on a button may unmark what was marked, so that is looked at before; a key leaves it.
    for (const kind of ["pointerdown", "keydown"]) {
      this.log.node.addEventListener(kind, () => { this.picked = getSelection().toString().trim(); });
    }
  }

  open() {
    this.field.value = kept;
    if (matchMedia("(hover: hover)").matches) this.field.focus(); // elsewhere a keyboard would cover the chat
  }

  close() {
    kept = this.editing === null ? this.field.value : "";
  }

  // --- what is meant with it ---

  // Answers a message, or only the words of it that are marked.
  setReply(id) {
    if (this.editing !== null) this.field.value = "";
    const message = this.log.messages.get(id);
    this.replyTo = id;
    this.editing = null;
    this.quote = this.picked && message?.text?.includes(this.picked) ? this.picked : "";
    this.show(!message ? "" : this.quote ? `“${this.quote}”` : summary(message));
  }

  setEdit(id) {
    this.setReply(null);
    this.editing = id;
    this.field.value = this.log.messages.get(id).text;
    this.show(`Editing: ${summary(this.log.messages.get(id))}`);
  }

  show(words) {
    this.intent.hidden = !words;
    this.words.textContent = words;
    if (words) this.field.focus();
  }

  forget(id) {
    if (this.replyTo === id || this.editing === id) this.setReply(null);
  }

  // --- keys ---

  typed(event) {
    if (event.isComposing || this.choices.key(event)) return;
    const { key, shiftKey } = event;
    if (key === "Escape") this.setReply(null);
    const enter = key === "Enter" && !shiftKey;
    const again = key === "ArrowUp" && !this.field.value ? this.log.lastOwn() : null;
    if (enter || again !== null) event.preventDefault();
    if (enter) this.form.requestSubmit();
    if (again !== null) this.setEdit(again);
  }

  // --- sending ---

  async submit() {
    const text = this.field.value.trimEnd();
    if (!text) return;
    this.field.value = "";
    this.choices.close();
    this.log.pin();
    if (!(await this.say(text)) && !this.field.value) this.field.value = text;
  }

  async say(text) {
    const { editing, replyTo, quote } = this;
    const sent = editing === null
      ? await this.send("say", { text, reply_to: replyTo, quote, thread: this.log.topic })
      : await this.send("edit", { message_id: editing, text });
    if (sent && this.editing === editing && this.replyTo === replyTo) this.setReply(null);
    return sent;
  }

  async upload(files) {
    const form = new FormData();
    [...files].forEach((file, index) => form.append(`file${index}`, file));
    form.append("caption", this.field.value);
    if (this.replyTo !== null) form.append("reply_to", this.replyTo);
    form.append("quote", this.quote);
    form.append("thread", this.log.topic);
    this.files.value = "";
    this.log.pin();
    if (!(await this.send("upload", form))) return;
    this.field.value = "";
    this.setReply(null);
  }
}

function icon(path) {
  const picture = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  picture.append(line);
  return picture;
}
