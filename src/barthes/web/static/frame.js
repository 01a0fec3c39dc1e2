/* The report in its frame: the page that can be downloaded, opened once the story is scored. */

export class ReportFrame {
  constructor(frame, address, onError) {
    this.frame = frame;
    this.address = address;
    this.isOpen = false;
    frame.addEventListener("load", () => {
      if (!this.isOpen || this.isBlank || this.report) return;
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

  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.frame.hidden = false;
    this.frame.src = this.address;
  }

  close() {
    this.frame.hidden = true;
    this.frame.removeAttribute("src");
    this.isOpen = false;
  }
}
