"use strict";
/* The ranked list of the part of the story that is shown (`zoom.js`): a click on a row selects its sentence; only the
   first rows are shown at first. */
Barthes.ranking = (function () {
  const FIRST = 20;

  function mount(root, report) {
    const body = root.querySelector("[data-part=ranking] tbody");
    const more = root.querySelector("[data-part=more]");
    const heading = body.closest("section").querySelector("h2");
    const rows = [];
    let all = false;
    [...body.rows].forEach((row) => {
      rows[Number(row.dataset.unit)] = row;
      row.tabIndex = 0;
    });

    function visit(event) {
      const row = event.target.closest("tr[data-unit]");
      if (row && !String(getSelection()).length) report.visit(Number(row.dataset.unit));
    }
    body.addEventListener("click", visit);
    body.addEventListener("keydown", (event) => {
      if (event.key === "Enter") visit(event);
    });
    const buttons = [...body.closest("table").querySelectorAll("[data-sort]")];
    buttons.forEach((button) => button.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      body.append(...[...body.rows].sort((a, b) => a.dataset[button.dataset.sort] - b.dataset[button.dataset.sort]));
      show();
    }));
    more.addEventListener("click", () => {
      all = true;
      show();
    });

    function show() {
      const { from, to } = report.view;
      let count = 0;
      [...body.rows].forEach((row) => {
        const k = Number(row.dataset.unit);
        row.hidden = k < from || k >= to;
        row.classList.toggle("rest", !row.hidden && !all && count >= FIRST);
        if (!row.hidden) count += 1;
      });
      const part = `: ${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${report.data.unit}s`;
      heading.textContent = `${report.isRanked ? "Ranked by salience" : "Salience"}${count < rows.length ? part : ""}`;
      more.hidden = all || count <= FIRST;
      more.textContent = `Show all ${count.toLocaleString("en")}`;
    }

    function choose(k) {
      rows.forEach((row, place) => row.classList.toggle("chosen", place === k));
    }

    return { show, choose };
  }

  return { mount };
})();
