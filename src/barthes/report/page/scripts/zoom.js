"use strict";
/* Zoom: the part of the story that is shown (a chapter, a scene or all of it), and what the bars of the curve and
   the cells of the matrix stand for: chapters, scenes or single units. In a story without parts there is one view.

   report.view = {level, single, unit, from, to,     units from:to; `single`: items are units, not groups
     first, count,                                   the items first:first + count of their level
     scores, curves: {surprise},                     of each item; means over the units of a group
     influence,                                      between the items, or null
     find(k), name(i), excerpt(i, length), unitOf(i)} */
Barthes.zoom = (function () {
  const MANY = 300; // more units than this are first shown by chapter or scene

  function mount(root, report) {
    const bar = root.querySelector("[data-part=zoom]");
    const count = report.data.scores.length;
    const levels = [...(report.data.groups || []), { unit: report.data.unit, starts: report.data.scores.map((_, k) => k) }];
    const finest = levels.length - 1;
    const path = levels.slice(0, finest).map(() => null); // the chosen part of each level, or null for all
    let level = count > MANY ? 0 : finest;

    /** Return the items of a level that are in the part shown, as [first, stop] among all items of that level. */
    function within(place, [from, to]) {
      const { starts } = levels[place];
      const first = starts.findLastIndex((start) => start <= from);
      const stop = starts.findIndex((start) => start >= to);
      return [Math.max(first, 0), stop < 0 ? starts.length : stop];
    }

    function range(place, index) {
      const { starts } = levels[place];
      return [starts[index], starts[index + 1] ?? count];
    }

    function shown() {
      return path.reduce(
        ([from, to], index, place) => {
          if (index === null) return [from, to];
          const [start, stop] = range(place, index);
          return [Math.max(from, start), Math.min(to, stop)];
        },
        [0, count],
      );
    }

    function look() {
      const [from, to] = shown();
      const [first, stop] = within(level, [from, to]);
      const single = level === finest;
      const spans = Array.from({ length: stop - first }, (_, i) => {
        const [start, end] = range(level, first + i);
        return [Math.max(start, from), Math.min(end, to)];
      });
      const { scores, surprise } = report.data;
      const gather = (values) => values && (single ? values.slice(from, to) : spans.map((span) => average(values, span)));
      const influence = single ? report.influence : Barthes.influence.open(report.data.groups[level].influence);
      const find = (k) => (k === null || k < from || k >= to ? null : spans.findLastIndex(([start]) => start <= k));
      report.view = {
        level,
        single,
        unit: levels[level].unit,
        span: single ? report.data.span : levels[level].unit,
        from,
        to,
        first,
        count: spans.length,
        scores: gather(scores),
        curves: { surprise: gather(surprise) },
        influence: influence && Barthes.influence.slice(influence, first, stop),
        find: single ? (k) => (k === null || k < from || k >= to ? null : k - from) : find,
        name: (i) => (single ? report.name(from + i) : name(level, first + i)),
        excerpt: (i, length) => report.excerpt(spans[i][0], length),
        unitOf: (i) => spans[i][0],
      };
    }

    function average(values, [from, to]) {
      let [sum, known] = [0, 0];
      for (let k = from; k < to; k += 1) {
        if (values[k] === null || report.isUnranked(k)) continue;
        sum += values[k];
        known += 1;
      }
      return known ? sum / known : null;
    }

    function name(place, index) {
      const { unit, names } = levels[place];
      const number = `${report.capital(unit)} ${(index + 1).toLocaleString("en")}`;
      return names?.[index] ? `${number}: ${names[index]}` : number;
    }

    /** Show an item of the view by itself, in the next shorter units that it has several of. */
    function enter(i) {
      choose(level, report.view.first + i);
    }

    function choose(place, index) {
      path.fill(null, index === null ? place : place + 1);
      path[place] = index;
      level = index === null ? place : place + 1;
      while (level < finest && countItems(level) < 2) level += 1;
      change();
    }

    function countItems(place) {
      const [first, stop] = within(place, shown());
      return stop - first;
    }

    function show(kept) {
      level = kept;
      change();
    }

    /** Show the whole story if unit k is not in the part shown. */
    function include(k) {
      const [from, to] = shown();
      if (k >= from && k < to) return;
      path.fill(null);
      change();
    }

    function change() {
      look();
      draw();
      report.changeView();
    }

    function list(label, options, chosen, act) {
      const select = document.createElement("select");
      select.setAttribute("aria-label", label);
      options.forEach(([value, text]) => select.add(new Option(text, value, false, value === chosen)));
      select.addEventListener("change", () => {
        act(select.value === "" ? null : Number(select.value));
        bar.querySelector(`[aria-label="${label}"]`)?.focus();
      });
      return select;
    }

    function draw() {
      if (!bar || finest === 0) return;
      bar.hidden = false;
      const parts = path.map((index, place) => {
        const { unit } = levels[place];
        const held = path.slice();
        path.fill(null, place); // all parts of the longer one that is chosen
        const [first, stop] = within(place, shown());
        path.splice(0, path.length, ...held);
        const options = Array.from({ length: stop - first }, (_, i) => [first + i, name(place, first + i)]);
        const select = list(`Part: ${unit}`, [["", `All ${unit}s`], ...options], index ?? "", (value) => choose(place, value));
        select.title = levels[place].note || "";
        return select;
      });
      const offered = levels.map((each, place) => [place, `${each.unit}s`]).filter(([place]) => place === finest || (path[place] === null && countItems(place) > 1));
      const by = document.createElement("label");
      by.append("shown by ", list("Shown by", offered, level, show));
      bar.replaceChildren(...parts, by);
    }

    report.view = null;
    return { look, draw, enter, include };
  }

  return { mount };
})();
