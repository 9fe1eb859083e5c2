// An event of a conversation as what a person sees. `act` is what buttons do: say(text), approve(digest), change().
import { call, make } from "./dom.js";

const LINES = new Set(["candidate", "discover", "step_created", "step_tested", "run", "check", "look_up", "note"]);
const USUAL_PX = 540; // of a figure whose page does not say its height
const STEP_LABELS = new Set(["fetch", "compute", "figure", "table", "events"]);
const LABELS = { time: "Time", change: "Changes", failed: "Failed", expected: "Expected", note: "Notes", name: "Name", ahead: "Ahead", rest: "Rest" };

/** Whether an event is a line of the work list, not a card of its own. */
export function isLine(event) {
  if (!LINES.has(event.stage) || event.html || event.fact || event.event || event.check === "all" || !event.text) return false;
  return !(event.stage === "check" && (event.passed || "follows_from" in event));
}

export function lineOf(event) {
  const mark = event.passed === true || event.is_chosen || event.stage === "run" && event.failed === 0 ? "✓" : event.passed === false || event.failed > 0 ? "✗" : "·";
  return make(mark === "✗" ? "li.no" : "li", {}, make("span.mark", { "aria-hidden": "true" }, mark), event.text);
}

/** The card of an event; null for one that has none. */
export function cardOf(event, act) {
  switch (event.stage) {
    case "plan": return planCard(event, act);
    case "clarify": return questionCard(event, act);
    case "repair": return repairCard(event, act);
    case "information": return informationCard(event);
    case "error": return make("div.card.error", { role: "alert" }, make("h3", {}, "This failed"), make("p.told-text", {}, event.text));
    case "check": return event.check === "all" ? make(event.passed ? "p.notice.good" : "p.notice.warn", {}, event.text) : null;
    case "approval": return event.decision === "awaited" ? null : make("p", {}, decided(event.text));
    case "suggestion": return make("button", { type: "button", onclick: () => act.say(event.say ?? event.text) }, event.text);
    default: return event.html ? figureCard(event) : null;
  }
}

const decided = (text) => text.replace(/\S*\/([^/\s]+\.yaml)/, "$1");

function planCard(event, act) {
  const [head, ...rest] = event.text.split("\n");
  const rows = rest.map((line) => line.match(/^ {2}([a-z]+) {2,}(\S.*)$/)).filter(Boolean).map(([, label, text]) => [label, text]);
  const state = head.match(/\[(.*), (\w+)\]$/);
  const steps = rows.filter(([label]) => STEP_LABELS.has(label));
  const told = Object.entries(LABELS).map(([label, title]) => [title, rows.filter(([each]) => each === label).map(([, text]) => text)]);
  const code = (event.pipeline?.steps ?? []).filter((step) => step.compute?.code && event.text.includes(`code     of ${step.id},`));
  const suggested = Object.keys(event.suggested_checks ?? {}).length > 0;
  const assumed = rows.filter(([label]) => label === "assumed").map(([, text]) => text);
  return make("section.card.plan", { "aria-label": "Plan" },
    make("h2", {}, event.pipeline?.title || event.pipeline?.name || "Plan"),
    state ? make("p.tags", {}, make("span", {}, state[1]), make("span", {}, state[2])) : null,
    event.ignored?.length ? make("p", {}, "Not used: ", ...struck(event.request ?? "", event.ignored)) : null,
    steps.length ? make("ol.plan-steps", {}, steps.map(([label, text]) => make("li", {}, make("span.tags", {}, make("span", {}, label)), " ", named(text)))) : null,
    make("dl.facts", {}, told.filter(([, texts]) => texts.length).flatMap(([title, texts]) => [make("dt", {}, title), make("dd", {}, ...texts.map((text) => make("div", {}, text)))])),
    assumed.length ? make("div", {}, make("h3", {}, "Assumed"), make("ul", {}, assumed.map((each) => make("li", {}, each)))) : null,
    code.map((step) => make("div", {}, make("h3", {}, `Code of ${step.id}, please read it`), highlighted(step.compute.code, "python"))),
    event.difference ? make("details", {}, make("summary", {}, "Changed lines of the file"), difference(event.difference)) : null,
    event.yaml ? whole(event.yaml) : null,
    make("div.actions", { hidden: true },
      make("button.main.approve", { type: "button", disabled: true, onclick: () => act.approve() }, "Approve and run"),
      make("button", { type: "button", onclick: () => act.change() }, "Change"),
      suggested ? make("button", { type: "button", onclick: () => act.say("add checks") }, "Add checks") : null,
      make("button", { type: "button", onclick: () => act.say("reject") }, "Reject")));
}

function named(text) {
  const found = text.match(/^(\S+)\s+(.*)$/);
  return found ? [make("code", {}, found[1]), ` ${found[2]}`] : [make("code", {}, text)];
}

