/* One job: its course while it is under way, then its report. */
import { Refusal, ask, openSession } from "./api.js";
import { ReportFrame } from "./frame.js";
import { twice } from "./twice.js";
import { PHASES, count, duration } from "./words.js";

const part = (name) => document.querySelector(`[data-part=${name}]`);
const key = location.pathname.split("/").pop();
const path = `/api/jobs/${key}`;
const frame = new ReportFrame(part("report"), `${path}/report`, () => {
  part("message").hidden = false;
  part("heading").textContent = "The report cannot be shown";
  part("words").textContent = "The server could not make it; its terminal may say why. The downloads may still work.";
});
const MESSAGES = {
  failed: ["It could not be scored", ""],
  cancelled: ["Cancelled", "The scoring of this story was cancelled."],
  interrupted: ["Interrupted", "The server was stopped while this story was being scored. Nothing of the story is lost."],
};
const LOST = part("lost").textContent;
let job = null;
let course = null;

function lose(words) {
  part("lost").textContent = words || LOST;
  part("lost").hidden = false;
}

function show() {
  const running = job.state === "waiting" || job.state === "running";
  document.title = `${job.title} · Barthes`;
  part("title").textContent = job.title;
  part("title").title = job.title;
  part("course").hidden = !running;
  part("cancel").hidden = !running;
  part("delete").hidden = running;
  part("alone").hidden = job.state !== "finished";
  part("alone").href = `${path}/report`;
  showDownloads();
  showMessage(running);
  if (running) showCourse();
}

function showDownloads() {
  const list = part("downloads");
  list.hidden = job.state !== "finished";
  if (list.hidden || list.children.length > 1) return;
  for (const [ending, address] of Object.entries(job.downloads)) {
    const link = document.createElement("a");
    Object.assign(link, { href: address, textContent: ending.toUpperCase(), download: "" });
    link.dataset.ending = ending;
    list.append(link);
  }
}

function showMessage(running) {
  const message = MESSAGES[job.state];
  part("message").hidden = !message;
  if (running || job.state === "finished") return;
  frame.close();
  part("heading").textContent = message[0];
  part("words").textContent = job.problem || message[1];
  part("restart").hidden = false;
}

function showCourse() {
  const bar = part("progress");
  if (job.state === "waiting") {
    bar.removeAttribute("value");
    say(job.before ? `Waiting: ${count(job.before, "story").replace("storys", "stories")} before it` : "Waiting");
    part("left").textContent = "";
    return;
  }
  const { phase, done, total, seconds } = course || { phase: "starting", done: 0, total: 0, seconds: 0 };
  const share = total > 0 ? done / total : 0;
  if (total > 0) bar.value = share;
  else bar.removeAttribute("value");
  const scored = frame.scores.size;
  const parts = phase === "scoring" && scored && job.sentences ? ` ${scored.toLocaleString("en")} of ${count(job.sentences, "sentence")}` : "";
  say((PHASES[phase] || phase) + parts);
  const known = share > 0.02 && seconds > 1;
  part("left").textContent = known ? `about ${duration((seconds * (1 - share)) / share)} left` : "";
}

/** Screen readers hear the phase when it changes, not every number. */
let said = "";
function say(words) {
  const phase = part("phase");
  const head = words.replace(/[\d,.]+ of .*/, "");
  phase.setAttribute("aria-live", head === said ? "off" : "polite");
  said = head;
  if (phase.textContent !== words) phase.textContent = words;
}

async function take(next) {
  const before = job;
  job = next;
  if (job.state === "running" && job.sentences && job.unit === "sentence") frame.open();
  if (job.state === "waiting") frame.close();
  show();
  if (job.state === "finished" && before?.state !== "finished") {
    await frame.finish(() => ask("GET", `${path}/report-data`));
  }
}

/** It was deleted elsewhere: nothing that is shown here could be asked for again. */
let isDeleted = false;
function tellDeleted() {
  isDeleted = true;
  frame.close();
  ["course", "cancel", "delete", "downloads", "alone", "restart", "lost"].forEach((name) => {
    part(name).hidden = true;
  });
  part("message").hidden = false;
  part("heading").textContent = "Deleted";
  part("words").textContent = "This story has been deleted, in another tab or by somebody else.";
}

/* Nobody listens for news of a job that is over; whoever comes back to its page is told. */
document.addEventListener("visibilitychange", async () => {
  if (document.hidden || isDeleted || !job || job.state === "waiting" || job.state === "running") return;
  try {
    await ask("GET", path);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) tellDeleted();
  }
});

function advance(news) {
  course = news;
  frame.add(news.scored, news.scale);
  if (job) show();
}

/* Listening: by server-sent events, which come again by themselves after a lost connection; where they do not
   come through at all, by asking every second. */
let failures = 0;
function listen() {
  const source = new EventSource(`${path}/events`);
  const on = (kind, act) => source.addEventListener(kind, (event) => act(JSON.parse(event.data)));
  source.addEventListener("open", () => {
    part("lost").hidden = true;
    failures = 0;
  });
  on("job", take);
  on("progress", advance);
  on("deleted", () => {
    source.close();
    tellDeleted();
  });
  on("bye", () => {
    source.close();
    if (!isDeleted && (!job || job.state === "waiting" || job.state === "running")) setTimeout(listen, 1000);
  });
  source.addEventListener("error", () => {
    failures += 1;
    if (failures > 1) lose();
    if (source.readyState === EventSource.CLOSED || failures > 5) {
      source.close();
      setTimeout(poll, 1000);
    }
  });
}

async function poll() {
  try {
    const next = await ask("GET", path);
    part("lost").hidden = true;
    if (next.state === "running") {
      const news = await ask("GET", `${path}/progress`);
      if (news) advance(news);
    }
    await take(next);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) {
      tellDeleted();
      return;
    }
    lose();
  }
  if (!job || job.state === "waiting" || job.state === "running") setTimeout(poll, 1000);
}

async function act(button, does) {
  button.disabled = true;
  try {
    await does();
    part("lost").hidden = true;
  } catch (error) {
    lose(error instanceof Refusal ? error.message : "The server does not answer.");
  } finally {
    button.disabled = false;
  }
}

part("cancel").addEventListener("click", (event) =>
  act(event.target, async () => take(await ask("POST", `${path}/cancel`))),
);
part("restart").addEventListener("click", (event) =>
  act(event.target, async () => {
    course = null;
    await take(await ask("POST", `${path}/restart`));
    listen();
  }),
);
twice(part("delete"), () =>
  act(part("delete"), async () => {
    await ask("DELETE", path);
    location.href = "/";
  }),
);

try {
  await openSession();
  await take(await ask("GET", path));
  if (job.state === "waiting" || job.state === "running") listen();
} catch (error) {
  part("message").hidden = false;
  part("heading").textContent = error instanceof Refusal && error.status < 500 ? "It is not here" : "The server does not answer";
  part("words").textContent = error instanceof Refusal ? error.message : "Is it still running?";
}
