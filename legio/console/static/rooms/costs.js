// Costs and health: how Legio is, looked at again while somebody watches, and what its days took.

import { account } from "./costs/account.js";
import { health } from "./costs/health.js";
import { scorecard } from "./costs/scorecard.js";

const LOOK_MS = 5000;
const DRAW_MS = 10000; // while turns end, the account is drawn no more often than that
const SETTLE_MS = 250;

export async function open(main, { make, tried }) {
  const signs = health();
  const costs = account();
  const charts = make("div.charts", ...costs.charts, signs.budget);
  main.append(make("div.sheet",
    make("h1", "Costs and health"), make("div.cards", ...signs.cards), costs.node, charts, costs.table, scorecard()));

  let looking = false;
  let drawn = 0;
  let counted = null; // how many turns had ended when the account was drawn last
  let settling = 0;

  function draw() {
    drawn = Date.now();
    return tried(costs.draw);
  }

  async function look() {
    if (looking || document.hidden) return;
    looking = true;
    const pulse = await signs.look().finally(() => { looking = false; });
    if (!pulse) return;
    const ended = pulse.law.received - pulse.law.pending;
    if (ended === counted || Date.now() - drawn < DRAW_MS) return;
    counted = ended;
    await draw();
  }

  const resized = new ResizeObserver(() => {
    clearTimeout(settling);
    settling = setTimeout(() => { if (costs.stale()) draw(); }, SETTLE_MS);
  });
  const ticking = setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", look);
  await look();
  if (!drawn) await draw(); // also where nothing is known of its health
  resized.observe(charts);

  return () => {
    clearInterval(ticking);
    clearTimeout(settling);
    resized.disconnect();
    document.removeEventListener("visibilitychange", look);
  };
}
