// A table that follows what is new. While somebody is in it, it stays as it is; how many rows are new
// is said beside it, once for each that comes.
"use strict";

document.addEventListener("htmx:before:swap", (event) => {
  const table = event.target.closest("[data-live]");
  if (!table) return;
  const newest = event.detail.tasks[0]?.fragment.querySelector("[data-news]");
  const status = document.getElementById("news");
  if (newest && newest.value !== status.dataset.told) {
    status.dataset.told = newest.value;
    status.textContent = newest.dataset.news;
  }
  if (table.contains(document.activeElement)) event.preventDefault();
});
