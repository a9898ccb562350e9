// Small conveniences on every page; everything works without them.
"use strict";

// Buttons that copy a text.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const label = button.querySelector("span");
  if (!label) return;
  const before = label.textContent;
  label.textContent = button.dataset.copied;
  setTimeout(() => { label.textContent = before; }, 1500);
});

// Menus close when something else is clicked, and with Escape.
const menus = "details.person[open], details.menu[open], details.confirm[open]";
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(menus)) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll(menus)) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// ? shows the keys of the page. Single letters can be turned off, for people who press them by
// speech or by accident.
const keyboard = document.getElementById("keyboard");
const typing = (target) => target.closest(
  "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable], .editor-host");
const lettersOff = () => localStorage.getItem("gatehouse-keys") === "off";
const showLetters = () => {
  keyboard.querySelector("[data-letters]").checked = !lettersOff();
  document.querySelector(".shortcuts")?.toggleAttribute("data-off", lettersOff());
};
if (keyboard) {
  showLetters();
  keyboard.addEventListener("change", (event) => {
    localStorage.setItem("gatehouse-keys", event.target.checked ? "on" : "off");
    showLetters();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-show-keys]")) keyboard.showModal();
    if (event.target.closest("[data-close-keys]")) keyboard.close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || lettersOff() || typing(event.target)) return;
    event.preventDefault();
    if (keyboard.open) keyboard.close(); else keyboard.showModal();
  });
}

// Ctrl+K opens the one box; arrows go through what it suggests.
const finder = document.getElementById("finder");
if (finder) {
  const open = (event) => {
    event.preventDefault();
    if (!finder.open) finder.showModal();
    finder.querySelector("[name=value]").select();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) open(event);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-find]") && !event.ctrlKey && !event.metaKey) open(event);
    if (event.target === finder) finder.close();
  });
  finder.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const places = [finder.querySelector("[name=value]"), ...finder.querySelectorAll("#found button")];
    const next = places.indexOf(document.activeElement) + step;
    places[(next + places.length) % places.length].focus();
  });
}

// Ctrl+Enter presses the main button of a form. One whose first button is disabled wants no key.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const form = event.target.closest("form");
  const first = form?.querySelector("button:not([type=button])");
  if (!first || first.disabled) return;
  event.preventDefault();
  form.requestSubmit(form.querySelector("button.primary:not([type=button])") ?? first);
});

// A form is sent once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "yes";
  setTimeout(() => { delete form.dataset.sent; }, 3000);
});

// After a form was refused, what is wrong with it is in view, once the page has its final height.
addEventListener("load", () => {
  const wrong = document.querySelector('main [aria-invalid="true"]')
    ?? document.querySelector('main .problem[role="alert"]');
  wrong?.scrollIntoView({ block: "center" });
  wrong?.focus();
});

// A table that fits into its place leaves scrolling to the page, so that its head stays in the window.
const content = document.getElementById("content");
if (content) {
  new ResizeObserver(() => {
    for (const wrap of content.querySelectorAll(".table-wrap")) {
      wrap.classList.toggle("fits", wrap.firstElementChild.offsetWidth <= wrap.clientWidth);
    }
  }).observe(content);
}
