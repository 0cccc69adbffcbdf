// The list above the field: commands on "/", people on "@". It narrows while one types; arrows choose from it,
// Enter and Tab take, Escape closes it.

import { Failure, get, make } from "/static/kit.js";

const COMMAND = /^\/(\w*)$/;
const MENTION = /(?:^|[^\p{L}\p{N}_@/\\])@([\p{L}\p{N}_-]*)$/u;
const NAMES = { commands: "Commands", people: "Who is in the camp" };
const SIGNS = { commands: "/", people: "@" };

export class Choices {
  constructor(field) {
    this.field = field;
    this.known = { commands: [], people: [] };
    this.kind = "";
    this.word = "";
    this.found = [];
    this.at = 0;
    this.dismissed = -1;
    // To press on a choice must not take the focus from the field.
    this.list = make("ul.choices", { id: "choices", role: "listbox", hidden: true,
      onmousedown: (event) => event.preventDefault(), onclick: (event) => this.clicked(event) });
    field.addEventListener("input", () => this.look());
    field.addEventListener("click", () => this.look());
    field.addEventListener("keyup", () => this.kind && this.look());
    field.addEventListener("blur", () => this.close());
  }

  // What is being written where the cursor stands.
  look() {
    const { value, selectionStart, selectionEnd } = this.field;
    const before = selectionStart === selectionEnd ? value.slice(0, selectionStart) : "";
    const command = COMMAND.exec(before);
    const found = command ?? MENTION.exec(before);
    if (!found) return this.close();
    if (before.length - found[1].length === this.dismissed) return;
    const kind = command ? "commands" : "people";
    if (kind === this.kind && found[1] === this.word) return;
    this.word = found[1];
    if (kind === this.kind) return this.show();
    this.kind = kind;
    this.show();
    this.learn(kind);
  }

  // The list is asked for each time it is opened: who is in the camp may have changed.
  async learn(kind) {
    try {
      const told = (await get(`/chat/${kind}`))[kind];
      this.known[kind] = told.map(({ name, command, description }) => ({ name: name ?? command, description }));
      if (this.kind === kind) this.show();
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure; // one writes without the list, then
    }
  }

  show() {
    const word = this.word.toLowerCase();
    const known = this.known[this.kind];
    const begun = known.filter(({ name }) => name.startsWith(word));
    this.found = [...begun, ...known.filter((it) => !begun.includes(it) && it.name.includes(word))];
    this.list.ariaLabel = NAMES[this.kind];
    this.list.replaceChildren(...this.found.map(({ name, description }, index) =>
      make("li", { role: "option", id: `choice-${index}` }, make("b", SIGNS[this.kind] + name), " ", description)));
    this.list.hidden = !this.found.length;
    if (this.list.hidden) return this.describe(false);
    this.describe(true);
    this.choose(0);
  }

  choose(at) {
    this.at = (at + this.found.length) % this.found.length;
    [...this.list.children].forEach((option, index) => option.setAttribute("aria-selected", index === this.at));
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", `choice-${this.at}`);
  }

  // The field is a plain one as long as there is nothing to choose from.
  describe(open) {
    const said = { role: "combobox", "aria-expanded": "true", "aria-controls": "choices", "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(said)) {
      if (open) this.field.setAttribute(name, value);
      else this.field.removeAttribute(name);
    }
    if (!open) this.field.removeAttribute("aria-activedescendant");
  }

  close() {
    this.kind = this.word = "";
    this.dismissed = -1;
    this.list.hidden = true;
    this.describe(false);
  }

  // Whether a key was meant for the list.
  key(event) {
    if (this.list.hidden || event.shiftKey) return false;
    const deed = {
      ArrowDown: () => this.choose(this.at + 1),
      ArrowUp: () => this.choose(this.at - 1),
      Tab: () => this.take(this.at),
      Enter: () => this.take(this.at),
      Escape: () => this.dismiss(),
    }[event.key];
    const written = event.key === "Enter" && this.found[this.at].name === this.word.toLowerCase();
    if (!deed || written) return false; // what is written in full is sent
    event.preventDefault();
    deed();
    return true;
  }

  // Closed by the person: what he goes on to type there does not open it again.
  dismiss() {
    const at = this.field.selectionStart - this.word.length;
    this.close();
    this.dismissed = at;
  }

  clicked(event) {
    const option = event.target.closest("li");
    if (option) this.take([...this.list.children].indexOf(option));
  }

  take(at) {
    const { field, word } = this;
    const caret = field.selectionStart;
    const space = /^\s/.test(field.value.slice(caret)) ? "" : " ";
    field.setRangeText(this.found[at].name + space, caret - word.length, caret, "end");
    this.close();
  }
}
