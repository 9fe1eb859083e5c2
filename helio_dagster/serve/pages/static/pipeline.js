// Run a pipeline over a range and follow the run; copy a pipeline.
import "./changed.js";
import { call, make, newKey, refusal } from "./dom.js";

const run = document.getElementById("run"), fork = document.getElementById("fork");

run?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const state = document.getElementById("run-state"), button = run.querySelector("button.main");
  button.disabled = true;
  try {
    const given = { start: run.elements.start.value, key: newKey() };
    if (run.elements.stop.value) given.stop = run.elements.stop.value;
    if (run.elements.force.checked) given.force = true;
    const { run: id } = await call(`/api/v1/pipelines/${run.dataset.name}/runs`, given);
    followRun(id, state, button);
  } catch (error) {
    state.replaceChildren(refusal(error));
    button.disabled = false;
  }
});

const schedule = document.getElementById("schedule");

/** What runs the schedule, and a button that switches it; `asked` is what the person wants, or nothing to look only. */
async function showSchedule(asked) {
  const address = `/api/v1/pipelines/${schedule.dataset.name}/schedule`;
  for (const button of schedule.querySelectorAll("button")) button.disabled = true;
  try {
    const found = await call(address, asked === undefined ? undefined : { is_on: asked });
    const state = found.is_on === null ? null : make("strong", {}, found.is_on ? "on" : "off");
    const turn = (is_on, words) => make("button", { type: "button", onclick: () => showSchedule(is_on) }, words);
    schedule.replaceChildren(...[
      state, found.next && `· next ${found.next} UTC`, found.note && make("span.dim", {}, found.note.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part))),
      found.can_switch && found.is_on !== true && turn(true, "Switch on"), found.can_switch && found.is_on !== false && turn(false, "Switch off"),
    ].filter(Boolean).flatMap((each) => [" ", each]));
    if (asked !== undefined) schedule.querySelector("button")?.focus();
  } catch (error) {
    schedule.replaceChildren(refusal(error), make("button", { type: "button", onclick: () => showSchedule() }, "Look again"));
  }
}
if (schedule) {
  showSchedule();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) showSchedule(); }); // Dagster's page may have switched it
}

/** A run of this pipeline that goes on since before the page was opened. */
async function findRun() {
  const { runs } = await call("/api/v1/runs?count=20");
  const found = runs.find((each) => each.pipeline === run.dataset.name && each.state === "running");
  if (found) followRun(found.run, document.getElementById("run-state"), run.querySelector("button.main"));
}
if (run) findRun().catch(() => {}); // without it a run is begun as ever

function followRun(id, state, button) {
  button.disabled = true;
  const now = make("p.now", {}, "Running"), lines = make("ol");
  const stop = make("button", { type: "button", onclick: () => call(`/api/v1/runs/${id}/cancel`, {}).catch((error) => state.append(refusal(error))) }, "Stop");
  state.replaceChildren(now, make("div.work", {}, lines), stop);
  const source = new EventSource(`/api/v1/runs/${id}/events?after=0`);
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.stage === "progress") now.textContent = event.text;
    else if (event.stage === "done") {
      source.close();
      button.disabled = false;
      state.replaceChildren(make(event.status === "success" ? "p.notice.good" : "p.notice.bad", {}, told(event), " ", make("a", { href: location.pathname }, "See the calendar"), ", ", make("a", { href: `/figures/?pipeline=${encodeURIComponent(run.dataset.name)}` }, "the figures"), ...inDagster(event)), make("div.work", {}, lines));
    } else if (event.text) lines.append(make(event.stage === "error" ? "li.no" : "li", {}, event.text));
  };
  source.onerror = () => { now.textContent = "Connection lost, trying again. The run continues."; };
}

/** A link to the run in Dagster's UI; none where nothing had to be made. */
function inDagster(event) {
  const id = event.report?.run_id;
  return id && run.dataset.dagster ? [", ", make("a", { href: `/dagster/runs/${encodeURIComponent(id)}` }, "the run in Dagster")] : [];
}

function told(event) {
  const took = event.seconds ? ` in ${event.seconds.toFixed(1)} s` : "";
  return { success: `Done${took}.`, partial: `Some of it failed${took}.`, failed: `It failed${took}.` }[event.status] ?? `It ended: ${event.status}.`;
}

fork?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await copy(false);
});

async function copy(isAgreed) {
  const state = document.getElementById("fork-state");
  try {
    const given = { name: fork.elements.name.value, mission: fork.elements.mission.value, is_agreed: isAgreed };
    const done = await call(`/pipelines/${fork.dataset.name}/fork`, given);
    if (done.is_saved) { location.assign(done.address); return; }
    state.replaceChildren(make("section.card.plan", { "aria-label": "What the copy changes" }, make("h2", {}, "What the copy changes"), make("ul", {}, done.remarks.map((each) => make("li", {}, each))),
      make("div.actions", {}, make("button.main", { type: "button", onclick: () => copy(true) }, "Save the copy"))));
  } catch (error) { state.replaceChildren(refusal(error)); }
}
