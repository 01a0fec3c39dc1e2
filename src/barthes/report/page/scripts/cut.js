"use strict";
/* The cuts: hover or focus a sentence for its costs, click or press Enter to cut it or to undo the cut, download. */
(function () {
  const data = JSON.parse(document.getElementById("barthes-data").textContent);
  const part = (name) => document.querySelector(`[data-part=${name}]`);
  const story = part("story");
  const last = data.units.length - 1;
  const all = data.units.map((_, k) => k).filter((k) => k !== last && !data.protected.includes(k));
  const chosen = all.filter((k) => data.units[k].order !== null);
  const gone = new Set(chosen);
  const spans = new Map([...story.querySelectorAll("[data-sentence]")].map((span) => [Number(span.dataset.sentence), span]));
  const copies = new Map([...story.querySelectorAll("[data-copy]")].map((span) => [Number(span.dataset.copy), span]));
  const marks = [...story.querySelectorAll("[data-mark]")].map((span, k) => [span, data.pieces[data.marks[k]]]);
  const stays = ({ units }) => {
    if (units === null) return true;
    for (let k = units[0]; k < units[1]; k += 1) if (!gone.has(k)) return true;
    return false;
  };
  const signed = (value, digits) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
  const name = (number) => data.unit.charAt(0).toUpperCase() + data.unit.slice(1) + (number === 1 ? "" : "s");
  const sum = (indices, key) => indices.reduce((total, k) => total + data.units[k][key], 0);
  const list = (indices) => indices.map((k) => k + 1).join(", ");

  function show() {
    const active = all.filter((k) => gone.has(k));
    const isChanged = active.length !== chosen.length || chosen.some((k) => !gone.has(k));
    all.forEach((k) => {
      spans.get(k).classList.toggle("gone", gone.has(k));
      spans.get(k).classList.toggle("back", chosen.includes(k) && !gone.has(k));
      spans.get(k).setAttribute("aria-pressed", String(gone.has(k)));
      copies.get(k).hidden = gone.has(k);
    });
    const written = new Set(join().pieces);
    marks.forEach(([span, piece]) => { span.hidden = !written.has(piece); });
    const words = data.words - sum(active, "words");
    const share = Math.round((100 * words) / data.words);
    const broken = active.flatMap((k) => data.units[k].referred).filter((k, i, found) => !gone.has(k) && found.indexOf(k) === i).sort((a, b) => a - b);
    part("sum").textContent = `${words.toLocaleString("en")} of ${data.words.toLocaleString("en")} words (${share} %), ${active.length} ${active.length === 1 ? "cut" : "cuts"}, cost about ${signed(sum(active, "cost"), 0)} nats` +
      (broken.length ? `. Check ${list(broken)}: they may refer to what is cut.` : "");
    part("again").hidden = !isChanged;
    part("summary").hidden = isChanged;
  }

  function explain(k) {
    spans.forEach((span) => span.classList.remove("affected"));
    const reason = part("reason");
    if (k === null) {
      reason.textContent = `Point at a ${data.unit} to see what cutting it costs, and which later ${data.unit}s miss it.`;
      return;
    }
    const { words, cost, importance_rank: importance, missed_by: missedBy, referred } = data.units[k];
    const most = missedBy.length ? missedBy[0].loss : 1;
    missedBy.forEach(({ index, loss }) => {
      spans.get(index).classList.add("affected");
      spans.get(index).style.setProperty("--level", Math.round((100 * loss) / most) + "%");
    });
    const missed = missedBy.map(({ index, loss }) => `${index + 1} (${signed(loss, 1)})`).join(", ");
    reason.textContent =
      `${name(1)} ${k + 1}, ${words} words: cutting it costs about ${signed(cost, 1)} nats. ` +
      (importance ? `Rank ${importance} of ${data.units.length} for readers. ` : "") +
      (missed ? `Missed most by ${missed}. ` : "") +
      (referred.length ? `${name(referred.length)} ${list(referred)} may refer to it.` : "");
  }

  function toggle(k) {
    if (!gone.delete(k)) gone.add(k);
    show();
    explain(k);
  }

  /** What is left, as `join_pieces` of barthes/cutting/pieces.py writes it: the pieces and their text. */
  function join() {
    const [out, pieces] = [[], []];
    let [blanks, isCut, last] = [[], false, ""];
    data.pieces.forEach((piece, k) => {
      if (piece.kind === "unit") isCut = !stays(piece);
      if (piece.kind === "blank") {
        if (out.length || !k) blanks.push(piece.text);
      } else if (stays(piece) && (piece.kind !== "break" || last === "unit" || !isCut)) {
        out.push(widest(blanks), piece.text);
        pieces.push(piece);
        [blanks, last] = [[], piece.kind];
      }
    });
    return { pieces, text: out.concat(blanks.slice(-1)).join("") };
  }

  function widest(gaps) {
    const breaks = (gap) => gap.split("\n").length;
    return gaps.length ? gaps.reduce((found, gap) => (breaks(gap) > breaks(found) ? gap : found)) : "";
  }

  function download(name, text, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const find = (event) => {
    const span = event.target.closest("[data-sentence][role=button]");
    return span ? Number(span.dataset.sentence) : null;
  };
  all.forEach((k) => {
    spans.get(k).tabIndex = 0;
    spans.get(k).setAttribute("role", "button");
  });
  story.addEventListener("click", (event) => {
    const k = find(event);
    if (k !== null && !String(getSelection()).length) toggle(k);
  });
  story.addEventListener("keydown", (event) => {
    const k = find(event);
    if (k === null || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    toggle(k);
  });
  ["mouseover", "focusin"].forEach((kind) => story.addEventListener(kind, (event) => {
    const k = find(event);
    if (k !== null) explain(k);
  }));
  part("text").addEventListener("click", () => download(`${data.name}-short.${data.ending}`, join().text, "text/plain"));
  part("list").addEventListener("click", () => {
    const rows = all.filter((k) => gone.has(k)).map((k) => data.units[k].row);
    download(`${data.name}-cuts.tsv`, data.header + rows.join(""), "text/tab-separated-values");
  });
  part("again").addEventListener("click", () => {
    gone.clear();
    chosen.forEach((k) => gone.add(k));
    show();
    explain(null);
  });
  part("sums").hidden = false;
  show();
  explain(null);
})();
