/* The list of stories, with their state and a button to delete each. */
import { ask } from "./api.js";
import { twice } from "./twice.js";
import { STATES, ago, count, nameModel } from "./words.js";

const BAD = ["failed", "interrupted"];

export function mountRecent(list, none, announcement, nameMethod) {
  const entries = new Map();

  async function refresh() {
    const jobs = await ask("GET", "/api/jobs");
    draw(jobs);
    return jobs.some((job) => job.state === "waiting" || job.state === "running");
  }

  function draw(jobs) {
    none.hidden = jobs.length > 0;
    const ids = new Set(jobs.map((job) => job.id));
    for (const [id, entry] of entries) {
      if (!ids.has(id)) {
        entry.row.remove();
        entries.delete(id);
      }
    }
    jobs.forEach((job, place) => {
      const entry = entries.get(job.id) || add(job);
      entry.fill(job);
      if (list.children[place] !== entry.row) list.insertBefore(entry.row, list.children[place] || null);
    });
  }

  function add(job) {
    const row = document.createElement("li");
    row.className = "entry";
    row.dataset.job = job.id;
    const words = document.createElement("div");
    const name = document.createElement("a");
    name.className = "name";
    name.href = `/jobs/${job.id}`;
    name.dir = "auto";
    const facts = document.createElement("p");
    facts.className = "facts";
    words.append(name, facts);
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "plain", textContent: "Delete" });
    twice(button, () => remove(job, button));
    row.append(words, button);
    const entry = {
      row,
      fill(now) {
        name.textContent = now.title;
        button.setAttribute("aria-label", `Delete ${now.title}`);
        const model = now.model ? `, ${nameModel(now.model)}` : "";
        const number = now.sentences ? ` · ${count(now.sentences, "sentence")}` : "";
        const state = document.createElement("b");
        state.textContent = STATES[now.state];
        state.classList.toggle("bad", BAD.includes(now.state));
        facts.replaceChildren(`${nameMethod(now.method)}${model}${number} · ${ago(now.created)}`);
        if (STATES[now.state]) facts.append(" · ", state);
      },
    };
    entries.set(job.id, entry);
    return entry;
  }

  async function remove(job, button) {
    button.disabled = true;
    try {
      await ask("DELETE", `/api/jobs/${job.id}`);
      announcement.textContent = `${job.title} was deleted.`;
    } catch (error) {
      announcement.textContent = error.message;
    }
    button.disabled = false;
    await refresh();
  }

  return { refresh };
}
