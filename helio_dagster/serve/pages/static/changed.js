// Say that a page is old: after somebody returns to it, and what it shows has changed meanwhile.
import { make } from "./dom.js";

const changed = document.getElementById("changed");
let isAsking = false;

async function look() {
  if (document.hidden || isAsking || changed.hasChildNodes()) return;
  isAsking = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const found = /id="changed" data-version="(\w+)"/.exec(answer.ok ? await answer.text() : "");
    if (found && found[1] !== changed.dataset.version) {
      const again = make("button", { type: "button", onclick: () => location.reload() }, "Show it as it is now");
      changed.append(make("p.notice.warn", {}, "This page is old: what it shows has changed since you opened it. ", again));
    }
  } catch { // no server: what is pressed next says so
  } finally { isAsking = false; }
}

if (changed) {
  document.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
}
