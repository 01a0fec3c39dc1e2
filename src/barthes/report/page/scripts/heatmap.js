"use strict";
/* The influence matrix of the view (`zoom.js`). A story read at once is a triangle: removed sentences from left to
   right, later ones from top to bottom. For one read in windows only a narrow band is known; its rows are distances. */
Barthes.heatmap = (function () {
  const MOST = 1000; // cells per side; in longer stories a cell shows the strongest effect of a block
  const NUMBERED = 24; // items that each get a number at the axes
  const FEW = 12; // items that a triangle shows well, however little of it is known

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function mount(root, report) {
    const section = root.querySelector("[data-part=influence]");
    const holder = root.querySelector("[data-part=heatmap]");
    const lead = root.querySelector("[data-part=influence-lead]");
    const heading = section.querySelector("h2");
    const canvas = element("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "heat map");
    const cell = element("div", "mark");
    const column = element("div", "mark column");
    const caption = element("div", "says");
    caption.setAttribute("aria-live", "polite");
    let shape = null;
    let at = null;

    /** Return the numbers of cells and of sentences per cell, and whether to draw a band. */
    function measure(influence) {
      const band = influence.count > FEW && influence.reach < influence.count / 3;
      const rows = band ? influence.reach : influence.count;
      const block = Math.ceil(influence.count / MOST);
      const blockDown = band ? Math.ceil(rows / MOST) : block;
      return { band, block, blockDown, across: Math.ceil(influence.count / block), down: Math.ceil(rows / blockDown) };
    }

    function draw() {
      const influence = report.view.influence;
      section.hidden = !influence || influence.reach === 0;
      if (section.hidden) return;
      shape = measure(influence);
      holder.classList.toggle("band", shape.band);
      holder.classList.toggle("few", influence.count <= FEW);
      lead.textContent = describe(influence);
      heading.textContent = `Dependencies between ${report.view.span}s`;
      canvas.setAttribute("aria-label", `Influence matrix. Use the arrow keys to move between cells and Enter to select the removed ${report.view.span}.`);
      at = null;
      build(influence);
      paint(influence);
      choose(report.chosen);
    }

    function describe(influence) {
      const { span, single } = report.view;
      if (!single) {
        const one = report.data.span;
        const place = shape.band ? `Each column is ${span === "event" ? "an" : "a"} ${span}; the rows above it are the ${span}s that follow` : `Each column is a ${span}, each row a later ${span}`;
        return `${place}. Blue: its ${one}s become less likely, on average, when a ${one} of the earlier ${span} is removed, in nats per token. Red: more likely. Click to open the earlier ${span}.`;
      }
      const rows = shape.band
        ? `Each column is a removed ${span}; the rows above it are the ${span}s that follow`
        : `Each column is a removed ${span}, each row a later ${span}`;
      const only = influence.kept ? ` Only the ${influence.kept} strongest effects of each ${span} are shown.` : "";
      return `${rows}. Blue: the later ${span} becomes less likely, in nats per token. Red: it becomes more likely.${only}`;
    }

    function build(influence) {
      const frame = element("div", "frame");
      const numbered = !shape.band && influence.count <= NUMBERED;
      const first = element("span", `label y${numbered ? " every" : ""}`, shape.band ? String(influence.reach) : numbered ? undefined : String(report.view.first + 1));
      const down = element("span", "label y name", shape.band ? `${report.view.span}s ahead` : `later ${report.view.span}`);
      frame.append(canvas, column, cell, first, down);
      const key = element("div", "key");
      const most = report.format(influence.scale, false);
      key.append("−" + most, element("i", "gains"), "0", element("i"), most);
      const across = element("div", `label x${numbered ? " every" : ""}`);
      const edge = (number) => element("span", "", (report.view.first + number).toLocaleString("en"));
      if (numbered) {
        const numbers = Array.from({ length: influence.count }, (_, i) => edge(i + 1));
        across.append(...numbers);
        first.append(...numbers.map((number) => number.cloneNode(true)));
        const below = element("div", "label x name", `${report.view.single ? "removed" : "earlier"} ${report.view.span}`);
        holder.replaceChildren(key, frame, across, below, caption);
        return;
      }
      across.append(edge(1), element("span", "", `${report.view.single ? "removed" : "earlier"} ${report.view.span}`), edge(influence.count));
      holder.replaceChildren(key, frame, across, caption);
    }

    function paint(influence) {
      const { across, down, band, block, blockDown } = shape;
      const strongest = new Float32Array(across * down);
      for (let j = 0; j < influence.count; j += 1) {
        influence.of(j).forEach(([later, loss]) => {
          const row = band ? down - 1 - Math.floor((later - j - 1) / blockDown) : Math.floor(later / blockDown);
          const place = row * across + Math.floor(j / block);
          if (Math.abs(loss) > Math.abs(strongest[place])) strongest[place] = loss;
        });
      }
      canvas.width = across;
      canvas.height = down;
      canvas.style.aspectRatio = band ? "auto" : "1";
      canvas.style.height = band ? Math.min(360, Math.max(120, down * 5)) + "px" : "auto";
      const context = canvas.getContext("2d");
      const image = context.createImageData(across, down);
      const ramps = [Barthes.colours.ramp("--loses-line"), Barthes.colours.ramp("--gains")];
      strongest.forEach((loss, place) => {
        if (!loss) return;
        const shade = Math.min(255, Math.round((255 * Math.abs(loss)) / (influence.scale || 1)));
        const [r, g, b] = ramps[loss < 0 ? 1 : 0][shade];
        image.data.set([r, g, b, 255], 4 * place);
      });
      context.putImageData(image, 0, 0);
    }

    function box(mark, j, row, width, height) {
      mark.style.left = (100 * j) / shape.across + "%";
      mark.style.top = (100 * row) / shape.down + "%";
      mark.style.width = (100 * width) / shape.across + "%";
      mark.style.height = (100 * height) / shape.down + "%";
    }

    function choose(k) {
      k = report.view.find(k);
      column.hidden = k === null || !shape;
      cell.hidden = true;
      if (column.hidden) return;
      box(column, Math.floor(k / shape.block), 0, 1, shape.down);
    }

    /** Return the removed sentence, the later one and the loss with the strongest effect in a cell. */
    function find(x, row) {
      const { band, block, blockDown, down } = shape;
      let best = null;
      const { influence } = report.view;
      for (let j = x * block; j < Math.min((x + 1) * block, influence.count); j += 1) {
        const far = band ? (down - 1 - row) * blockDown + 1 + j : row * blockDown;
        influence.of(j).forEach(([later, loss]) => {
          if (later < far || later >= far + blockDown) return;
          if (!best || Math.abs(loss) > Math.abs(best[2])) best = [j, later, loss];
        });
      }
      return best;
    }

    function show(x, row) {
      at = [x, row];
      const found = find(x, row);
      cell.hidden = false;
      box(cell, x, row, 1, 1);
      if (!found) {
        caption.replaceChildren(element("p", "", "No data."));
        return null;
      }
      const [j, later, loss] = found;
      const verb = loss < 0 ? "gains" : "loses";
      const { view } = report;
      const [one, other] = [view.first + j + 1, view.first + later + 1];
      const without = view.single ? `Without ${one}` : `Without a ${report.data.span} of ${one}, each ${report.data.span} of`;
      caption.replaceChildren(
        element("p", "", `${without}${view.single ? "," : ""} ${view.span} ${other} ${verb} ${report.format(Math.abs(loss), false)}${view.single ? "" : " on average"}.`),
        element("p", "", view.single ? `${one}. ${view.excerpt(j, 140)}` : `${view.name(j)}. ${view.excerpt(j, 100)}`),
        element("p", "", view.single ? `${other}. ${view.excerpt(later, 140)}` : `${view.name(later)}. ${view.excerpt(later, 100)}`),
      );
      return found;
    }

    function select(i) {
      if (report.view.single) report.choose(report.view.unitOf(i));
      else report.enter(i);
    }

    function under(event) {
      const frame = canvas.getBoundingClientRect();
      const clamp = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
      return [clamp((event.clientX - frame.left) / frame.width, shape.across), clamp((event.clientY - frame.top) / frame.height, shape.down)];
    }

    canvas.addEventListener("pointermove", (event) => show(...under(event)));
    canvas.addEventListener("click", (event) => {
      const found = show(...under(event));
      if (found) select(found[0]);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own keys
      const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
      if (event.key === "Enter" && at) {
        const found = show(...at);
        if (found) select(found[0]);
      } else if (step) {
        event.preventDefault();
        const [x, row] = at || [0, shape.band ? shape.down : 0];
        show(Math.min(Math.max(x + step[0], 0), shape.across - 1), Math.min(Math.max(row + step[1], 0), shape.down - 1));
      }
    });
    return { draw, choose };
  }

  return { mount };
})();
