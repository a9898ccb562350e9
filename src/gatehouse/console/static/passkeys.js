// Asks the browser for passkeys. Forms that need this stay hidden where it cannot be done.
"use strict";

const able = window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON;

async function answer(form) {
  const sent = await fetch(form.dataset.begin, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    headers: { Accept: "application/json" },
  });
  if (!sent.ok) {
    const page = new DOMParser().parseFromString(await sent.text(), "text/html");
    throw new Error(page.querySelector(".lead")?.textContent);
  }
  const { ticket, options } = await sent.json();
  const asked = JSON.parse(options);
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) });
  form.elements.ticket.value = ticket;
  form.elements.response.value = JSON.stringify(credential);
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!able) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector("[role=alert]");
    problem.hidden = true;
    try {
      await answer(form);
      form.submit();
    } catch (error) {
      problem.textContent = error instanceof DOMException || !error.message ? form.dataset.failed : error.message;
      problem.hidden = false;
    }
  });
}
