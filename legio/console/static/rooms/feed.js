// The feed: what happens in the legion, newest at the bottom. Only a window of it is in the page at any time;
// it moves over the feed as one scrolls, and follows the end while one is there.

import * as kit from "../kit.js";

const { button, make } = kit;
const PAGE = 200;
const MOST = 600; // entries in the page at once, however long the feed is
const NEAR = 600; // pixels from an edge of the window: then it is moved
const END = 40; // pixels from the end that still count as being there
const TOGETHER = 50; // milliseconds in which what arrives is shown together
const PATIENCE = 5000; // milliseconds after which a line that stays silent is taken up anew
const LONG = 320; // characters of a text that are shown unasked
const LINES = 5;

const SIGNS = {
  user: "▸", assistant: "◂", tool: "⚙", "tool-success": "✓", "tool-error": "✗", event: "•", error: "!",
  handoff: "→", resume: "↻", repair: "+", activation: "★",
};
const STORIES = {
  resume: "The thread goes on in another process",
  repair: "A new thread in the place of the one before",
  activation: "The first thread begins",
};

// --- one entry ---

function told(entry) {
  const story = STORIES[entry.kind];
  if (story) return `${story}${entry.text ? `: ${entry.text}` : ""}.`;
  return entry.text || (entry.kind === "error" ? "The turn failed without a word." : "");
}

function words(text, tag) {
  const node = make(tag, { class: "words" }, text);
  if (text.length <= LONG && text.split("\n").length <= LINES) return [node];
  node.classList.add("folded");
  const more = button("Show all", () => {
    const open = !node.classList.toggle("folded");
    more.textContent = open ? "Show less" : "Show all";
    more.setAttribute("aria-expanded", open);
  }, { class: "more", "aria-expanded": "false" });
  return [node, more];
}

function who(entry) {
  const agent = make("strong", entry.agent);
  const from = { user: "Caesar", handoff: entry.sender }[entry.kind];
  return from ? [make("strong", from), " → ", agent] : [agent];
}

// When it was; where something was said, it leads to the whole of it.
function when({ at, nuntius }) {
  const today = new Date(at).toDateString() === new Date().toDateString();
  const time = make("time", { datetime: at, title: kit.moment(at) }, today ? kit.clock(at) : kit.moment(at));
  if (!nuntius) return make("span.when.faint.small", time);
  return make("a.when.small", { href: `#/praetorium/${nuntius}` }, time);
}

function row(entry, before) {
  // Where Caesar asks several at once, his words stand there once.
  const again = entry.kind === "user" && before?.kind === "user" && before.nuntius === entry.nuntius;
  const text = told(entry);
  const head = make("p.head", ...who(entry),
    make("span.chip", entry.kind.replace("-", " ")),
    entry.tool ? make("code", entry.tool) : null,
    when(entry));
  return make("li", { class: `entry ${entry.kind}${again ? " again" : ""}`, "data-id": entry.id },
    make("span.sign", { "aria-hidden": "true" }, SIGNS[entry.kind]),
    make("div.told", head, ...(text ? words(text, entry.tool ? "pre" : "p") : [])));
}

// --- the window ---

function windowOn(main, list) {
  const shown = [];

  const rows = (entries, before) =>
    entries.map((entry, index) => row(entry, index ? entries[index - 1] : before));

  // Whatever `change` does above it, what is looked at stays where it is.
  function still(change) {
    const { top } = main.getBoundingClientRect();
    const anchor = [...list.children].find((each) => each.getBoundingClientRect().bottom > top);
    const was = anchor?.getBoundingClientRect().top;
    change();
    if (anchor?.isConnected) main.scrollTop += anchor.getBoundingClientRect().top - was;
  }

  return {
    get first() { return shown[0]?.id ?? 0; },
    get last() { return shown.at(-1)?.id ?? 0; },
    get size() { return shown.length; },

    fill(entries) {
      shown.splice(0, shown.length, ...entries);
      list.replaceChildren(...rows(entries));
    },

    prepend(entries) {
      still(() => {
        list.prepend(...rows(entries));
        shown.unshift(...entries);
        while (shown.length > MOST) {
          shown.pop();
          list.lastElementChild.remove();
        }
      });
    },

    append(entries) {
      still(() => {
        list.append(...rows(entries, shown.at(-1)));
        shown.push(...entries);
        while (shown.length > MOST) {
          shown.shift();
          list.firstElementChild.remove();
        }
        list.firstElementChild?.classList.remove("again"); // the words it leans on may be gone
      });
    },
  };
}

// --- the room ---

const chosen = () => location.hash.split("/")[2] ?? "";

