// Builds the package into dist: modules in dist/esm, and the same for `require` in dist/cjs.
//
// npm runs this as `prepare`, so that a fresh checkout can be installed and packed without another
// step: the compiler is installed first if it is not there. Output that is newer than all sources
// is left as it is.

import { execFileSync, execSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const [SRC, ESM, CJS] = ["src", "dist/esm", "dist/cjs"].map((each) => join(HERE, each));
const TSC = join(HERE, "node_modules/typescript/bin/tsc");
const LAST = join(CJS, "package.json");

function isBuilt() {
  if (!existsSync(LAST)) return false;
  const sources = [join(HERE, "tsconfig.json"), ...readdirSync(SRC).map((name) => join(SRC, name))];
  return sources.every((path) => statSync(path).mtimeMs <= statSync(LAST).mtimeMs);
}

async function build() {
  if (!existsSync(TSC)) {
    // npm tells its scripts how it was called; what would change this call is said anew.
    const anew = "--prefix . --include=dev --global=false --dry-run=false --ignore-scripts";
    const options = { cwd: HERE, stdio: "inherit" };
    execSync(`npm ci ${anew} --no-audit --no-fund --loglevel=error`, options);
  }
  rmSync(join(HERE, "dist"), { recursive: true, force: true });
  execFileSync(process.execPath, [TSC, "-p", "tsconfig.json"], { cwd: HERE, stdio: "inherit" });
  const { default: ts } = await import("typescript");
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  mkdirSync(CJS, { recursive: true });
  for (const name of readdirSync(SRC)) {
    const made = ts.transpileModule(readFileSync(join(SRC, name), "utf8"), { compilerOptions });
    writeFileSync(join(CJS, name.replace(/ts$/, "js")), made.outputText);
    const types = name.replace(/ts$/, "d.ts");
    copyFileSync(join(ESM, types), join(CJS, types));
  }
  writeFileSync(LAST, '{ "type": "commonjs" }\n');
}

if (!isBuilt()) await build();
