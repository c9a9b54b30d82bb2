import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the keys of servers are remembered, in the folder of the settings. */
export const KNOWN_HOSTS = "known_hosts";

/** A key of our own, beside it. */
export const OWN_KEY = "key";

/** Makes the folder if need be, for its owner alone. */
export function makeSshFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Makes a key of our own in the folder, if there is none: services want some key, and one that is used for nothing else
 * does not tell them who the user is elsewhere. It stays, since services give the same address to the same key.
 */
export function makeOwnKey(folder: string): void {
  const path = join(folder, OWN_KEY);
  if (existsSync(path)) return;
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  // Written whole before it has its name: another process may be about to read it, or to make one too.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, privateKey, { mode: 0o600 });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}
