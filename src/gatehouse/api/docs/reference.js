"use strict";
// Adds to the page what reading it does not need: search, copying, one language for all samples.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });
  const wide = matchMedia("(min-width: 64rem)");
  const menu = document.querySelector(".menu");
  const input = document.getElementById("find");
  const found = document.getElementById("found");
  const sections = all("main > section");

  // Browsers that cannot show a folded menu by its style get it unfolded.
  const fitMenu = () => { menu.open = wide.matches; };
  fitMenu();
  wide.addEventListener("change", fitMenu);
  menu.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || wide.matches || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // Copying.
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("not copied");
  };
  const said = make("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.body.append(said);
  for (const code of all(".code")) {
    const button = make("button", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      const words = await copy(code.querySelector("pre").textContent)
        .then(() => "Copied", () => "Not copied");
      button.textContent = said.textContent = words;
      setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 2000);
    });
    code.prepend(button);
  }

  // One language for all samples; what the reader clicked stays where it is on the screen.
  const samples = all("details.sample");
  for (const sample of samples) {
    const summary = sample.querySelector("summary");
    summary.addEventListener("click", (event) => {
      event.preventDefault();
      const top = summary.getBoundingClientRect().top;
      const unfold = !sample.open;
      for (const one of samples) {
        const same = one.querySelector("summary").textContent === summary.textContent;
        if (unfold) one.open = same;
        else if (one === sample) one.open = false;
      }
      scrollBy({ top: summary.getBoundingClientRect().top - top, behavior: "instant" });
    });
  }

  // Trying a call, where the server is a sandbox: the sample for a shell becomes a form. The key
  // stays in the memory of this page, and goes to the server that sent it.
  const keys = [];
  const asForm = (curl) => ({
    method: curl.match(/^curl -X (\w+)/)?.[1] ?? "GET",
    address: curl.match(/"\w+:\/\/[^/"]+([^"]*)"/)[1],
    headers: [...curl.matchAll(/-H "([^"]*)"/g)].map((found) => found[1]).join("\n"),
    body: curl.match(/-d '([^]*)'$/)?.[1].replace(/"'"(\$\w+)"'"/g, '"$1"').replaceAll("'\\''", "'"),
  });
  const field = (tag, label, value, more = {}) => {
    const input = Object.assign(make(tag), { value, spellcheck: false, autocomplete: "off", ...more });
    const around = make("label", label);
    around.append(input);
    return [around, input];
  };
  const lines = (text) => ({ rows: Math.min(16, text.split("\n").length) });
  const send = async (method, address, headers, body, key) => {
    const given = `${address}\n${headers}\n${body ?? ""}`.replaceAll("$GATEHOUSE_API_KEY", "");
    const missing = given.match(/\$[A-Z][A-Z0-9_]*/);
    if (!key) return ["Enter an API key first. The sandbox prints one when it starts."];
    if (missing) return [`Replace ${missing[0]} by a value first.`];
    const pairs = headers.split("\n").filter(Boolean).map((line) => line.replace("$GATEHOUSE_API_KEY", key).split(/:\s*(.*)/).slice(0, 2));
    const started = performance.now();
    const answer = await fetch(address, { method, headers: pairs, body, credentials: "omit" });
    const text = await answer.text();
    const took = Math.round(performance.now() - started);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return [`${answer.status} after ${took} ms`, isJson ? JSON.stringify(JSON.parse(text), null, 2) : text];
  };
  const openForm = (code) => {
    const call = asForm(code.querySelector("pre").textContent);
    const [keyAround, key] = field("input", "API key", keys[0]?.value ?? "", { type: "password" });
    keys.push(key);
    key.addEventListener("input", () => { for (const one of keys) one.value = key.value; });
    const [addressAround, address] = field("input", call.method, call.address);
    const [headersAround, headers] = field("textarea", "Headers", call.headers, lines(call.headers));
    const [bodyAround, body] = field("textarea", "Body", call.body ?? "", lines(call.body ?? ""));
    const button = make("button", "Send");
    const outcome = make("p");
    const shown = make("pre");
    outcome.setAttribute("role", "status");
    shown.tabIndex = 0;
    shown.hidden = true;
    button.type = "button";
    button.addEventListener("click", async () => {
      button.disabled = true;
      const [words, text = ""] = await send(call.method, address.value, headers.value, call.body && body.value, key.value)
        .catch((error) => [`Not sent: ${error.message}`]);
      outcome.textContent = words;
      shown.textContent = text;
      shown.hidden = !text;
      button.disabled = false;
    });
    const form = make("div");
    form.className = "trying";
    form.append(keyAround, addressAround, headersAround, ...(call.body ? [bodyAround] : []), button, outcome, shown);
    code.after(form);
    (key.value ? address : key).focus();
  };
  for (const sample of document.querySelector("main[data-try]") ? samples : []) {
    if (sample.querySelector("summary").textContent !== "curl") continue;
    const button = make("button", "Try it");
    button.type = "button";
    button.className = "try";
    button.addEventListener("click", () => {
      button.remove();
      openForm(sample.querySelector(".code"));
    });
    sample.querySelector(".code").prepend(button);
  }

  // Search: hides the sections without all words, unfolds and marks the rows with all of them.
  // What it looks through is gathered when somebody searches: a phone takes a moment for it.
  let index = null;
  const gather = () => sections.map((section) => ({
    section,
    links: all(`nav a[href="#${section.id}"]`).map((link) => link.parentElement),
    text: section.textContent.toLowerCase(),
    rows: all("tr:not(.below)", section).map((row) => [row, row.textContent.toLowerCase()]),
  }));
  const clear = () => {
    for (const row of all(".hit")) row.classList.remove("hit");
    for (const folded of all("details[data-found]")) {
      folded.open = false;
      delete folded.dataset.found;
    }
  };
  const unfold = (row) => {
    for (let at = row.parentElement; at; at = at.parentElement) {
      if (at.tagName === "DETAILS" && !at.open) {
        at.open = true;
        at.dataset.found = "";
      }
    }
  };
  const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text) => words.every((word) => text.includes(word));
    let shown = 0;
    let rows = 0;
    clear();
    index ??= gather();
    for (const one of index) {
      const hit = has(one.text);
      one.section.hidden = !hit;
      for (const link of one.links) link.hidden = !hit;
      shown += hit ? 1 : 0;
      for (const [row, text] of words.length && hit ? one.rows : []) {
        if (!has(text)) continue;
        rows += 1;
        row.classList.add("hit");
        unfold(row);
      }
    }
    const parts = shown ? `Found in ${count(shown, "section")}, ${count(rows, "row")}` : "Nothing found";
    found.textContent = words.length ? parts : "";
    searchPages(words, has);
  };

  // Sections of other pages: guides with error codes and test cards, operations. Their index is
  // fetched once.
  let pages = null;
  const elsewhere = make("section");
  const places = make("ul");
  elsewhere.append(make("h2", "On other pages"), places);
  elsewhere.hidden = true;
  sections[0]?.before(elsewhere);
  const place = ([address, page, title, text], words) => {
    const link = make("a", title === page ? page : `${page}: ${title}`);
    link.href = address;
    const at = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word))) - 60;
    const item = make("li");
    item.append(link, make("p", `…${text.slice(Math.max(0, at), at + 180)}…`));
    return item;
  };
  const searchPages = async (words, has) => {
    const asked = input.value;
    const read = () => fetch("/docs/search.json").then((answer) => answer.json()).catch(() => []);
    const known = asked.trim().length > 1 ? await (pages ??= read()) : [];
    if (input.value !== asked) return;
    const all = known.filter((one) => !one[0].startsWith(`${location.pathname}#`) && has(one.join(" ").toLowerCase()));
    const first = all.filter((one) => has(`${one[1]} ${one[2]}`.toLowerCase()));
    places.replaceChildren(...[...new Set([...first, ...all])].slice(0, 30).map((one) => place(one, words)));
    elsewhere.hidden = !all.length;
    if (all.length) found.textContent += `, and ${count(all.length, "section")} on other pages`;
  };
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 100);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = "";
    if (event.key === "Escape" || event.key === "Enter") search();
    const first = document.querySelector(".hit") ?? [...sections, elsewhere].find((one) => !one.hidden);
    if (event.key === "Enter" && first) first.scrollIntoView();
  });
  document.addEventListener("keydown", (event) => {
    const typing = document.activeElement.matches("input, textarea") || event.ctrlKey || event.metaKey;
    if (event.key !== "/" || typing) return;
    event.preventDefault();
    input.focus();
  });
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest("section[hidden]")) return;
    input.value = "";
    search();
    target.scrollIntoView();
  });
  if (sections.length) document.querySelector(".search").hidden = false;

  addEventListener("beforeprint", () => {
    for (const folded of all("main details")) folded.open = true;
  });
})();
