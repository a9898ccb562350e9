// Gatehouse collector: gives a shop's own page what Sentry wants to know of a device.
//
// It sets no cookie, sends nothing and loads nothing: the page hands the result to its own server.
// Before `consent: true` it neither reads nor stores anything. Licence: Apache-2.0.
// How to use it, and what the law asks of you: docs/collector.md.

(function (scope) {
  "use strict";

  const DAY_MS = 86400000;
  const IDLE_MS = 30 * 60000; // After so long without a page, the next one begins a new visit.
  const LONGEST_AGE_DAYS = 390; // Thirteen months: longer than this, supervisors do not accept.
  const ID = /^g[ds]_[a-z]{25}$/;

  // Letters alone, 117 bits: no identifier can be mistaken for a card or phone number.
  function randomId(prefix) {
    let letters = "";
    while (letters.length < 25) {
      for (const byte of scope.crypto.getRandomValues(new Uint8Array(32))) {
        // 234 is nine times 26: larger bytes would make the first letters likelier.
        if (byte < 234 && letters.length < 25) letters += String.fromCharCode(97 + (byte % 26));
      }
    }
    return prefix + letters;
  }

  // A 53-bit hash (cyrb53, public domain), for traits that are coarse anyway.
  function hashed(text) {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
  }

  // Global Privacy Control or Do Not Track: the visitor has told every site what they want.
  function objects() {
    const told = scope.navigator || {};
    return told.globalPrivacyControl === true || told.doNotTrack === "1";
  }

  function isFresh(kept, now, longestMs) {
    return Boolean(kept) && ID.test(kept.id) && kept.at <= now && now - kept.at < longestMs;
  }

  function create(options) {
    const given = options || {};
    const key = given.storageKey || "gatehouse";
    const honoursSignals = given.honourPrivacySignals !== false;
    const days = Math.min(given.maxAgeDays || LONGEST_AGE_DAYS, LONGEST_AGE_DAYS);
    let consent = given.consent === true;

    function isAllowed() {
      return consent && !(honoursSignals && objects());
    }

    // What is kept in the browser, or null where the browser keeps nothing for this page.
    function remember() {
      try {
        const store = scope.localStorage;
        const now = Date.now();
        let kept = null;
        try {
          kept = JSON.parse(store.getItem(key));
        } catch (error) {
          // Something else was written there; it is replaced.
        }
        if (!isFresh(kept, now, days * DAY_MS)) kept = { id: randomId("gd_"), at: now };
        const visit = kept.visit;
        const goesOn = isFresh(visit, now, DAY_MS) && now - visit.seen < IDLE_MS;
        kept.visit = goesOn ? visit : { id: randomId("gs_"), at: now };
        kept.visit.seen = now;
        store.setItem(key, JSON.stringify(kept));
        return kept;
      } catch (error) {
        return null;
      }
    }

    function forget() {
      try {
        scope.localStorage.removeItem(key);
      } catch (error) {
        // Without storage there is nothing to delete.
      }
    }

    function timeZone() {
      try {
        return Intl.DateTimeFormat().resolvedOptions().timeZone;
      } catch (error) {
        return undefined;
      }
    }

    // What many devices of one model share. No canvas, fonts, audio, plugins or sensors.
    function traits(languages, zone, size) {
      const of = scope.navigator || {};
      const depth = scope.screen && scope.screen.colorDepth;
      const all = [of.platform, of.hardwareConcurrency, of.deviceMemory, of.maxTouchPoints];
      return "gt_" + hashed([...all, depth, size, zone, languages].join("|"));
    }

    // The fields for Sentry's request: `device` and `customInputs`. Both are empty without consent.
    function collect() {
      const found = { device: {}, customInputs: {} };
      if (!isAllowed()) {
        if (consent) forget(); // The visitor objects by their browser's settings.
        return found;
      }
      const { device, customInputs } = found;
      const kept = remember();
      if (kept) {
        device.deviceId = kept.id;
        device.sessionId = kept.visit.id;
        device.sessionAge = Math.round((Date.now() - kept.visit.at) / 1000);
      }
      const languages = Array.from((scope.navigator || {}).languages || []).slice(0, 10).join(",");
      if (languages) device.acceptLanguage = languages;
      const zone = timeZone();
      if (zone) customInputs.timezone = zone;
      const { width, height } = scope.screen || {};
      // The longer side first, so that turning a phone changes nothing.
      const sides = [width, height].sort((one, other) => other - one).join("x");
      const size = width > 0 && height > 0 ? `${sides}@${scope.devicePixelRatio || 1}` : "";
      if (size) customInputs.screen = size;
      if (given.fingerprint === true) customInputs.deviceTraits = traits(languages, zone, size);
      return found;
    }

    // Tell the collector what the visitor chose; withdrawing deletes all that was stored.
    function setConsent(granted) {
      consent = granted === true;
      if (consent) collect();
      else forget();
    }

    // Put the result into a form as one hidden field, for pages that post a form.
    function fill(form, name) {
      const wanted = name || "gatehouse";
      let field = form.elements.namedItem(wanted);
      if (!field) {
        field = form.ownerDocument.createElement("input");
        field.type = "hidden";
        field.name = wanted;
        form.appendChild(field);
      }
      field.value = JSON.stringify(collect());
    }

    if (consent) collect(); // The visit begins with its first page, not with the order.
    return Object.freeze({ collect, fill, setConsent });
  }

  scope.GatehouseCollector = Object.freeze({ create });
})(globalThis);
