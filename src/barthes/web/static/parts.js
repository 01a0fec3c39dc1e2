/* The stories or chapters of a file to choose from, and numbers of sentences. */
import { count } from "./words.js";

/** Fill a list with a button for each part, and one for the whole. */
export function listParts(list, parts, choose) {
  const rows = parts.map(({ number, title, words }) => row(`${number}`, title, words, (button) => choose(button, { chapter: number, whole: false, skip: "" })));
  const total = parts.reduce((sum, part) => sum + part.words, 0);
  rows.push(row("", "All of them as one story", total, (button) => choose(button, { whole: true, skip: "" })));
  list.replaceChildren(...rows);
}

function row(number, title, words, act) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(cell("number", number), cell("name", title), cell("words", count(words, "word")));
  button.addEventListener("click", () => act(button));
  item.append(button);
  return item;
}

function cell(kind, text) {
  const element = document.createElement("span");
  element.className = kind;
  element.textContent = text;
  if (kind === "name") element.dir = "auto";
  return element;
}

/** Return the numbers in a list such as "1-3,7". */
export function listNumbers(text) {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return part.trim() ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : [];
  });
}
