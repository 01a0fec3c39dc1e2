/* One job: its progress, then its report. */
import { Refusal, ask, openSession } from "./api.js";
import { ReportFrame } from "./frame.js";
import { listNumbers, listParts } from "./parts.js";
import { twice } from "./twice.js";
import { PHASES, count, duration } from "./words.js";

const part = (name) => document.querySelector(`[data-part=${name}]`);
const key = location.pathname.split("/").pop();
const path = `/api/jobs/${key}`;
const frame = new ReportFrame(part("report"), `${path}/report`, {
  onChoose: () => showSkip(),
  onError() {
    part("message").hidden = false;
    part("heading").textContent = "The report cannot be shown";
    part("words").textContent = "The server could not create the report; its terminal may show why. The downloads may still work.";
  },
});
const MESSAGES = {
  failed: ["Scoring failed", ""],
  cancelled: ["Cancelled", "Scoring was cancelled."],
  undecided: ["Which story or chapter?", "The file has several. Choose the one to score."],
  interrupted: ["Interrupted", "The server stopped while scoring this story. The story itself is saved."],
};
const LOST = part("lost").textContent;
let job = null;

function lose(words) {
  part("lost").textContent = words || LOST;
  part("lost").hidden = false;
}

const isActive = () => job.state === "waiting" || job.state === "running";

function show() {
  const running = isActive();
  document.title = `${job.title} · Barthes`;
  part("title").textContent = job.title;
  part("title").title = job.title;
  part("progress").hidden = !running;
  part("cancel").hidden = !running;
  part("delete").hidden = running;
  part("alone").hidden = job.state !== "finished";
  part("others").hidden = running || job.parts.length === 0 || job.state === "undecided";
  part("early").hidden = !(running && job.early);
  part("alone").href = `${path}/report`;
  showDownloads();
  showSkip();
  showMessage(running);
  if (running) showProgress();
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
  part("restart").hidden = job.state === "undecided";
  part("parts").hidden = job.state !== "undecided";
  if (job.state === "undecided") listParts(part("parts"), job.parts, restart);
}

/** Ask for another story or chapter of the same file. */
function askAgain() {
  frame.close();
  part("message").hidden = false;
  part("parts").hidden = false;
  part("restart").hidden = true;
  [part("heading").textContent, part("words").textContent] = MESSAGES.undecided;
  listParts(part("parts"), job.parts, restart);
}

/** Offer to leave the chosen sentence out of the ranking, or to rank it again. */
function showSkip() {
  const chosen = job?.state === "finished" && job.unit === "sentence" ? frame.report?.chosen : null;
  part("skip").hidden = !Number.isInteger(chosen);
  if (part("skip").hidden) return;
  const words = listNumbers(job.skip).includes(chosen + 1) ? "Rank" : "Do not rank";
  part("skip").textContent = `${words} sentence ${chosen + 1}`;
}

function showProgress() {
  const bar = part("bar");
  if (job.state === "waiting") {
    bar.removeAttribute("value");
    say(job.before ? `Waiting: ${count(job.before, "story").replace("storys", "stories")} ahead` : "Waiting");
    part("left").textContent = "";
    return;
  }
  const { phase, done, total, seconds } = job.progress || { phase: "starting", done: 0, total: 0, seconds: 0 };
  const share = total > 0 ? done / total : 0;
  if (total > 0) bar.value = share;
  else bar.removeAttribute("value");
  say(PHASES[phase] || phase);
  const known = share > 0.02 && seconds > 1;
  part("left").textContent = known ? `about ${duration((seconds * (1 - share)) / share)} left` : "";
}

/** Announce the phase to screen readers when it changes. */
let announced = "";
function say(words) {
  const phase = part("phase");
  phase.setAttribute("aria-live", words === announced ? "off" : "polite");
  announced = words;
  if (phase.textContent !== words) phase.textContent = words;
}

function take(next) {
  job = next;
  const early = job.state === "running" && job.early;
  if (job.state === "finished" || early) frame.open(early ? "early" : job.ended);
  else frame.close();
  show();
}

/** Show that the job was deleted elsewhere. */
let isDeleted = false;
function showDeleted() {
  isDeleted = true;
  frame.close();
  ["progress", "cancel", "delete", "downloads", "alone", "restart", "lost", "early", "skip", "others", "parts"].forEach((name) => {
    part(name).hidden = true;
  });
  part("message").hidden = false;
  part("heading").textContent = "Deleted";
  part("words").textContent = "This story was deleted in another tab or by someone else.";
}

/* Ask for the job while it is active, and when the page is shown again: it may have been deleted meanwhile. */
const INTERVAL = 400; // ms
let timer = null;
async function watch() {
  try {
    take(await ask("GET", path));
    part("lost").hidden = true;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) showDeleted();
    else lose();
  }
  clearTimeout(timer);
  if (!isDeleted && isActive()) timer = setTimeout(watch, INTERVAL);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !isDeleted && job && !isActive()) watch();
});

async function act(button, does) {
  button.disabled = true;
  try {
    await does();
    part("lost").hidden = true;
  } catch (error) {
    lose(error instanceof Refusal ? error.message : "The server does not respond.");
  } finally {
    button.disabled = false;
  }
}

part("cancel").addEventListener("click", (event) =>
  act(event.target, async () => take(await ask("POST", `${path}/cancel`))),
);
const restart = (button, changes = {}) =>
  act(button, async () => {
    take(await ask("POST", `${path}/restart?${new URLSearchParams(changes)}`));
    watch();
  });
part("restart").addEventListener("click", (event) => restart(event.target));
part("others").addEventListener("click", () => (part("message").hidden ? askAgain() : take(job)));
part("skip").addEventListener("click", (event) => {
  const number = frame.report.chosen + 1;
  const skipped = listNumbers(job.skip);
  const others = skipped.filter((each) => each !== number);
  restart(event.target, { skip: (others.length < skipped.length ? others : [...skipped, number]).join(",") });
});
twice(part("delete"), () =>
  act(part("delete"), async () => {
    await ask("DELETE", path);
    location.href = "/";
  }),
);

try {
  await openSession();
  take(await ask("GET", path));
  if (isActive()) watch();
} catch (error) {
  part("message").hidden = false;
  part("heading").textContent = error instanceof Refusal && error.status < 500 ? "Not found" : "The server does not respond";
  part("words").textContent = error instanceof Refusal ? error.message : "Is it still running?";
}
