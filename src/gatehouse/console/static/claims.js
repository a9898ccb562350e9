// A review stays this person's while a page about it is open, and is given back when that is left.
"use strict";

const claim = document.querySelector("[data-claim]");
if (claim) {
  const headers = { "HX-Request": "true", "HX-Request-Type": "partial" };
  // What this page leaves and what another one asks for then can arrive in either order.
  const page = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const send = (url) => {
    const body = new URLSearchParams(new FormData(claim));
    body.set("page", page);
    return fetch(url, { method: "POST", body, headers, keepalive: true });
  };
  const keep = async () => {
    const answer = await send(claim.action).catch(() => null);
    if (answer?.status === 409) location.reload();
  };

  // The same review can be open in other tabs. One that is closed gives it back for all of them.
  const tabs = new BroadcastChannel(claim.action);
  tabs.addEventListener("message", keep);

  let timer, leaving;
  addEventListener("pageshow", () => {
    leaving = true;
    keep();
    timer = setInterval(keep, 30000);
  });
  document.addEventListener("submit", () => { leaving = false; });
  // The next page is about the same review. With one of these keys, it opens beside this one.
  document.addEventListener("click", (event) => {
    const beside = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!beside && event.target.closest("[data-same-review]")) leaving = false;
  });
  addEventListener("pagehide", () => {
    clearInterval(timer);
    if (!leaving) return;
    send(claim.dataset.leave);
    tabs.postMessage("left");
  });
}
