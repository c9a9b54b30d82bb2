import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../places.ts";

/** The measured Node; the bench itself, and autocannon, may run on another. */
export interface ServerNode {
  /** Its executable. */
  readonly path: string;
  /** As reported by Node, such as `v24.1.0`. */
  readonly version: string;
  /** The version of the SQLite that the inbox uses there, and its package. */
  readonly sqlite: string;
}

/** Chooses like the inbox: Node's own SQLite if available without a flag. */
const QUESTION = `
  const { sqlite } = process.versions;
  const own = sqlite !== undefined && process.getBuiltinModule?.("node:sqlite") !== undefined;
  const name = own ? "node:sqlite" : "@photostructure/sqlite";
  const { DatabaseSync } = require("node:module").createRequire(process.argv[1])(name);
  const { version } = new DatabaseSync(":memory:").prepare("SELECT sqlite_version() AS version").get();
  process.stdout.write(JSON.stringify({ version: process.version, sqlite: version + " (" + name + ")" }));
`;

/**
 * Returns the versions of a Node.
 *
 * @throws Error if it cannot be run
 */
export function askNode(path: string): ServerNode {
  const argv = ["--no-warnings", "-e", QUESTION, join(ROOT, "package.json")];
  const { status, stdout, stderr, error } = spawnSync(path, argv, { encoding: "utf8" });
  if (status !== 0) {
    const got = error?.message ?? stderr.trim().slice(-300);
    throw new Error(`expected --node to be the path of a Node executable, got ${path}: ${got}`);
  }
  return { path, ...JSON.parse(stdout) };
}
