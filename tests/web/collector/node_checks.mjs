// The collector without a browser: every look at the visitor's device is seen by these stand-ins.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const SOURCE = readFileSync(process.argv[2], "utf8");
const MINUTE_MS = 60000;

// A page of its own; `looks` names everything that was asked of it.
function page({ told = {}, kept = {}, broken = false } = {}) {
  const looks = [];
  const watched = (name, object) =>
    new Proxy(object, {
      get(target, field) {
        looks.push(`${name}.${String(field)}`);
        return target[field];
      },
    });
  const storage = {
    getItem: (key) => kept[key] ?? null,
    setItem: (key, value) => {
      if (broken) throw new Error("full");
      kept[key] = value;
    },
    removeItem: (key) => delete kept[key],
  };
  const about = { languages: ["en-GB", "en"], platform: "Linux", ...told };
  const clock = { now: 1794730000000 };
  const scope = vm.createContext({
    navigator: watched("navigator", about),
    screen: watched("screen", { width: 390, height: 844, colorDepth: 24 }),
    localStorage: watched("localStorage", storage),
    devicePixelRatio: 3,
    crypto: globalThis.crypto,
    Uint8Array,
    Date: { now: () => clock.now },
  });
  vm.runInContext(SOURCE, scope);
  return { create: scope.GatehouseCollector.create, looks, kept, clock };
}

const plain = (value) => JSON.parse(JSON.stringify(value));
const NOTHING = { device: {}, customInputs: {} };

const checks = {
  "nothing is read or stored before consent"() {
    for (const options of [undefined, {}, { consent: false }, { consent: "yes" }]) {
      const { create, looks, kept } = page();
      assert.deepEqual(plain(create(options).collect()), NOTHING);
      assert.deepEqual(looks, []);
      assert.deepEqual(kept, {});
    }
  },
  "an identifier is the same on every page, and made of letters alone"() {
    const { create, kept } = page();
    const first = create({ consent: true }).collect().device.deviceId;
    assert.match(first, /^gd_[a-z]{25}$/);
    assert.equal(create({ consent: true }).collect().device.deviceId, first);
    assert.deepEqual(Object.keys(kept), ["gatehouse"]);
    assert.notEqual(page().create({ consent: true }).collect().device.deviceId, first);
  },
  "what is collected are fields of Sentry"() {
    const { create, clock } = page();
    const collector = create({ consent: true });
    clock.now += 340000;
    const { device, customInputs } = plain(collector.collect());
    assert.equal(device.sessionAge, 340);
    assert.equal(device.acceptLanguage, "en-GB,en");
    assert.equal(customInputs.screen, "844x390@3");
    assert.ok(customInputs.timezone.length > 2);
    assert.deepEqual(Object.keys(customInputs), ["timezone", "screen"]);
  },
  "withdrawing deletes, and consent later begins anew"() {
    const { create, kept } = page();
    const collector = create({ consent: true });
    const before = collector.collect().device.deviceId;
    collector.setConsent(false);
    assert.deepEqual(kept, {});
    assert.deepEqual(plain(collector.collect()), NOTHING);
    collector.setConsent(true);
    assert.notEqual(collector.collect().device.deviceId, before);
  },
  "privacy signals are a refusal, and delete what was stored before"() {
    for (const told of [{ globalPrivacyControl: true }, { doNotTrack: "1" }]) {
      const { create, kept, looks } = page({ told, kept: { gatehouse: "{}" } });
      assert.deepEqual(plain(create({ consent: true }).collect()), NOTHING);
      assert.deepEqual(kept, {});
      assert.ok(!looks.includes("navigator.languages"));
      const asked = create({ consent: true, honourPrivacySignals: false });
      assert.ok(asked.collect().device.deviceId);
    }
  },
  "a visit ends after half an hour without a page, and a device stays"() {
    const { create, clock } = page();
    const seen = () => create({ consent: true }).collect().device;
    const first = seen();
    clock.now += 29 * MINUTE_MS;
    assert.equal(seen().sessionId, first.sessionId);
    clock.now += 31 * MINUTE_MS;
    const later = seen();
    assert.notEqual(later.sessionId, first.sessionId);
    assert.equal(later.sessionAge, 0);
    assert.equal(later.deviceId, first.deviceId);
  },
  "an identifier ends after thirteen months at most"() {
    const { create, clock } = page();
    const seen = () => create({ consent: true, maxAgeDays: 9999 }).collect().device.deviceId;
    const first = seen();
    clock.now += 389 * 86400000;
    assert.equal(seen(), first);
    clock.now += 2 * 86400000;
    assert.notEqual(seen(), first);
  },
  "what somebody else wrote there is replaced, and a clock set back does no harm"() {
    const others = ["no JSON", "null", "7", '{"id":"4242424242424242","at":1}', '{"id":1,"at":{}}'];
    for (const text of others) {
      const { device } = page({ kept: { gatehouse: text } }).create({ consent: true }).collect();
      assert.match(device.deviceId, /^gd_[a-z]{25}$/);
    }
    const { create, clock } = page();
    create({ consent: true });
    clock.now -= 3600000;
    assert.equal(create({ consent: true }).collect().device.sessionAge, 0);
  },
  "without storage there is no identifier, rather than a new one on each page"() {
    const { device } = plain(page({ broken: true }).create({ consent: true }).collect());
    assert.deepEqual(Object.keys(device), ["acceptLanguage"]);
  },
  "traits are derived only where they are asked for, and stay the same"() {
    const traits = (more) =>
      page({ told: more }).create({ consent: true, fingerprint: true }).collect().customInputs
        .deviceTraits;
    assert.match(traits(), /^gt_[a-z0-9]{6,11}$/);
    assert.equal(traits(), traits());
    assert.notEqual(traits({ platform: "MacIntel" }), traits());
    const quiet = page();
    quiet.create({ consent: true }).collect();
    assert.ok(!quiet.looks.includes("navigator.platform"));
  },
};

for (const [name, check] of Object.entries(checks)) {
  check();
  console.log(name);
}
