"use strict";
/* Salience along the story: a bar per item of the view (`zoom.js`), a smoothed line, arcs from the selected one, and
   a marker for the passage that is visible; on request surprise as a line, scaled to its own range. */
Barthes.curve = (function () {
  const SVG = "http://www.w3.org/2000/svg";
  const LEFT = 48;
  const BOTTOM = 16;
  const TOP = 8;
  const ARCS = 8;

  function make(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes || {}).forEach(([key, value]) => element.setAttribute(key, value));
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /** Smooth the scores with a Gaussian whose width grows with the story. */
  function smooth(scores, bottom, top) {
    const width = Math.max(1, scores.length / 45);
    const far = Math.ceil(2.5 * width);
    return scores.map((_, i) => {
      let sum = 0;
      let weights = 0;
      for (let j = Math.max(0, i - far); j <= Math.min(scores.length - 1, i + far); j += 1) {
        if (scores[j] === null) continue;
        const weight = Math.exp(-0.5 * ((i - j) / width) ** 2);
        sum += weight * Math.max(bottom, Math.min(scores[j], top));
        weights += weight;
      }
      return weights ? sum / weights : null;
    });
  }

  /** Where bars end at the bottom and the top: `limit_bars` of barthes/report/scale.py. Longer ones are cut. */
  function limit(scores, scale) {
    const known = scores.sort((a, b) => a - b);
    if (!known.length) return [0, 0];
    const low = Math.min(0, scale.low, known[Math.min(Math.max(1, Math.floor(known.length / 10)), known.length - 1)]);
    const high = Math.max(0, scale.high);
    const reach = 0.6 * (high - low);
    return [Math.max(Math.min(0, known[0]), low - reach), Math.min(Math.max(0, known[known.length - 1]), high + reach)];
  }

  function mount(root, report) {
    const holder = root.querySelector("[data-part=curve]");
    const svg = make("svg", { role: "img" });
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    holder.replaceChildren(svg, tip);
    const view = make("rect", { class: "view" });
    const hover = make("line", { class: "hover", visibility: "hidden" });
    const arcs = make("g");
    const chosen = make("g");
    let x = () => 0;
    let y = () => 0;
    let size = { width: 0, height: 0 };

    function draw() {
      size = { width: holder.clientWidth, height: holder.clientHeight };
      if (!size.width) return;
      const { scores, single, from, curves } = report.view;
      const ranked = scores.map((score, i) => (single && report.isUnranked(from + i) ? null : score));
      const scale = single ? report.data.scale : { low: 0, high: Math.max(...scores) };
      const [bottom, most] = limit(ranked.filter((score) => score !== null), scale);
      const top = most > bottom ? most : bottom + 1;
      const base = size.height - BOTTOM;
      const span = size.width - LEFT - 6;
      x = (k) => LEFT + ((k + 0.5) * span) / scores.length;
      y = (score) => base - (Math.min(Math.max((score - bottom) / (top - bottom), 0), 1)) * (base - TOP);
      svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
      svg.setAttribute("aria-label", describe());
      const ground = y(0);
      const thick = Math.max(0.75, Math.min(report.view.span === "sentence" ? 5 : 14, (0.62 * span) / scores.length));
      const bars = ["", ""];
      scores.forEach((score, k) => {
        if (score === null) return;
        const kept = !single || report.isKept(from + k) ? 1 : 0;
        const cut = score > top * 1.001 ? 1 : score < bottom * 1.001 ? -1 : 0;
        bars[kept] += `M${x(k).toFixed(1)} ${ground.toFixed(1)}V${(y(score) + 7 * cut).toFixed(1)}`;
        if (cut) bars[kept] += `m0 ${-3 * cut}V${y(score).toFixed(1)}`;
      });
      let line = "";
      smooth(ranked, bottom, top).forEach((score, k) => {
        line += score === null ? "" : `${line ? "L" : "M"}${x(k).toFixed(1)} ${y(score).toFixed(1)}`;
      });
      /** The line of another curve, scaled to its own range. */
      const trace = (name) => {
        if (!report.overlays.includes(name) || !curves[name]) return "";
        const curve = smooth(curves[name], -Infinity, Infinity);
        const seen = curve.filter((each) => each !== null);
        const [least, most] = [seen.reduce((a, b) => Math.min(a, b), Infinity), seen.reduce((a, b) => Math.max(a, b), -Infinity)];
        let line = "";
        curve.forEach((each, k) => {
          if (each === null) return;
          const height = most > least ? (each - least) / (most - least) : 0.5;
          line += `${line ? "L" : "M"}${x(k).toFixed(1)} ${(base - height * (base - TOP)).toFixed(1)}`;
        });
        return line;
      };
      view.setAttribute("y", 0);
      view.setAttribute("height", base);
      svg.replaceChildren(
        view,
        make("line", { class: "axis", x1: LEFT, x2: size.width - 6, y1: ground, y2: ground }),
        make("path", { class: "bars", d: bars[0], "stroke-width": thick }),
        make("path", { class: "bars kept", d: bars[1], "stroke-width": thick }),
        make("path", { class: "trend", d: scores.length > 8 ? line : "" }),
        ...Object.keys(curves).map((name) => make("path", { class: name, d: trace(name) })),
        hover,
        arcs,
        chosen,
        make("text", { class: "tick", x: LEFT - 6, y: y(scale.high) + 4, "text-anchor": "end" }, scale.high > scale.low ? report.format(scale.high, false) : ""),
        make("text", { class: "tick", x: LEFT - 6, y: ground + 4, "text-anchor": "end" }, "0"),
        make("text", { class: "tick", x: LEFT - 6, y: base, "text-anchor": "end" }, base - ground > 24 ? report.format(bottom, false) : ""),
        ...ticks(report.view.first + 1, report.view.first + scores.length).map((n) =>
          make("text", { class: "tick", x: Math.min(x(n - 1 - report.view.first), size.width - 14), y: size.height - 2, "text-anchor": "middle" }, n.toLocaleString("en")),
        ),
      );
      choose(report.chosen);
      look();
    }

    function ticks(first, last) {
      const rough = (last - first + 1) / Math.max(2, size.width / 110);
      const power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1))));
      const step = [1, 2, 5, 10].map((f) => f * power).find((f) => f >= rough);
      const found = [first];
      for (let n = step * Math.ceil(first / step); n <= last; n += step) if (n > first + step * 0.4) found.push(n);
      return found;
    }

    function describe() {
      const best = report.data.ranks.indexOf(1);
      const end = best < 0 ? "" : ` The most salient is ${report.data.unit} ${best + 1} of ${report.data.scores.length}.`;
      const { surprise, unit } = report.data;
      const peak = report.overlays.includes("surprise") && surprise ? ` Surprise is highest in ${unit} ${surprise.indexOf(Math.max(...surprise)) + 1}.` : "";
      return `Salience of each ${report.view.unit} along the story${report.view.single ? "" : `, the mean of its ${unit}s`}.${end}${peak}`;
    }

    function choose(k) {
      arcs.replaceChildren();
      chosen.replaceChildren();
      k = report.view.find(k);
      if (k === null || !size.width) return;
      const base = size.height - BOTTOM;
      if (report.view.influence) {
        const found = report.view.influence.arcs(k, ARCS);
        const far = Math.max(...found.map(([later]) => later - k));
        const most = Math.max(...found.map(([, loss]) => loss));
        found.forEach(([later, loss]) => {
          const reach = (x(later) - x(k)) / 2;
          const rise = (base - TOP) * (0.22 + 0.76 * Math.sqrt((later - k) / far));
          arcs.append(
            make("path", {
              class: "arc",
              d: `M${x(k)} ${base}A${reach} ${rise} 0 0 1 ${x(later)} ${base}`,
              "stroke-width": (0.7 + (2.1 * loss) / most).toFixed(2),
            }),
          );
        });
      }
      const score = report.view.scores[k];
      chosen.append(make("line", { class: "chosen", x1: x(k), x2: x(k), y1: base, y2: score === null ? base : y(score) }));
      chosen.append(make("circle", { class: "chosen-dot", cx: x(k), cy: score === null ? base : y(score), r: 3.5 }));
    }

    /** Mark the passage that is visible. */
    function look() {
      const seen = report.unitsInSight()?.map((k) => report.view.find(k) ?? (k < report.view.from ? 0 : report.view.count - 1));
      view.setAttribute("visibility", seen ? "visible" : "hidden");
      if (!seen || !size.width) return;
      const half = (x(1) - x(0)) / 2;
      view.setAttribute("x", x(seen[0]) - half);
      view.setAttribute("width", Math.max(2, x(seen[1]) - x(seen[0]) + 2 * half));
    }

    function nearest(event) {
      const box = holder.getBoundingClientRect();
      const { count } = report.view;
      const k = Math.round(((event.clientX - box.left - LEFT) / (size.width - LEFT - 6)) * count - 0.5);
      return Math.min(Math.max(k, 0), count - 1);
    }

    svg.addEventListener("pointermove", (event) => {
      const k = nearest(event);
      hover.setAttribute("visibility", "visible");
      ["x1", "x2"].forEach((end) => hover.setAttribute(end, x(k)));
      hover.setAttribute("y1", TOP);
      hover.setAttribute("y2", size.height - BOTTOM);
      const second = report.overlays
        .filter((name) => typeof report.view.curves[name]?.[k] === "number")
        .map((name) => `, ${name} ${report.view.curves[name][k].toFixed(2)}`)
        .join("");
      tip.textContent = `${report.view.name(k)}: ${report.format(report.view.scores[k])}${second}. ${report.view.excerpt(k, 90)}`;
      tip.hidden = false;
      const left = Math.min(Math.max(x(k) - tip.offsetWidth / 2, 0), size.width - tip.offsetWidth);
      tip.style.left = left + "px";
      tip.style.top = size.height + "px";
    });
    svg.addEventListener("pointerleave", () => {
      tip.hidden = true;
      hover.setAttribute("visibility", "hidden");
    });
    svg.addEventListener("click", (event) => report.enter(nearest(event)));
    return { draw, choose, look };
  }

  return { mount };
})();
