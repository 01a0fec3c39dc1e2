/* The home page: paste or drop a story, choose options, send it. */
import { Refusal, ask, openSession } from "./api.js";
import { mountRecent } from "./recent.js";
import { count, nameModel, size } from "./words.js";

const part = (name) => document.querySelector(`[data-part=${name}]`);
const field = (name) => document.getElementById(name);
const form = field("compose");
const story = field("story");
let options = null;
let file = null;

/* Fill a list of options; the last choice is remembered. */
function offer(select, choices) {
  select.replaceChildren(
    ...choices.map(([value, text]) => {
      const option = document.createElement("option");
      Object.assign(option, { value, textContent: text });
      return option;
    }),
  );
  const last = remember(select.id);
  if (last && choices.some(([value]) => value === last)) select.value = last;
}

function remember(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(`barthes.${name}`, value);
    return localStorage.getItem(`barthes.${name}`);
  } catch {
    return null; // storage is disabled
  }
}

function nameLanguage(code) {
  if (code === "xx") return "another language";
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code;
  }
}

function nameMethod(name) {
  const method = options?.methods.find((each) => each.name === name);
  return method ? capital(method.label) : name;
}

function offerAll() {
  offer(field("method"), options.methods.map((method) => [method.name, nameMethod(method.name)]));
  offer(field("model"), options.models.map((model) => [model.name, nameModel(model.name) + (model.state === "available" ? "" : model.megabytes ? ` (${model.megabytes} MB download)` : " (download)")]));
  const [first, ...others] = options.languages.map((code) => [code, nameLanguage(code)]);
  others.sort((a, b) => (a[0] === "xx") - (b[0] === "xx") || a[1].localeCompare(b[1]));
  offer(field("language"), [["", "automatic"], first, ...others]);
  field("encodings").replaceChildren(...options.encodings.map((name) => new Option(name)));
  part("version").textContent = options.version;
}

function adapt() {
  if (!options) return;
  const method = options.methods.find((each) => each.name === field("method").value);
  const model = options.models.find((each) => each.name === field("model").value);
  field("model").disabled = !method.needs_model;
  for (const choice of field("unit").options) choice.disabled = !method.units.includes(choice.value);
  if (!method.units.includes(field("unit").value)) field("unit").value = "sentence";
  const about = [capital(method.description) + "."];
  if (method.needs_model && model.description) about.push(`${model.description}.`);
  part("about").textContent = about.join(" ");
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/* The story. */
function take(given) {
  file = given;
  story.hidden = Boolean(file);
  part("file").hidden = !file;
  part("choose").hidden = Boolean(file);
  if (file) {
    part("file-name").textContent = file.name;
    part("file-size").textContent = size(file.size);
    part("submit").focus();
  }
  complain("");
  measure();
}

function measure() {
  const words = file ? 0 : (story.value.match(/\S+/g) || []).length;
  part("count").textContent = words ? count(words, "word") : "";
}

function complain(words) {
  part("problem").textContent = words;
  part("problem").hidden = !words;
}

async function send() {
  const body = file || new Blob([story.value], { type: "text/plain;charset=utf-8" });
  const problem = refuse(body);
  complain(problem);
  if (problem) return;
  const query = new URLSearchParams({
    name: field("name").value.trim() || (file ? file.name : ""),
    method: field("method").value,
    unit: field("unit").value,
    model: field("model").value,
    lines: field("lines").checked,
  });
  if (field("keep").checked) ["speaker", "direction"].forEach((kind) => query.append("keep", kind));
  // Formats are detected by the file extension, which a title does not have.
  if (file && field("name").value.trim()) query.set("file", file.name);
  if (file && field("encoding").value.trim()) query.set("encoding", field("encoding").value.trim());
  if (field("language").value) query.set("language", field("language").value);
  part("submit").disabled = true;
  try {
    const job = await ask("POST", `/api/jobs?${query}`, body, { "Content-Type": body.type || "application/octet-stream" });
    location.href = `/jobs/${job.id}`;
  } catch (error) {
    complain(error instanceof Refusal ? error.message : "The server does not respond. Is it still running?");
    part("submit").disabled = false;
  }
}

/** Return a problem that can be found before sending, or an empty string. */
function refuse(body) {
  if (!file && !story.value.trim()) return "Paste a story or choose a file first.";
  if (body.size === 0) return "The file is empty.";
  if (options && body.size > options.limits.bytes) return `The story is larger than ${size(options.limits.bytes)}. Split it into parts.`;
  return "";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    send();
  }
});
story.addEventListener("input", () => {
  measure();
  complain("");
});
for (const name of ["method", "model", "language"]) {
  field(name).addEventListener("change", (event) => {
    remember(name, event.target.value);
    adapt();
  });
}
part("choose").addEventListener("click", () => field("file").click());
field("file").addEventListener("change", (event) => {
  if (event.target.files.length) take(event.target.files[0]);
  event.target.value = "";
});
part("file-remove").addEventListener("click", () => {
  take(null);
  story.focus();
});

/* Files can be dropped anywhere on the page. */
let depth = 0;
const carriesFile = (event) => [...(event.dataTransfer?.types || [])].includes("Files");
function hover(change) {
  depth = Math.max(0, depth + change);
  part("drop").hidden = depth === 0;
}
addEventListener("dragenter", (event) => carriesFile(event) && hover(1));
addEventListener("dragleave", (event) => carriesFile(event) && hover(-1));
addEventListener("dragover", (event) => {
  if (carriesFile(event)) event.preventDefault();
});
addEventListener("drop", (event) => {
  if (!carriesFile(event)) return;
  event.preventDefault();
  depth = 0;
  hover(0);
  if (event.dataTransfer.files.length > 1) complain("Only the first file was used: one story at a time.");
  if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
});
addEventListener("paste", (event) => {
  if (event.clipboardData?.files.length) {
    event.preventDefault();
    take(event.clipboardData.files[0]);
  }
});
addEventListener("pageshow", (event) => {
  if (event.persisted) part("submit").disabled = false; // back from the report
});

part("local").hidden = !/^(localhost|127\..*|\[::1\])$/.test(location.hostname);

/* Start, then refresh the list of stories. */
const recent = mountRecent(part("recent"), part("none"), part("announcement"), nameMethod);
async function watch() {
  let busy = false;
  if (!document.hidden) {
    try {
      busy = await recent.refresh();
    } catch {
      // try again later
    }
  }
  setTimeout(watch, busy ? 1500 : 5000);
}
try {
  await openSession();
  options = await ask("GET", "/api/options");
  offerAll();
  adapt();
} catch (error) {
  complain(error instanceof Refusal ? error.message : "The server does not respond. Is it still running?");
}
measure();
watch();
