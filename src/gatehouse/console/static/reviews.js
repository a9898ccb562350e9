// The keyboard of the review queue. Every key presses a button or a link that is on the page.
"use strict";

// Chooses every row of the page.
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-choose-page]")) return;
  for (const box of document.querySelectorAll("[name=id][form=bulk]")) box.checked = event.target.checked;
});

const moveRow = (step) => {
  const links = [...document.querySelectorAll("[data-row] a")];
  if (!links.length) return;
  const here = links.indexOf(document.activeElement);
  const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step;
  links[Math.max(0, Math.min(links.length - 1, next))].focus();
};

// A decision needs its reason first: the key then leads to the reason, and Enter decides as the key
// said. Without a key before it, Enter decides nothing.
let wanted = null;
const hasReason = (form) => form.elements.why.value.trim() || form.elements.offered.value;
const decide = (button) => {
  const form = button.form;
  if (hasReason(form)) { form.requestSubmit(button); return; }
  wanted = button;
  const hint = form.querySelector("[data-approve]");
  hint.textContent = hint.dataset[button.value];
  form.elements.offered.focus();
};
const decideByEnter = (event) => {
  const form = event.target.form;
  if (!form?.elements.verdict || event.key !== "Enter") return;
  event.preventDefault();
  if (wanted?.form === form && hasReason(form)) form.requestSubmit(wanted);
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (lettersOff() || keyboard.open) return;
  if (typing(event.target)) {
    if (event.key === "Escape") { wanted = null; event.target.blur(); }
    decideByEnter(event);
    return;
  }
  // A number chooses a reason, so that two keys decide.
  const offered = document.getElementById("offered");
  if (offered && /^[1-9]$/.test(event.key) && offered.options[event.key]) {
    event.preventDefault();
    offered.selectedIndex = event.key;
    return;
  }
  if (event.key === "x") {
    document.activeElement.closest("[data-row]")?.querySelector("[name=id]")?.click();
    return;
  }
  if (event.key === "j" || event.key === "k") { moveRow(event.key === "j" ? 1 : -1); return; }
  if (event.key === "m") {
    const note = document.getElementById("note");
    if (note) { event.preventDefault(); note.focus(); }
    return;
  }
  const pressed = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!pressed) return;
  event.preventDefault();
  if (pressed.name === "verdict") decide(pressed); else pressed.click();
  // What asks first is answered with Enter.
  if (pressed.matches("details[open] > summary")) pressed.parentElement.querySelector("button").focus();
});
