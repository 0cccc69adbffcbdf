// The page around the rooms: which there are, which one is open, and how one gets from one to the other.

import * as kit from "./kit.js";

const main = document.getElementById("main");
const nav = document.getElementById("rooms");
let rooms = [];
let close = () => {};
let opened = 0;

function link(room) {
  return kit.make("a", { href: `#/${room.name}`, "data-room": room.name }, room.title);
}

function chosen() {
  const [name] = location.hash.replace(/^#\/?/, "").split("/");
  return rooms.find((room) => room.name === name) ?? rooms[0];
}

// A room is shown when its style is there; without it, it is shown all the same.
async function style(room) {
  if (!room.style || document.querySelector(`link[href="${room.style}"]`)) return;
  await new Promise((done) => {
    document.head.append(kit.make("link", { rel: "stylesheet", href: room.style, onload: done, onerror: done }));
  });
}

// A room may be left while it still opens: then it is closed as soon as it has opened.
async function enter() {
  const room = chosen();
  const turn = opened += 1;
  close();
  close = () => {};
  for (const each of nav.children) {
    each.toggleAttribute("aria-current", false);
    if (each.dataset.room === room.name) each.setAttribute("aria-current", "page");
  }
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.title = `${room.title} · Legio`;
  main.replaceChildren();
  main.className = `room ${room.name}`;
  const [{ open }] = await Promise.all([import(room.script), style(room)]);
  if (turn !== opened) return;
  const left = await open(main, kit);
  if (turn === opened) close = left ?? close;
  else left?.();
}

async function start() {
  const camp = await kit.get("/rooms");
  rooms = camp.rooms;
  kit.setToken(camp.token);
  document.getElementById("leave").hidden = !camp.token; // without a wall in front nobody has signed in
  nav.replaceChildren(...rooms.map(link));
  let shown = chosen().name;
  addEventListener("hashchange", () => {
    if (chosen().name === shown) return; // the room itself reads what stands behind its name
    shown = chosen().name;
    kit.tried(enter);
  });
  await enter();
}

for (const each of document.querySelectorAll("[data-leave]")) {
  each.addEventListener("click", async () => {
    if (await kit.tried(() => kit.post(each.dataset.leave))) location.assign("/login");
  });
}

if (location.hash.startsWith("#tgWebAppData=")) history.replaceState(null, "", "/"); // a secret of Telegram's

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says which room is open
  main.focus();
});

kit.tried(start);
