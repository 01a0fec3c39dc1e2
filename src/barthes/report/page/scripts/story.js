"use strict";
/* The text: shades, hidden sentences, selection by mouse or keyboard, arcs in the margin. */
Barthes.story = (function () {
  const STRONG = 6;
  const SVG = "http://www.w3.org/2000/svg";

  function mount(root, report) {
    const text = root.querySelector("[data-part=text]");
    const arcs = root.querySelector("[data-part=arcs]");
    const units = [];
    text.querySelectorAll(".unit").forEach((unit) => {
      units[Number(unit.dataset.unit)] = unit;
      unit.tabIndex = -1;
      unit.setAttribute("role", "button");
      unit.setAttribute("aria-pressed", "false");
    });
    const sentences = [...text.querySelectorAll(".sentence")];
    /** The paragraphs; one without sentences, a heading, belongs to the sentence after it. */
    const paragraphs = [...text.querySelectorAll("p")].map((element) => ({ element, inside: [...element.querySelectorAll(".sentence")] }));
    paragraphs.reduceRight((next, paragraph) => {
      const own = paragraph.inside.map((sentence) => Number(sentence.dataset.sentence));
      paragraph.first = own.length ? own[0] : next;
      paragraph.last = own.length ? own[own.length - 1] : next;
      return paragraph.first;
    }, sentences.length);
    const order = [...text.querySelectorAll(".unit")].map((unit) => Number(unit.dataset.unit));
    let stop = order.length ? order[0] : null;
    let marked = [];
    if (stop !== null) units[stop].tabIndex = 0;

    text.addEventListener("click", (event) => {
      const unit = event.target.closest(".unit");
      if (!unit || String(getSelection()).length) return; // the user is copying a passage
      const k = Number(unit.dataset.unit);
      report.choose(report.chosen === k ? null : k);
    });
    text.addEventListener("focusin", (event) => {
      const unit = event.target.closest(".unit");
      if (unit && unit.matches(":focus-visible")) report.choose(Number(unit.dataset.unit));
    });
    text.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || stop === null) return; // the browser's own keys
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        report.choose(report.chosen === stop ? null : stop);
        return;
      }
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const far = { Home: 0, End: order.length - 1 }[event.key];
      if (step === undefined && far === undefined) return;
      event.preventDefault();
      let at = far === undefined ? order.indexOf(stop) + step : far;
      while (order[at] !== undefined && !units[order[at]].offsetParent) at += step || (far ? -1 : 1);
      if (order[at] !== undefined) focus(order[at]);
    });

    function rove(k) {
      if (!units[k]) return;
      if (stop !== null) units[stop].tabIndex = -1;
      stop = k;
      units[k].tabIndex = 0;
    }

    function focus(k) {
      rove(k);
      units[k].focus({ preventScroll: true });
      report.choose(k);
      reveal(k);
    }

    function reveal(k) {
      const unit = units[k];
      if (!unit) return;
      const box = unit.getBoundingClientRect();
      const above = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
      const panel = root.querySelector("[data-part=panel]");
      const covers = getComputedStyle(panel).position === "fixed"; // on narrow screens it covers the story
      const below = covers ? panel.getBoundingClientRect().top : innerHeight - 80;
      if (box.top < above || box.bottom > below) scrollBy(0, box.top - above - Math.max(8, (below - above - box.height) / 3));
    }

    /** Show only the sentences with a unit of a rank up to `kept`. */
    function keep(kept) {
      const whole = kept >= report.countRanked();
      const inside = new Set();
      report.data.units.forEach((sentence, k) => {
        const rank = report.data.ranks[k];
        if (whole || (rank !== null && rank <= kept)) inside.add(sentence);
      });
      let cut = false;
      sentences.forEach((sentence) => {
        const out = !inside.has(Number(sentence.dataset.sentence));
        sentence.classList.toggle("out", out);
        sentence.classList.toggle("after-cut", !out && cut);
        cut = out;
      });
      paragraphs.forEach(({ element, inside: all }) => {
        element.classList.toggle("out", all.length > 0 && all.every((sentence) => sentence.classList.contains("out")));
      });
      text.classList.toggle("skeleton", !whole);
      drawArcs();
    }

    /** Show only the part of the story in the view. */
    function limit() {
      const { from, to } = report.view;
      const { units: places } = report.data;
      const [start, stop] = [from ? places[from] : 0, to < places.length ? places[to] : Infinity];
      sentences.forEach((sentence, k) => sentence.classList.toggle("away", k < start || k >= stop));
      paragraphs.forEach(({ element, first, last }) => element.classList.toggle("away", last < start || first >= stop));
      drawArcs();
    }

    /** Highlight what depends on unit k; null shades by salience again. */
    function choose(k) {
      marked.forEach((unit) => {
        unit.classList.remove("chosen", "strong", "lit");
        unit.style.removeProperty("--loss");
        unit.setAttribute("aria-pressed", "false");
      });
      marked = [];
      const asking = k !== null && report.influence !== null;
      text.classList.toggle("asking", asking);
      if (k !== null && units[k]) {
        rove(k);
        marked.push(units[k]);
        units[k].classList.add("chosen");
        units[k].setAttribute("aria-pressed", "true");
      }
      if (asking) light(k);
      drawArcs();
    }

    function light(k) {
      const pairs = report.influence.of(k);
      const most = Math.max(report.influence.scale / 2, ...pairs.map(([, loss]) => loss));
      pairs.forEach(([later, loss]) => {
        if (loss <= 0 || !units[later]) return;
        units[later].style.setProperty("--loss", Math.round((100 * loss) / most) + "%");
        units[later].classList.toggle("lit", loss > 0.1 * most);
        marked.push(units[later]);
      });
      report.influence.arcs(k, STRONG).forEach(([later]) => units[later].classList.add("strong"));
    }

    function drawArcs() {
      arcs.replaceChildren();
      const k = report.chosen;
      if (k === null || !report.influence || !units[k] || !units[k].offsetParent) return;
      const origin = arcs.getBoundingClientRect();
      const width = origin.width - 4;
      const place = (unit) => {
        const box = unit.getClientRects()[0];
        return (box.top + box.bottom) / 2 - origin.top;
      };
      const from = place(units[k]);
      const found = report.influence.arcs(k, STRONG);
      const far = Math.max(1, ...found.map(([later]) => later - k));
      const most = Math.max(...found.map(([, loss]) => loss));
      found.forEach(([later, loss], number) => {
        if (!units[later].offsetParent) return;
        const to = place(units[later]);
        const bulge = width * (0.35 + 0.65 * Math.sqrt((later - k) / far));
        const line = document.createElementNS(SVG, "path");
        const edge = width + 2;
        const turn = Math.min(Math.abs(to - from) / 2, bulge, 26);
        const x = edge - bulge;
        line.setAttribute(
          "d",
          Math.abs(to - from) < 2
            ? `M${edge} ${from}h${-bulge}`
            : `M${edge} ${from}C${x} ${from} ${x} ${from} ${x} ${from + turn}V${to - turn}C${x} ${to} ${x} ${to} ${edge} ${to}`,
        );
        line.setAttribute("stroke-width", (0.8 + (2.4 * loss) / most).toFixed(2));
        line.setAttribute("opacity", (0.95 - 0.09 * number).toFixed(2));
        const end = document.createElementNS(SVG, "circle");
        end.setAttribute("cx", edge);
        end.setAttribute("cy", to);
        end.setAttribute("r", 2.5);
        arcs.append(line, end);
      });
      const source = document.createElementNS(SVG, "circle");
      source.setAttribute("class", "source");
      source.setAttribute("cx", width + 2);
      source.setAttribute("cy", from);
      source.setAttribute("r", 3.5);
      arcs.append(source);
    }

    /** The first and last visible sentence, by bisection: measuring a long story takes long. */
    function inSight(top, bottom) {
      const hiding = hides();
      const shown = sentences.filter((sentence) => !sentence.classList.contains("away") && !(hiding && sentence.classList.contains("out")));
      const first = bisect(shown, (sentence) => sentence.getBoundingClientRect().bottom > top);
      const last = bisect(shown, (sentence) => sentence.getBoundingClientRect().top > bottom) - 1;
      if (first > last || !shown[first]) return null;
      return [Number(shown[first].dataset.sentence), Number(shown[last].dataset.sentence)];
    }

    function hides() {
      return text.classList.contains("skeleton") && text.classList.contains("hide");
    }

    function bisect(items, test) {
      let low = 0;
      let high = items.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (test(items[middle])) high = middle;
        else low = middle + 1;
      }
      return low;
    }

    function words(sentence) {
      return sentences[sentence] ? sentences[sentence].textContent : "";
    }

    function fade(on) {
      text.classList.toggle("hide", !on);
      drawArcs();
    }

    return { keep, limit, choose, drawArcs, inSight, words, fade, focus, reveal };
  }

  return { mount };
})();
