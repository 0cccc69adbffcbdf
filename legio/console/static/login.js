// Signing in: by what stands behind the '#' of the address, which leaves it before anything is sent, or by a code.

const said = document.getElementById("said");
const form = document.getElementById("by-code");
const code = document.getElementById("code");

function say(text, bad = false) {
  said.textContent = text;
  said.classList.toggle("bad", bad);
}

async function post(path, body) {
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    return "Legio does not answer.";
  }
  if (response.ok) return "";
  const { error } = await response.json().catch(() => ({}));
  const seconds = response.headers.get("Retry-After");
  return (error ?? `The server answered ${response.status}.`) + (seconds ? ` Try again in ${seconds} s.` : "");
}

// What the address brought: a one-time token, or Telegram's word on who opened the page.
function brought() {
  const hash = location.hash.slice(1);
  if (hash) history.replaceState(null, "", location.pathname);
  const word = new URLSearchParams(hash).get("tgWebAppData");
  if (word) return ["/login/telegram", { data: word }];
  return /^[\w-]{40,60}$/.test(hash) ? ["/login/link", { token: hash }] : null;
}

async function enter(path, body) {
  say("Signing in …");
  const wrong = await post(path, body);
  if (!wrong) location.replace("/");
  return wrong;
}

async function start() {
  const given = brought();
  const wrong = given && await enter(...given);
  if (wrong === "") return;
  const ways = await fetch("/login/ways").then((response) => response.json()).catch(() => ({}));
  if (ways.signed_in) { // an old link in a browser that is in already
    location.replace("/");
    return;
  }
  form.hidden = !ways.code;
  document.getElementById("advice").hidden = false;
  if (wrong) say(wrong, true);
  else say(ways.code ? "Sign in to your camp." : "This camp opens by a link.");
  if (ways.code) code.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wrong = await enter("/login/code", { code: code.value });
  if (!wrong) return;
  say(wrong, true);
  code.select();
});

addEventListener("hashchange", () => { if (location.hash) start(); }); // a link was put into the open page
start();
