// How Legio is: signs and complaints, whether every turn has its end, the outbox, what is left of the budget.

import * as kit from "../../kit.js";
import { card, counted, facts } from "./parts.js";

const { make, say } = kit;
const ENDS = ["answered", "failed", "stopped", "expired", "pending"];

export function health() {
  const state = make("p", { role: "status" });
  const complaints = make("ul.plain.bad");
  const signs = make("dl.facts");
  const law = { sum: make("p.figures"), holds: make("p"), owed: make("dl.facts") };
  const caps = make("div.caps");
  const outbox = theOutbox(look);

  async function look() {
    try {
      const found = await kit.get("/camp/costs/health");
      say(state, found.well ? "All is well." : "Legio is not well.", found.well ? "good" : "bad");
      complaints.replaceChildren(...found.complaints.map((text) => make("li", text)));
      if (!found.pulse) return null;
      facts(signs, signsOf(found.pulse));
      showLaw(law, found.pulse);
      caps.replaceChildren(...capsOf(found.caps));
      await outbox.show(found.pulse);
      return found.pulse;
    } catch (failure) {
      say(state, kit.told(failure), "bad");
      return null;
    }
  }

  return {
    look,
    cards: [card("Health", state, complaints, signs), card("Every turn has an end", law.sum, law.holds, law.owed), outbox.node],
    budget: card("Budget today", caps),
  };
}

function signsOf(pulse) {
  const megabytes = (bytes) => `${kit.count(Math.round(bytes / 1e6))} MB`;
  return [
    ["Running for", kit.seconds(pulse.uptime)],
    ["Telegram was heard", `${kit.seconds(pulse.silent)} ago`],
    ["Calls that failed", kit.count(pulse.troubles), pulse.troubles ? "warn" : ""],
    ["Polling begun anew", pulse.restarts ? counted(pulse.restarts, "time") : ""],
    ["Memory of Legio", megabytes(pulse.own)],
    ["Memory of what it started", megabytes(pulse.started)],
    ["Agents awake", kit.count(pulse.sessions)],
    ["Last error in the log", kit.moment(pulse.error), pulse.error ? "warn" : ""],
  ];
}

function showLaw({ sum, holds, owed }, pulse) {
  const tally = pulse.law;
  const ends = ENDS.map((name) => `${kit.count(tally[name])} ${name}`).join(" + ");
  sum.textContent = `${kit.count(tally.received)} received = ${ends}`;
  say(holds, tally.holds ? "It holds: no turn is lost." : "It does not hold: look at the log.", tally.holds ? "good" : "bad");
  facts(owed, [
    ["Updates not taken yet", since(pulse.inbox, pulse.inbox_seconds)],
    ["Oldest open turn", pulse.law.pending ? kit.seconds(pulse.turn_seconds) : "none"],
    ["Waited for longest", pulse.slowest ? `${pulse.slowest}, ${kit.seconds(pulse.slowest_seconds)}` : ""],
  ]);
}

function since(figure, seconds) {
  return figure ? `${kit.count(figure)}, the oldest for ${kit.seconds(seconds)}` : "none";
}

function capsOf(caps) {
  if (!caps.length) return [make("p.faint", "There is none. [budget] in legio.toml sets what a day may cost.")];
  return caps.map((cap) => {
    const filled = make("span");
    filled.style.width = `${100 * Math.min(1, (cap.spent + cap.kept) / cap.size)}%`;
    const kept = cap.kept ? `, ${kit.dollars(cap.kept)} set aside` : "";
    const raised = cap.raised ? `, raised by ${kit.dollars(cap.raised)}` : "";
    return make("div",
      make("p.row.apart", make("span.words", cap.whose || "All together"),
        make("span", { class: cap.spent < cap.size ? "figures" : "figures bad" }, `${kit.dollars(cap.spent)} of ${kit.dollars(cap.size)}${raised}${kept}`)),
      make("div.bar", { "aria-hidden": "true" }, filled));
  });
}

// --- the outbox ---

function theOutbox(look) {
  const signs = make("dl.facts");
  const waiting = make("ul.plain");
  const lost = make("ul.plain");
  const waits = make("details", { hidden: true }, make("summary", "What waits"), waiting);
  const again = kit.button("Send all again", press, { hidden: true });
  const node = card("Outbox", signs, waits, lost, again);
  let given = 0;
  node.tabIndex = -1; // where the focus goes when the button has done its work

  async function press() {
    if (!(await kit.sure(`Send ${counted(given, "message")} again?`, "Send again"))) return;
    const sent = await kit.tried(async () => {
      const { count } = await kit.post("/camp/costs/retry");
      kit.toast(`Sent again: ${counted(count, "message")}.`);
    });
    if (!sent) return;
    await look();
    if (again.hidden) node.focus();
  }

  async function show(pulse) {
    const { unsent, undelivered } = await kit.get("/camp/costs/outbox");
    given = pulse.undeliverable;
    facts(signs, [
      ["On their way", since(pulse.outbox, pulse.outbox_seconds)],
      ["Given up", given ? kit.count(given) : "none", given ? "bad" : ""],
    ]);
    waits.hidden = !unsent.length;
    waiting.replaceChildren(...unsent.map(onItsWay));
    lost.replaceChildren(...undelivered.map((each) => parcel(each)));
    again.hidden = !given;
  }

  return { node, show };
}

function onItsWay(each) {
  return parcel(each, counted(each.tries, "try", "tries"), ...(each.doubtful ? ["may have arrived"] : []));
}

function parcel(each, ...more) {
  return make("li",
    make("p.words", each.carries),
    make("p.small.faint", [kit.moment(each.created), ...more].join(" · ")),
    each.error ? make("p.small.bad.words", each.error) : null);
}
