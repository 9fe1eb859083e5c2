// The conversation: what is said goes to the interface, what happens comes as numbered events and survives a lost connection.
import { call, make, newKey, refusal } from "./dom.js";
import { cardOf, isLine, lineOf, quieten, rowOf } from "./cards.js";

const API = "/api/v1/conversations";
const page = document.getElementById("talk");
const log = document.getElementById("events"), line = document.getElementById("line"), form = document.getElementById("say");
const words = form.elements.text, send = form.querySelector("button.main"), stop = document.getElementById("stop"), undo = document.getElementById("undo");
let id = page.dataset.id, last = 0, source = null, turn = null, digest = "", isBusy = false, lost = 0, isAtEnd = true;
let spoken = [], told = 0, lastKept = 0; // what was said in all, how much of it is on the page, and the last event when it was opened
let unsent = null; // a message whose answer never came: the same key makes sending it again harmless

const act = {
  say: (text, shown) => say(text, shown),
  approve: async () => {
    if (isBusy) return;
    begin();
    heard("Approved");
    isAtEnd = true;
    toTheEnd();
    if (!await attempt(() => call(`${API}/${id}/approve`, { digest }))) forget();
  },
  change: () => { words.placeholder = "Say what to change, such as: smooth over 5 minutes"; words.focus(); },
};

async function say(text, shown = text) {
  if (!text.trim() || isBusy) return;
  setBusy(true);
  unsent = unsent?.text === text ? unsent : { text, key: newKey() };
  begin();
  heard(shown);
  isAtEnd = true;
  toTheEnd();
  const done = await attempt(async () => {
    if (!id) {
      const archive = form.elements.archive.value;
      ({ id } = await call(API, { archive, key: `new-${unsent.key}` }));
      history.replaceState(null, "", `/talk/${id}`);
      form.elements.archive.closest("label").hidden = true;
      follow();
      setBusy(true);
    }
    await call(`${API}/${id}/say`, { text, key: unsent.key });
  });
  if (done) arrived(text);
  else if (unsent) forget();
  else line.replaceChildren(); // only its answer was lost
}

/** The server has a message, whether or not its answer came. */
function arrived(text) {
  unsent = null;
  line.replaceChildren();
  if (words.value.trim() === text.trim()) words.value = "";
  document.getElementById("welcome")?.remove();
  document.querySelector("h1").classList.add("hidden");
}

/** Take back what was shown before the server agreed; not where work on it is seen to go on. */
function forget() {
  if (turn?.isTold) return;
  turn?.box.remove();
  turn = null;
  setBusy(false);
}

async function attempt(doing) {
  try {
    await doing();
    line.replaceChildren();
    return true;
  } catch (error) {
    line.replaceChildren(refusal(error));
    if (error.status === 409) await refresh();
    return false;
  }
}

/** Read the events from where this page is. A hidden tab reads none: browsers hold only six connections to a server. */
function follow() {
  source?.close();
  if (document.hidden || !id) return;
  source = new EventSource(`${API}/${id}/events?after=${last}`);
  source.onopen = () => { if (lost) line.replaceChildren(make("p.notice.good", {}, "Connected again.")); lost = 0; };
  source.onmessage = ({ data }) => show(JSON.parse(data));
  source.onerror = () => {
    lost += 1;
    line.replaceChildren(make("p.notice.warn", { role: "alert" }, "Connection lost, trying again. Work in progress continues; nothing that was finished is lost."));
    if (source.readyState === EventSource.CLOSED) setTimeout(goOn, Math.min(1000 * lost, 10000));
  };
}

/** Follow again after the server refused the stream; not where this browser may no longer enter, or the conversation is gone. */
async function goOn() {
  try {
    await call(`${API}/${id}`);
  } catch (error) {
    if (error.status === 401 || error.status === 404) {
      line.replaceChildren(refusal(error));
      forget();
      setBusy(false);
      return;
    }
  }
  follow();
}

function show(event) {
  if (event.n <= last) return; // an event that was sent twice
  last = event.n;
  if (!turn) begin();
  turn.isTold = true;
  if (event.stage === "session") {
    hear(event);
    heard(event.said === "approve" ? "Approved" : event.said);
    if (unsent && unsent.text.trim() === event.said?.trim()) arrived(unsent.text);
  } else if (event.stage === "progress") turn.now.textContent = event.text;
  else if (event.stage === "done") end(event);
  else if (event.fact || event.event) addRow(rowOf(event));
  else if (isLine(event)) addLine(event);
  else addCard(event);
  if (event.stage === "approval") { digest = event.digest ?? ""; enable(event.decision === "awaited" && digest); }
  if (last === lastKept) recallRest();
  toTheEnd();
}

/** Show the last line, unless the person has scrolled away from it. */
function toTheEnd() {
  if (isAtEnd) window.scrollTo({ top: document.body.scrollHeight });
}

function begin() {
  for (const card of log.querySelectorAll(".card:not(.figure):not(.past)")) card.classList.add("past");
  for (const next of log.querySelectorAll(".next")) next.remove();
  enable(false);
  turn = { box: make("section.turn"), lines: make("ol"), now: make("p.now", {}, "Working") };
  turn.work = make("details.work", { open: true, hidden: true }, make("summary", {}, "What is done"), turn.lines);
  turn.box.append(turn.work, turn.now);
  log.append(turn.box);
  setBusy(true);
}

function heard(shown) {
  if (turn.isHeard) return; // shown when it was sent
  turn.isHeard = true;
  if (shown) turn.box.prepend(make("p.said", {}, make("span.hidden", {}, "You: "), shown));
}

