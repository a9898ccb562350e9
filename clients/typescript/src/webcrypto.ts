// WebCrypto, wherever the runtime keeps it: Node 18 has it in a module, all others as a global.

async function find(): Promise<Crypto> {
  if (globalThis.crypto !== undefined) return globalThis.crypto;
  // Bundlers for other runtimes must not try to resolve it.
  const name = "node:crypto";
  return ((await import(name)) as { webcrypto: Crypto }).webcrypto;
}

export const webcrypto: Crypto = await find();
