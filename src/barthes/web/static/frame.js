/* The report in its frame, updated as scores arrive. It is the page that can be downloaded; its own script
   (barthesReport.update) draws it. */

const PAUSE = 400; // minimum ms between updates

export class ReportFrame {
  constructor(frame, address, onError) {
    this.frame = frame;
    this.address = address;
    this.scores = new Map();
    this.losses = new Map();
    this.scale = null;
    this.isOpen = false;
    this.isReady = false;
    this.timer = null;
    frame.addEventListener("load", () => {
      this.isReady = this.isOpen && Boolean(this.report);
      if (this.isReady && this.scores.size) this.draw();
      if (this.isOpen && !this.isReady && !this.isBlank) {
        this.close();
        onError();
      }
    });
  }

  get report() {
    try {
      return this.frame.contentWindow.barthesReport;
    } catch {
      return undefined; // the browser shows its own error page
    }
  }

  /** Whether the frame is empty: not opened yet, or closed. */
  get isBlank() {
    try {
      return this.frame.contentWindow.location.href === "about:blank";
    } catch {
      return false;
    }
  }

  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.frame.hidden = false;
    this.frame.src = this.address;
  }

  /** Add scores; the server computes the scale from all scores so far. */
  add(scored, scale) {
    for (const each of scored) {
      this.scores.set(each.index, each.salience);
      this.losses.set(each.index, each.losses);
    }
    if (scale) this.scale = scale;
    if (scored.length && this.isReady && this.timer === null) this.timer = setTimeout(() => this.draw(), PAUSE);
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = null;
    const report = this.report;
    if (!report || !this.scale) return;
    const began = performance.now();
    const all = Array.from({ length: report.data.scores.length }, (_, k) => k);
    const scores = all.map((k) => this.scores.get(k) ?? null);
    const changes = { scores, ranks: rank(scores, report.data.unranked), scale: this.scale };
    if (report.data.influence) {
      changes.influence = { columns: all.map((k) => this.losses.get(k) ?? []), pairs: null, kept: null };
    }
    report.update(changes);
    // Long stories take long to draw: wait longer between updates.
    const pause = Math.max(PAUSE, 8 * (performance.now() - began));
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.scores.size > scores.filter((score) => score !== null).length) this.draw();
    }, pause);
  }

  /** Show the final result; the reader's position and selection stay. */
  async finish(getData) {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.isOpen) {
      this.open();
      return;
    }
    if (!this.isReady) await new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
    if (!this.isReady) return; // closed meanwhile, or not available
    clearTimeout(this.timer);
    this.timer = null;
    this.report.update(await getData());
    // Parsed in the frame, whose policy allows the report's styles; parsed scripts do not run.
    const parser = new this.frame.contentWindow.DOMParser();
    const page = parser.parseFromString(await (await fetch(this.address)).text(), "text/html");
    for (const part of [".header", ".settings", "[data-part=footnotes]"]) {
      const [old, fresh] = [this.frame.contentDocument.querySelector(part), page.querySelector(part)];
      if (old && fresh) old.replaceWith(fresh);
    }
  }

  close() {
    clearTimeout(this.timer);
    this.frame.hidden = true;
    this.frame.removeAttribute("src");
    this.isOpen = this.isReady = false;
    this.scores.clear();
    this.losses.clear();
  }
}

function rank(scores, unranked) {
  const order = scores.map((_, k) => k).filter((k) => scores[k] !== null && !(k in unranked));
  order.sort((a, b) => scores[b] - scores[a] || a - b);
  const ranks = scores.map(() => null);
  order.forEach((k, place) => {
    ranks[k] = place + 1;
  });
  return ranks;
}