/** The request with the words that the plan does not use struck out. */
function struck(request, ignored) {
  const parts = [];
  let rest = request;
  const known = [...ignored].sort((one, other) => request.toLowerCase().indexOf(one.toLowerCase()) - request.toLowerCase().indexOf(other.toLowerCase()));
  for (const words of known) {
    const at = rest.toLowerCase().indexOf(words.toLowerCase());
    if (at < 0) continue;
    parts.push(rest.slice(0, at), make("s", { "aria-label": `not used: ${words}` }, rest.slice(at, at + words.length)));
    rest = rest.slice(at + words.length);
  }
  return parts.length ? [...parts, rest] : [ignored.join(", ")];
}

function highlighted(code, language) {
  const shown = make("pre.code", { tabindex: "0" }, code);
  call("/talk/code", { code, language }).then(({ parts }) => {
    shown.replaceChildren(...parts.map(([kind, text]) => kind ? make(`span.${kind}`, {}, text) : text));
  }).catch(() => {}); // plain text is shown already
  return shown;
}

function whole(yaml) {
  const details = make("details", {}, make("summary", {}, "The whole file"));
  details.addEventListener("toggle", () => details.append(highlighted(yaml, "yaml")), { once: true });
  return details;
}

function difference(text) {
  return make("pre.diff", { tabindex: "0" }, text.split("\n").map((line) => make(line.startsWith("+") ? "span.plus" : line.startsWith("-") ? "span.minus" : "span", {}, `${line}\n`)));
}

function questionCard(event, act) {
  return make("section.card.ask", { "aria-label": "Question" }, make("p.told-text", {}, event.text),
    make("div.actions", {},
      (event.choices ?? []).map((choice, place) => make("button", { type: "button", onclick: () => act.say(String(place + 1), choice) }, choice)),
      make("button", { type: "button", onclick: () => act.say("never mind") }, "Never mind")));
}

function repairCard(event, act) {
  const says = ["retry", "skip", "abort"];
  return make("section.card.repair", { "aria-label": "A step failed" }, make("h3", {}, `${event.step ?? "A step"} failed`), make("p.told-text", {}, event.text),
    make("div.actions", {},
      says.map((word) => make(word === "retry" ? "button.main" : "button", { type: "button", onclick: () => act.say(word) }, { retry: "Try again", skip: "Go on without it", abort: "Stop here" }[word])),
      make("button", { type: "button", onclick: () => act.change() }, "Change the plan")));
}

function informationCard(event) {
  return make("section.card", { "aria-label": "Answer" }, make("p.told-text", {}, event.text),
    event.sources?.length ? make("p.dim", {}, `Source: ${event.sources.slice(0, 6).join(", ")}${event.sources.length > 6 ? ` and ${event.sources.length - 6} more` : ""}`) : null);
}

export const figureName = (path) => path.split(/[\\/]/).pop().replace(/\.html$/, "");

function figureCard(event) {
  const name = figureName(event.html), base = `/figures/${encodeURIComponent(name)}`;
  return make("section.card.figure", { "aria-label": `Figure ${event.step}`, "data-figure": name, "data-png": event.png ? "1" : "" }, make("h3", {}, event.step),
    make("div.shown", {}, make("iframe", { src: `${base}.html`, title: `Figure ${event.step}`, sandbox: "allow-scripts allow-downloads", height: String((event.height_px ?? USUAL_PX) + 2), loading: "lazy" })),
    make("p", {}, make("a", { href: `${base}.html` }, "Open as a page"), make("a", { href: `/figures/about/${encodeURIComponent(name)}` }, "Data and description"),
      ...["png", "svg", "pdf"].filter((form) => form !== "png" || event.png).map((form) => make("a", { href: `${base}.${form}`, download: true }, form.toUpperCase())),
      ...(event.run && document.getElementById("talk").dataset.dagster ? [make("a", { href: `/dagster/runs/${encodeURIComponent(event.run)}` }, "The run in Dagster")] : [])));
}

/** A figure that is no longer the last one: its picture, which costs no script. */
export function quieten(card) {
  if (!card.dataset.png || !card.querySelector("iframe")) return;
  const base = `/figures/${encodeURIComponent(card.dataset.figure)}`;
  card.querySelector(".shown").replaceChildren(make("a", { href: `${base}.html` }, make("img", { src: `${base}.png`, alt: card.getAttribute("aria-label"), loading: "lazy" })));
}

/** Numbers and events of a run as rows of tables. */
export function rowOf(event) {
  if (event.fact) {
    const { step, name, text, of, start, stop } = event.fact;
    return { table: "Numbers", head: ["what", "value", "of"], cells: [`${step}: ${name}`, text, of || `${start} to ${stop}`] };
  }
  const { start, stop, text, cut } = event.event;
  return { table: `Events of ${event.step}`, head: ["start", "stop", "numbers"], cells: [start, stop, `${text}${cut ? " (reaches beyond the range)" : ""}`] };
}
