/* A button that wants to be pressed twice: what is deleted is gone. */

const PATIENCE = 8000; // ms

export function twice(button, act) {
  const words = button.textContent;
  let timer = null;

  function reset() {
    clearTimeout(timer);
    timer = null;
    button.classList.remove("danger");
    button.textContent = words;
  }

  button.addEventListener("click", (event) => {
    if (event.detail > 1) return; // a double click is one intention
    if (timer === null) {
      button.classList.add("danger");
      button.textContent = "Really delete";
      timer = setTimeout(reset, PATIENCE);
      return;
    }
    reset();
    act();
  });
}
