// Checks types as programs of merchants see them: the built package, resolved in every way in which
// they resolve packages, and the programs in `programs/`, which are what the documentation shows.

import { readdirSync } from "node:fs";
import ts from "typescript";

const STRICT = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
};
const NODE = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const OLD = { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 };
const BUNDLER = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };

const programs = readdirSync("programs", { recursive: true })
  .map((name) => `programs/${name}`)
  .filter((name) => /\.m?js$/.test(name));
const checks = [
  [["test/types.ts", "test/types.cts"], { ...NODE, exactOptionalPropertyTypes: true, types: [] }],
  [programs, { ...NODE, allowJs: true, checkJs: true, types: ["node"] }],
  // A folder outside of the package finds it in `node_modules`, as programs of merchants do.
  [["old/types.ts"], { ...OLD, types: [] }],
  [["old/types.ts"], { ...BUNDLER, types: [] }],
];

// What one check has read, the next ones need not read again.
const files = new Map();
for (const [names, own] of checks) {
  const options = { ...STRICT, ...own };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...more) => {
    const isLibrary = /node_modules\/typescript\/lib\//.test(name);
    if (!isLibrary) return read(name, ...more);
    if (!files.has(name)) files.set(name, read(name, ...more));
    return files.get(name);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram(names, options, host));
  if (found.length > 0) {
    console.log(ts.formatDiagnostics(found, host));
    process.exitCode = 1;
  }
}
