/* Text for numbers, times, models and states. */

export const count = (number, noun) => `${number.toLocaleString("en")}\u00a0${noun}${number === 1 ? "" : "s"}`;

export function size(bytes) {
  if (bytes < 1000) return count(bytes, "byte");
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return count(Math.round(seconds), "second");
  if (seconds < 5400) return count(Math.round(seconds / 60), "minute");
  return count(Math.round(seconds / 3600), "hour");
}

export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (seconds < 60) return "just now";
  if (seconds < 90) return "a minute ago";
  if (seconds < 20 * 3600) return `${duration(seconds)} ago`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** Return a model's name without its folders. */
export const nameModel = (model) => model.replace(/[/\\]+$/, "").split(/[/\\]/).pop() || model;

export const PHASES = {
  starting: "Starting",
  reading: "Reading the story",
  fetching: "Downloading the model (only once)",
  loading: "Loading the model",
  scoring: "Scoring",
};

export const STATES = {
  waiting: "waiting",
  running: "running",
  finished: "",
  failed: "failed",
  cancelled: "cancelled",
  interrupted: "interrupted",
  undecided: "choose a chapter",
};
