"use strict";
/* The report: one state (the selected unit, the number of units kept) shown by all parts of the page.

   Barthes.mount(root, data) → report      `data` as documented in barthes/report/page/document.py
   report.choose(k | null)                 select unit k
   report.keep(n)                          show only the n most salient
   The root gets the events "barthes:choose" (detail: k) and "barthes:keep" (detail: n). */
Barthes.mount = function (root, data) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const report = { data: Object.assign({}, data), chosen: null, kept: data.scores.length, overlays: [] };
  const CURVES = ["surprise"];
  report.isUnranked = (k) => k in report.data.unranked;
  report.countRanked = () => data.scores.length - Object.keys(report.data.unranked).length;
  report.isRanked = data.ranks.some((rank) => rank !== null); // not if there are too few units
  report.influence = Barthes.influence.open(data.influence);

  /** The shade of a unit from 0 to 100; with the highest score as `high`, the length of its bar. */
  report.level = (k, high = report.data.scale.high) => {
    const { scores, scale: { low } } = report.data;
    if (scores[k] === null || report.isUnranked(k) || high <= low) return 0;
    return Math.round(100 * Math.min(Math.max((scores[k] - low) / (high - low), 0), 1));
  };
  report.isUncertain = (k) => report.data.stability?.uncertain.includes(k) ?? false;
  report.isKept = (k) => (report.isRanked ? report.data.ranks[k] !== null && report.data.ranks[k] <= report.kept : !report.isUnranked(k));
  report.ranked = () => {
    const { ranks } = report.data;
    return ranks.map((_, k) => k).filter((k) => ranks[k] !== null).sort((a, b) => ranks[a] - ranks[b]);
  };
  report.format = (value, sign = true) => {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    const { high, digits } = report.data.scale;
    const enough = digits ?? Math.min(Math.max(1 - Math.floor(Math.log10(Math.abs(high) || 1)), 1), 6);
    const text = size.toFixed(enough);
    return (value < 0 && Number(text) !== 0 ? "−" : sign ? "+" : "") + text;
  };
  /** The surprise of a unit as text, nats per token; empty if it is unknown. */
  report.surprise = (k) => report.data.surprise?.[k]?.toFixed(2) ?? "";
  report.capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  report.name = (k) => {
    const name = report.data.names ? `Event “${report.data.names[k]}”, ${(k + 1).toLocaleString("en")}` : `${report.capital(report.data.span)} ${(k + 1).toLocaleString("en")}`;
    return `${name} of ${report.data.scores.length.toLocaleString("en")}`;
  };
  report.excerpt = (k, length) => {
    const words = story.words(report.data.units[k]);
    return words.length > length ? words.slice(0, words.lastIndexOf(" ", length) > 0 ? words.lastIndexOf(" ", length) : length) + " …" : words;
  };
  report.unitsInSight = () => {
    const overview = part("overview").getBoundingClientRect();
    const seen = story.inSight(Math.max(overview.bottom, 0), innerHeight);
    if (!seen) return null;
    const first = report.data.units.findIndex((sentence) => sentence >= seen[0]);
    let last = report.data.units.length - 1;
    while (last > first && report.data.units[last] > seen[1]) last -= 1;
    return first < 0 ? null : [first, last];
  };

  const zoom = Barthes.zoom.mount(root, report);
  zoom.look();
  const story = Barthes.story.mount(root, report);
  const curve = Barthes.curve.mount(root, report);
  const heatmap = Barthes.heatmap.mount(root, report);
  const panel = Barthes.panel.mount(root, report);
  const ranking = Barthes.ranking.mount(root, report);
  const views = [story, curve, heatmap, panel, ranking];

  report.choose = (k) => {
    if (k === report.chosen) return;
    report.chosen = k;
    views.forEach((view) => view.choose(k));
    root.dispatchEvent(new CustomEvent("barthes:choose", { detail: k }));
  };
  report.visit = (k) => {
    zoom.include(k);
    report.choose(k);
    story.reveal(k);
  };
  /** Select a unit of the curve; a chapter or scene is shown by itself. */
  report.enter = (i) => {
    if (report.view.single) report.visit(report.view.unitOf(i));
    else zoom.enter(i);
  };
  report.changeView = () => {
    const before = report.chosen;
    if (before !== null && (before < report.view.from || before >= report.view.to)) report.choose(null);
    story.limit();
    curve.draw();
    heatmap.draw();
    ranking.show();
    if (report.chosen === null) panel.choose(null);
  };

  const slider = part("threshold");
  /** The number of units kept at each stop: single steps in a tale, finer for small numbers in a novel. */
  let stops = [];
  function setStops() {
    const count = report.countRanked();
    const steps = Math.min(count, 120);
    stops = [...new Set(Array.from({ length: steps }, (_, i) => Math.max(1, Math.round(count <= 120 ? i + 1 : count * ((i + 1) / steps) ** 2))))];
    slider.max = stops.length - 1;
    slider.value = stops.length - 1;
  }
  report.keep = (kept) => {
    report.kept = kept;
    const { scores, unit } = report.data;
    const count = report.countRanked();
    const whole = kept >= count;
    const least = report.ranked()[Math.min(kept, count) - 1];
    const all = scores.length === 1 ? `the only ${unit}` : `all ${scores.length.toLocaleString("en")} ${unit}s`;
    const words = whole
      ? all
      : `${kept.toLocaleString("en")} of ${count.toLocaleString("en")}, salience ≥ ${least === undefined ? "–" : report.format(scores[least], false)}`;
    part("kept").textContent = words;
    const stop = stops.findIndex((count) => count >= kept);
    slider.value = stop < 0 ? stops.length - 1 : stop;
    slider.setAttribute("aria-valuetext", words);
    story.keep(kept);
    curve.draw();
    root.dispatchEvent(new CustomEvent("barthes:keep", { detail: kept }));
  };
  slider.addEventListener("input", () => report.keep(stops[Number(slider.value)]));
  part("fade").addEventListener("change", (event) => story.fade(event.target.checked));
  const readOverlays = () => {
    report.overlays = CURVES.filter((name) => part(name).checked);
  };
  CURVES.forEach((name) =>
    part(name).addEventListener("change", () => {
      readOverlays();
      curve.draw();
    }),
  );

  function showLegend() {
    CURVES.forEach((name) => {
      part(name).closest("label").hidden = !report.data[name];
    });
    const { scale, measure, scores } = report.data;
    const more = scores.some((score, k) => score !== null && score > scale.high && !report.isUnranked(k)) ? "≥ " : "";
    part("low").textContent = scale.low === 0 ? "0" : report.format(scale.low, false);
    part("high").textContent = `${more}${report.format(scale.high, false)} ${measure}`.trim();
    part("legend").setAttribute("aria-label", `Shades: none for ${part("low").textContent}, full for ${part("high").textContent}.`);
  }

  let waiting = false;
  function later(act) {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      act();
    });
  }
  addEventListener("scroll", () => later(curve.look), { passive: true });
  new ResizeObserver(() => later(() => {
    curve.draw();
    story.drawArcs();
  })).observe(root);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") report.choose(null);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", heatmap.draw);
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light"; // paper is white
    heatmap.draw();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    heatmap.draw();
  });

  part("overview").hidden = false;
  part("threshold").closest("label").querySelector(".threshold-name").textContent = `Cardinal ${report.data.unit}s`;
  zoom.draw();
  setStops();
  part("threshold").closest("label").hidden = !report.isRanked;
  part("fade").closest("label").hidden = !report.isRanked;
  showLegend();
  story.fade(part("fade").checked);
  readOverlays();
  ranking.show();
  report.keep(report.kept);
  heatmap.draw();
  panel.choose(null);
  return report;
};

(function () {
  const data = document.getElementById("barthes-data");
  if (data) window.barthesReport = Barthes.mount(document.getElementById("report"), JSON.parse(data.textContent));
})();
