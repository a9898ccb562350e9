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