export async function open(main) {
  const list = make("ol.entries", { tabindex: "0", "aria-label": "What happened" });
  const line = make("span.small.faint", { role: "status" });
  const choice = make("select");
  const empty = make("p.empty", { hidden: true }, "Nothing has happened yet.");
  const news = button("", () => kit.tried(toEnd), { class: "news", hidden: true });
  main.append(
    make("div.row.apart.over", make("label.row", "Agent", choice), line),
    list, empty, make("div.below", news));

  const view = windowOn(main, list);
  let agent = "";
  let newest = 0; // the last entry that has arrived
  let drawn = 0; // the last one that had arrived when it was drawn last
  let start = false; // the window holds the first entry that there is
  let unseen = 0;
  let moving = false;
  let visit = 0; // counts beginnings: what an earlier one still waits for is not shown any more
  let arrived = [];
  let drawing = 0;
  let waiting = 0;
  let leave = () => {};

  const atEnd = () => main.scrollHeight - main.scrollTop - main.clientHeight <= END;
  const ask = (place) => kit.get("/camp/feed/entries", { agent, limit: PAGE, ...place });

  function fill(entries) {
    view.fill(entries);
    start = entries.length < PAGE;
    main.scrollTop = main.scrollHeight;
    looked();
  }

  // What is behind the window is said on a button, and it is gone when one has come there.
  function looked(more = 0) {
    const whole = view.last >= drawn;
    unseen = whole && atEnd() ? 0 : unseen + more;
    const hide = whole && !unseen;
    if (hide && document.activeElement === news) list.focus({ preventScroll: true });
    news.hidden = hide;
    news.textContent = unseen ? `${kit.count(unseen)} new ↓` : "To the newest ↓";
    empty.hidden = view.size > 0;
  }

  async function toEnd() {
    const mine = visit;
    if (view.last < drawn) {
      const page = await ask({});
      if (mine !== visit) return;
      fill(page.entries);
    }
    main.scrollTop = main.scrollHeight;
    looked();
  }

  async function move() {
    const up = main.scrollTop < NEAR && !start;
    const down = main.scrollHeight - main.scrollTop - main.clientHeight < NEAR && view.last < drawn;
    if (moving || !(up || down)) return;
    moving = true;
    const mine = visit;
    try {
      const { entries } = await ask(up ? { before: view.first } : { after: view.last });
      if (mine !== visit) return;
      if (up) {
        view.prepend(entries);
        start = entries.length < PAGE;
      } else add(entries);
    } finally {
      moving = false;
    }
    looked();
    await move(); // one may have scrolled on meanwhile
  }

  function scrolled() {
    looked();
    kit.tried(move);
  }

  // --- what arrives ---

  function add(entries) {
    start &&= view.size + entries.length <= MOST;
    view.append(entries);
  }

  function take(entry) {
    if (entry.id <= newest) return;
    newest = entry.id;
    arrived.push(entry);
    drawing ||= setTimeout(draw, TOGETHER);
  }

  function draw() {
    const touching = view.last >= drawn;
    const follows = touching && atEnd();
    const fresh = arrived.filter((entry) => entry.id > view.last);
    arrived = [];
    drawing = 0;
    drawn = newest;
    if (follows && fresh.length > MOST) {
      view.fill(fresh.slice(-MOST));
      start = false;
    } else if (follows || (touching && view.size + fresh.length <= MOST)) add(fresh);
    if (follows) main.scrollTop = main.scrollHeight;
    looked(fresh.length);
  }

  function follow() {
    leave();
    const query = new URLSearchParams({ after: newest, agent });
    leave = kit.follow(`/camp/feed/live?${query}`, { entry: take, reset: begin }, (well) => {
      line.textContent = well ? "live" : "Legio does not answer. Trying again…";
      clearTimeout(waiting);
      waiting = well ? 0 : setTimeout(follow, PATIENCE);
    });
  }

  // --- beginning and end ---

  function quiet() {
    visit += 1;
    leave();
    clearTimeout(waiting);
    clearTimeout(drawing);
    [arrived, drawing, unseen] = [[], 0, 0];
  }

  async function begin() {
    quiet();
    const mine = visit;
    agent = chosen();
    const well = await kit.tried(async () => {
      const page = await ask({});
      if (mine !== visit) return;
      const names = page.agents.includes(agent) || !agent ? page.agents : [...page.agents, agent];
      choice.replaceChildren(...kit.options([["", "all"], ...names], agent));
      newest = drawn = page.entries.at(-1)?.id ?? 0;
      fill(page.entries);
      follow();
    });
    if (!well && mine === visit) waiting = setTimeout(begin, PATIENCE);
  }

  function turned() {
    if (chosen() !== agent) begin();
  }

  choice.addEventListener("change", () => {
    location.hash = choice.value ? `#/feed/${choice.value}` : "#/feed";
  });
  main.addEventListener("scroll", scrolled);
  addEventListener("hashchange", turned);
  await begin();
  return () => {
    quiet();
    main.removeEventListener("scroll", scrolled);
    removeEventListener("hashchange", turned);
  };
}