function addLine(event) {
  turn.work.hidden = false;
  turn.lines.append(lineOf(event));
}

function addRow({ table, head, cells }) {
  let body = [...turn.box.querySelectorAll("section.card")].find((each) => each.dataset.table === table)?.querySelector("tbody");
  if (!body) {
    body = make("tbody");
    place(make("section.card", { "aria-label": table, "data-table": table }, make("h3", {}, table),
      make("div.scroll", { tabindex: "0", role: "region", "aria-label": table }, make("table", {}, make("thead", {}, make("tr", {}, head.map((each) => make("th", { scope: "col" }, each)))), body))));
  }
  body.append(make("tr", {}, cells.map((each) => make("td", {}, each))));
}

function addCard(event) {
  const card = cardOf(event, act);
  if (!card) return;
  if (event.stage === "suggestion") {
    turn.next ??= turn.box.appendChild(make("div.next", { "aria-label": "What to say next", role: "group" }));
    turn.next.append(card);
    return;
  }
  if (card.classList.contains("figure")) for (const older of log.querySelectorAll(".figure")) quieten(older);
  place(card);
  answerable();
}

const place = (element) => turn.box.insertBefore(element, turn.now.isConnected ? turn.now : turn.next ?? null);

function end(event) {
  turn.now.remove();
  const isQuiet = turn.box.querySelector(".card") && event.status !== "failed" && event.status !== "partial";
  turn.work.open = !isQuiet;
  const took = event.seconds ? `, ${event.seconds.toFixed(1)} s` : "";
  turn.work.querySelector("summary").textContent = `What helio did${took}`;
  if (event.status === "success") turn.box.append(turn.next ?? "");
  turn = null;
  setBusy(false);
  page.dataset.awaiting = event.awaiting ?? "request";
  listSessions();
}

function enable(isApprovable) {
  const buttons = [...log.querySelectorAll("button.approve")];
  buttons.forEach((each, place) => {
    each.disabled = !(isApprovable && place === buttons.length - 1);
    each.parentElement.hidden = each.disabled;
  });
}

function setBusy(busy) {
  isBusy = busy;
  send.disabled = busy;
  stop.hidden = !busy || !id;
  undo.hidden = !id;
  log.setAttribute("aria-busy", String(busy));
  answerable();
}

/** Answers can be pressed once the turn that asks is over: an earlier one would be lost. */
function answerable() {
  for (const each of log.querySelectorAll(".card:is(.ask, .repair):not(.past) .actions button")) each.disabled = isBusy;
}

async function refresh() {
  const about = await call(`${API}/${id}`);
  digest = about.digest ?? "";
  if (!about.is_running && !turn) setBusy(false);
  return about;
}

/** Show as text what has no events here: it was said in a terminal or on another machine. */
function recall(upTo, put) {
  for (const { speaker, text } of spoken.slice(told, upTo)) put(make("section.turn", {}, make(speaker === "person" ? "p.said" : "p.told-text", {}, text)));
  told = upTo;
}

/** A turn begins: show what was said before it elsewhere; its own words are among its events. Turns of earlier releases do not say what was before. */
function hear({ before = Infinity }) {
  recall(before, (each) => turn.box.before(each));
  if (spoken[told]?.speaker === "person") told += 1;
  while (spoken[told] && spoken[told].speaker !== "person") told += 1;
}

/** Behind the last event: what was said elsewhere since, then the card that waits. */
async function recallRest() {
  lastKept = -1;
  if (turn || told >= spoken.length) return;
  recall(spoken.length, (each) => log.append(each));
  await attempt(async () => {
    const { awaiting, is_running } = await refresh();
    if (awaiting !== "request" && !is_running) await call(`${API}/${id}/recall`, {});
  });
}

async function listSessions() {
  const list = document.getElementById("sessions");
  try {
    const { conversations } = await call(API);
    list.replaceChildren(...conversations.map((each) => make("li", {}, make("a", { href: `/talk/${each.id}`, "aria-current": each.id === id ? "page" : null },
      each.title || "Empty conversation", make("small", {}, `${each.changed.slice(0, 16).replace("T", " ")}${each.is_running ? ", running" : each.awaiting === "request" ? "" : `, awaits ${each.awaiting === "answer" ? "an answer" : each.awaiting}`}`)))));
  } catch { list.replaceChildren(make("li.dim", {}, "The list cannot be loaded now.")); }
}

async function open() {
  document.getElementById("list").open = window.matchMedia("(min-width: 761px)").matches;
  listSessions();
  if (!id) return;
  await attempt(async () => {
    const about = await refresh();
    document.title = `${about.title || "Talk"} · helio`;
    spoken = about.said;
    lastKept = about.last_event;
    if (!lastKept) await recallRest();
    follow();
    setBusy(about.is_running);
  });
}

document.addEventListener("visibilitychange", follow);
window.addEventListener("scroll", () => { isAtEnd = window.innerHeight + window.scrollY >= document.body.scrollHeight - 120; }, { passive: true });
form.addEventListener("submit", (event) => { event.preventDefault(); say(words.value); });
words.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
});
stop.addEventListener("click", () => attempt(() => call(`${API}/${id}/cancel`, {})));
undo.addEventListener("click", () => say("undo"));
for (const example of document.querySelectorAll("[data-example]")) example.addEventListener("click", () => say(example.dataset.example));
send.disabled = false; // until here a press would have loaded the page anew
if (words.value) words.focus();
open();
