/* Asking the server; and the token, where it wants one. */

export class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

/** The answer as JSON, or null where there is none. Throws Refusal (the server's words) or TypeError (no server). */
export async function ask(method, path, body, headers = {}) {
  const answer = await fetch(path, { method, body, headers, cache: "no-store" });
  if (answer.status === 401) {
    await askForToken();
    return ask(method, path, body, headers);
  }
  const isJson = answer.status !== 204 && (answer.headers.get("content-type") || "").includes("json");
  const content = isJson ? await answer.json() : null;
  if (!answer.ok) throw new Refusal(answer.status, explain(answer, content));
  return content;
}

function explain(answer, content) {
  if (content && typeof content.detail === "string") return content.detail;
  return `The server answered ${answer.status} ${answer.statusText}.`;
}

/** Keep the token that is in the address (never sent by the browser itself) as a cookie; once, at the start. */
export async function openSession() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname + location.search);
  await keep(decodeURIComponent(found[1]));
}

async function keep(token) {
  const answer = await fetch("/api/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  return answer.ok;
}

let asking = null;

/** A dialog; all who need the token wait for the same one. */
function askForToken() {
  asking ??= new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "token";
    const form = document.createElement("form");
    const heading = document.createElement("h2");
    heading.textContent = "The token, please";
    const label = document.createElement("label");
    label.textContent = "The server printed it when it was started.";
    const input = document.createElement("input");
    Object.assign(input, { type: "password", name: "token", required: true, autocomplete: "off" });
    const problem = document.createElement("p");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    const button = document.createElement("button");
    Object.assign(button, { className: "primary", textContent: "Go on" });
    label.append(input);
    form.append(heading, label, problem, button);
    dialog.append(form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = input.value.trim().replace(/^.*#token=/, "");
      if (await keep(given)) {
        dialog.close();
        dialog.remove();
        asking = null;
        resolve();
      } else {
        problem.textContent = "That is not it.";
        input.select();
      }
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
