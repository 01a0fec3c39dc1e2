/* A delete button that asks for a second click. */

const TIMEOUT = 8000; // ms

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
    if (event.detail > 1) return; // a double click counts as one click
    if (timer === null) {
      button.classList.add("danger");
      button.textContent = "Really delete";
      timer = setTimeout(reset, TIMEOUT);
      return;
    }
    reset();
    act();
  });
}
