// The editor of rules and pipelines: checks a draft as it is typed, and shows what it would do.
// Without scripts the text area and the buttons do the same.
"use strict";

(() => {
  const form = document.querySelector("form[data-draft]");
  if (!form) return;
  const area = form.elements.document;
  const shown = document.getElementById("draft");
  let editor = null;
  let asked = null;
  let timer = 0;

  const flaws = () =>
    [...shown.querySelectorAll("[data-line]")].map((each) => ({
      line: Number(each.dataset.line),
      column: Number(each.dataset.column),
      message: each.dataset.message,
    }));

  const check = async () => {
    clearTimeout(timer);
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    shown.setAttribute("aria-busy", "true");
    if (!shown.childElementCount) shown.textContent = shown.dataset.waiting;
    try {
      const answer = await fetch(form.dataset.draft, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { "HX-Request": "true" },
        signal: mine.signal,
      });
      const moved = answer.headers.get("HX-Redirect");
      if (moved) { location.assign(moved); return; }
      // Another window of the same person asked meanwhile, or an earlier question overtook this one.
      if (answer.status === 204) { if (!mine.signal.aborted) soon(); return; }
      if (!answer.ok) throw new Error(String(answer.status));
      // The server makes this part of the page and escapes everything in it.
      const found = await answer.text();
      if (mine.signal.aborted) return;
      shown.innerHTML = found;
      editor?.setFlaws(flaws());
    } catch {
      if (mine.signal.aborted) return;
      shown.textContent = shown.dataset.failed;
    }
    shown.removeAttribute("aria-busy");
  };

  const soon = () => {
    clearTimeout(timer);
    // Its answer would be about an older text.
    asked?.abort();
    shown.setAttribute("aria-busy", "true");
    timer = setTimeout(check, 350);
  };

  if (window.GatehouseEditor) {
    editor = window.GatehouseEditor.open({
      area,
      label: document.getElementById("document-label").textContent,
      language: form.dataset.language,
      words: fetch(form.dataset.words).then((answer) => answer.json()),
      changed: soon,
      save: () => form.requestSubmit(form.querySelector("button.primary")),
    });
    editor.setFlaws(flaws());
  }
  area.addEventListener("input", soon);
  form.elements.days?.addEventListener("change", check);
  for (const each of form.querySelectorAll("[data-tries]")) {
    each.addEventListener(each.type === "textarea" ? "input" : "change", soon);
    if (each.type === "radio") {
      each.addEventListener("change", () => {
        form.querySelector(".written").open = form.elements.mode.value === "written";
      });
    }
  }
  form.addEventListener("submit", (event) => {
    const goes = event.submitter?.getAttribute("formaction");
    if (goes) return;
    event.preventDefault();
    delete form.dataset.sent;
    check();
  });
  shown.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link) return;
    event.preventDefault();
    const line = Number(link.dataset.go);
    if (editor) { editor.goTo(line); return; }
    const before = area.value.split("\n").slice(0, line - 1).join("\n").length;
    area.focus();
    area.setSelectionRange(before, before);
  });
  // A draft that was not applied is not lost by a slip.
  const first = area.value;
  let leaves = false;
  form.addEventListener("submit", (event) => { if (!event.defaultPrevented) leaves = true; });
  window.addEventListener("beforeunload", (event) => {
    if (!leaves && area.value !== first) event.preventDefault();
  });
  if (!shown.querySelector("[data-line], table")) check();
})();

// Conditions that are clicked together: only comparisons that fit the signal are offered.
(() => {
  const form = document.querySelector("form[data-build]");
  if (!form) return;
  const without = form.dataset.without.split(" ");
  const fit = (question) => {
    const [signal, operator, value] = question.querySelectorAll("input, select");
    const known = form.querySelector(`template[data-signal="${CSS.escape(signal.value.trim())}"]`);
    question.querySelector("[data-about]").textContent = known?.dataset.about ?? "";
    const kind = known && form.querySelector(`template[data-fitting="${known.dataset.type}"]`);
    const fitting = kind?.dataset.operators.split(" ");
    for (const option of operator.options) option.hidden = option.disabled = !!fitting && !fitting.includes(option.value);
    if (operator.selectedOptions[0]?.disabled) operator.value = fitting[0];
    value.disabled = without.includes(operator.value);
    if (operator.value.endsWith("listed")) value.setAttribute("list", "lists");
    else value.removeAttribute("list");
  };
  for (const question of form.querySelectorAll("[data-question]")) {
    fit(question);
    question.addEventListener("input", () => fit(question));
  }
})();
