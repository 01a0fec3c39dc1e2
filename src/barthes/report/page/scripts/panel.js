"use strict";
/* The panel beside the story: the most salient sentences or, once one is selected, its dependencies. */
Barthes.panel = (function () {
  const MOST = 6;

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function mount(root, report) {
    const panel = root.querySelector("[data-part=panel]");
    panel.hidden = false;
    panel.style.setProperty("--number", report.data.scores.length < 1000 ? "1.75rem" : "2.75rem");
    const spoken = element("div", "visually-hidden");
    spoken.setAttribute("aria-live", "polite");
    panel.after(spoken);

    function list(heading, pairs, most, className) {
      const items = element("ol", className);
      pairs.forEach(([k, value]) => {
        const button = element("button");
        button.type = "button";
        const meter = element("span", "meter");
        meter.style.setProperty("--share", (className ? report.level(k, most) : Math.round((100 * value) / most)) + "%");
        const uncertain = className && report.isUncertain(k);
        const shown = element("span", "value", report.format(value) + (uncertain ? " ?" : ""));
        if (uncertain) shown.title = report.data.stability.legend;
        button.append(element("span", "no", (k + 1).toLocaleString("en")), element("span", "words", report.excerpt(k, 160)), shown, meter);
        button.addEventListener("click", () => report.visit(k));
        const item = element("li");
        item.append(button);
        items.append(item);
      });
      return [element("h2", "", heading), items];
    }

    function idle() {
      panel.classList.add("idle");
      const { from, to } = report.view;
      const ranked = report.ranked();
      const best = ranked.filter((k) => k >= from && k < to).slice(0, MOST);
      const hint = element("p", "hint");
      const shows = report.influence ? `see which ${report.data.span}s depend on it` : "see its salience";
      hint.append(`Select ${report.data.unit === "event" ? "an" : "a"} ${report.data.unit} to ${shows}: click it, or press `, element("kbd", "", "Tab"), " and the ", element("kbd", "", "arrow keys"), "; ", element("kbd", "", "Esc"), " clears the selection.");
      const pairs = best.map((k) => [k, report.data.scores[k]]);
      panel.replaceChildren(hint, ...(pairs.length ? list(`Most salient ${report.data.unit}s`, pairs, report.data.scores[ranked[0]], "salient") : []));
      spoken.textContent = "";
    }

    function figure(value, name) {
      const made = element("div");
      made.append(element("b", "", value), element("span", "", name));
      return made;
    }

    function choose(k) {
      if (k === null) {
        idle();
        return;
      }
      panel.classList.remove("idle");
      const close = element("button", "close", "Close");
      close.type = "button";
      close.addEventListener("click", () => report.choose(null));
      const figures = element("div", "figure");
      const { scores, ranks, measure, unranked } = report.data;
      figures.append(figure(report.format(scores[k]), measure || "salience"));
      if (ranks[k] !== null || unranked[k]) figures.append(figure(ranks[k] === null ? "–" : ranks[k].toLocaleString("en"), unranked[k] ? "not ranked" : `rank of ${report.countRanked().toLocaleString("en")}`));
      if (report.surprise(k)) figures.append(figure(report.surprise(k), "surprise"));
      const parts = [close, element("h2", "", report.name(k)), figures, quote(k)];
      if (report.data.passages?.[k]) parts.push(element("p", "hint", report.data.passages[k]));
      const forReaders = report.data.importance?.[k];
      if (forReaders) figures.append(figure(forReaders.toLocaleString("en"), "rank for readers"));
      if (report.data.stability && !unranked[k]) parts.push(element("p", "hint", certainty(k)));
      if (unranked[k]) parts.push(element("p", "hint", `Not ranked: ${unranked[k]}.`));
      let loses = [];
      if (report.influence) {
        loses = Barthes.influence.strongest(report.influence.of(k), MOST);
        const rests = Barthes.influence.strongest(report.influence.on(k), 3);
        if (loses.length) parts.push(...list(`${report.capital(report.data.span)}s that depend on it most`, loses, loses[0][1]));
        else parts.push(element("p", "hint", `No later ${report.data.span} depends on it.`));
        if (report.influence.arcs(k, 1).length) parts.push(element("p", "hint", `Arcs lead to ${report.data.span}s that lose more than is usual at their distance. They mostly show nearness, not causes.`));
        if (rests.length) parts.push(...list("It depends most on", rests, Math.max(rests[0][1], loses.length ? loses[0][1] : 0)));
      } else {
        parts.push(element("p", "hint", report.data.unit === "event" ? "Dependencies are computed for sentences, not for events." : "This method does not compute dependencies; sd, preview, va, paa and sums with them do."));
      }
      panel.replaceChildren(...parts);
      panel.scrollTop = 0;
      const names = loses.slice(0, 3).map(([later]) => later + 1).join(", ");
      const rank = ranks[k] === null ? "not ranked" : `rank ${ranks[k]} of ${report.countRanked()}`;
      spoken.textContent = `${report.name(k)}, ${rank}.` + (names ? ` ${report.capital(report.data.span)}s ${names} depend on it most.` : "");
    }

    /** The interval of the score and the share of bootstrap samples in which it is in the top tenth. */
    function certainty(k) {
      const { low, high, share } = report.data.stability;
      if (low[k] === null) return "Too little follows for an interval.";
      const doubt = report.isUncertain(k) ? ": it may not belong there" : "";
      return `90 % interval: ${report.format(low[k])} to ${report.format(high[k])}. In the top 10 % in ${Math.round(100 * share[k])} % of bootstrap samples${doubt}.`;
    }

    function quote(k) {
      const words = element("blockquote", "", report.excerpt(k, 260));
      words.dir = "auto";
      return words;
    }

    return { choose };
  }

  return { mount };
})();
