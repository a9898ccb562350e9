// The package loads by `require` as it does by `import`.

const assert = require("node:assert/strict");
const { test } = require("node:test");

const required = require("gatehouse-client");

test("a program that requires the package has all that one has that imports it", async () => {
  const imported = await import("gatehouse-client");
  assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort());
  assert.ok(new required.Gatehouse({ apiKey: "k", baseUrl: "https://x.test" }).manage.rules);
});
