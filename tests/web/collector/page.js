// Uses the collector as a shop does, and writes what it found into the page.
"use strict";

const violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(event.violatedDirective);
});

const before = Object.keys(localStorage);
const collector = GatehouseCollector.create();
const unasked = collector.collect();
const untouched = Object.keys(localStorage).length === before.length;
collector.setConsent(true);
const form = document.querySelector("form");
collector.fill(form);
const asked = GatehouseCollector.create({ consent: true, fingerprint: true }).collect();

const other = GatehouseCollector.create({ consent: true, storageKey: "withdrawn" });
const stored = "withdrawn" in localStorage;
other.setConsent(false);

Object.defineProperty(navigator, "globalPrivacyControl", { value: true, configurable: true });
const objected = GatehouseCollector.create({ consent: true, storageKey: "objected" }).collect();

// Violations are told after the script that caused them.
setTimeout(() => {
  document.body.textContent = JSON.stringify({
    before,
    unasked,
    untouched,
    filled: form.elements.gatehouse.value,
    asked,
    stored,
    objected,
    kept: Object.keys(localStorage),
    cookies: document.cookie,
    loaded: performance.getEntriesByType("resource").map((each) => new URL(each.name).pathname),
    violations,
  });
}, 0);
