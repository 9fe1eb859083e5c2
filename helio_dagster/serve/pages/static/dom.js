// Elements from text alone, and calls of the interface. Nothing here makes markup of text.

/** An element with attributes and children; a text child stays text, null children are left out. */
export function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

/** What went wrong with a call: `problem` and `hint` for people, `status` 0 where no server answered. */
export class Refused extends Error {
  constructor(problem, hint, status) {
    super(problem);
    Object.assign(this, { problem, hint, status });
  }
}

/** Call an address of this server with JSON; gives the answer's JSON. Throws Refused. */
export async function call(address, body) {
  let answer;
  try {
    answer = await fetch(address, body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Refused("The server does not answer.", "Is it still running? Nothing that was finished is lost.", 0);
  }
  const text = await answer.text();
  let found = {};
  try { found = text ? JSON.parse(text) : {}; } catch { found = { error: { problem: text.slice(0, 300) } }; }
  if (!answer.ok) {
    const { problem = `the server answered ${answer.status}`, hint = "" } = found.error ?? {};
    if (answer.status === 401) {
      const isOver = problem.endsWith("expired");
      throw new Refused("This browser may not go on: its entry is no longer good.", isOver
        ? "The token of this server has expired. On the machine that serves, start helio serve again and open the link that it prints."
        : "Open a new link: helio serve --link prints one.", 401);
    }
    throw new Refused(problem, hint, answer.status);
  }
  return found;
}

/** A notice that says what went wrong. */
export function refusal(error) {
  if (!(error instanceof Refused)) throw error;
  return make("div.notice.bad", { role: "alert" }, make("p", {}, make("strong", {}, error.problem)), error.hint ? make("p", {}, error.hint) : null);
}

/** A key that no other message has. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("-");
