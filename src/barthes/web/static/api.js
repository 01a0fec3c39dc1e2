/* Requests to the server, and the dialog for the token. */

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Return the response as JSON, or null. Throws Refusal (with the server's message) or TypeError (no server). */
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
  return `The server responded with ${answer.status} ${answer.statusText}.`;
}

/** Store the token from the address bar as a cookie. Browsers do not send the part after # by themselves. */
export async function openSession() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname + location.search);
  await storeToken(decodeURIComponent(found[1]));
}

async function storeToken(token) {
  const answer = await fetch("/api/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  return answer.ok;
}

let asking = null;

/** Show one dialog; all requests that need the token wait for it. */
function askForToken() {
  asking ??= new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "token";
    const form = document.createElement("form");
    const heading = document.createElement("h2");
    heading.textContent = "Enter the token";
    const label = document.createElement("label");
    label.textContent = "The server printed it when it started.";
    const input = document.createElement("input");
    Object.assign(input, { type: "password", name: "token", required: true, autocomplete: "off" });
    const problem = document.createElement("p");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    const button = document.createElement("button");
    Object.assign(button, { className: "primary", textContent: "Continue" });
    label.append(input);
    form.append(heading, label, problem, button);
    dialog.append(form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = input.value.trim().replace(/^.*#token=/, "");
      if (await storeToken(given)) {
        dialog.close();
        dialog.remove();
        asking = null;
        resolve();
      } else {
        problem.textContent = "Wrong token.";
        input.select();
      }
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
