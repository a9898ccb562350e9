// Bundles the editor: node build.mjs FILE. The first line of the file says what it was made from.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const hash = createHash("sha256");
for (const name of ["build.mjs", "editor.js", "package-lock.json"]) hash.update(readFileSync(new URL(name, here)));

await build({
  entryPoints: [new URL("editor.js", here).pathname],
  outfile: process.argv[2],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  banner: { js: `/* Made by "make editor" from ${hash.digest("hex")}; licences: editor.LICENSE.txt */` },
});
