import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../base/make-folder.ts";
import { putInPlace } from "../../../base/system/files.ts";

/** The file of known server keys, in the settings' folder. */
export const KNOWN_HOSTS = "known_hosts";

/** Our own key, in the same folder. */
export const OWN_KEY = "key";

/** Creates the folder if it is missing, accessible only to its owner. */
export function makeSshFolder(folder: string): void {
  makeFolder(folder, 0o700);
}

/**
 * Creates our own key in the folder if there is none. Services require a key; one used for nothing
 * else does not reveal who the user is. It is kept, since services assign the same address to the
 * same key.
 */
export function makeOwnKey(folder: string): void {
  const path = join(folder, OWN_KEY);
  if (existsSync(path)) return;
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  // Written completely before it gets its name: another process may be reading it, or creating one
  // too.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, privateKey, { mode: 0o600 });
  chmodSync(draft, 0o600);
  try {
    putInPlace(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
