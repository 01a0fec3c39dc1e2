/* The report in its frame: the page that can be downloaded. */

export class ReportFrame {
  constructor(frame, address, { onError, onChoose }) {
    this.frame = frame;
    this.address = address;
    this.version = null; // of the report that is open
    frame.addEventListener("load", () => {
      if (this.version === null || this.isBlank) return;
      if (this.report) {
        for (const kind of ["click", "keyup"]) frame.contentWindow.addEventListener(kind, () => setTimeout(onChoose));
        onChoose();
        return;
      }
      this.close();
      onError();
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

  /** Show a version of the report; it is loaded again if the last one was another. */
  open(version) {
    this.frame.hidden = false;
    if (this.version === version) return;
    this.version = version;
    this.frame.src = `${this.address}?${new URLSearchParams({ version })}`;
  }

  close() {
    this.frame.hidden = true;
    this.frame.removeAttribute("src");
    this.version = null;
  }
}
