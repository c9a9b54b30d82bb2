import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { EMBEDDED, HAS_EMBEDDED } from "./embedded.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");
/**
 * What depends on the server's version: SQL, plans, locks, errors, rights. The builds have no
 * `pg_dump`.
 */
const FILES = [
  "concurrent.system",
  "cut-off.system",
  "errors.system",
  "hanging.system",
  "receivers.system",
  "rights.system",
  "runners.system",
  "server.system",
  "transactions.system",
  "transactions-cut.system.long",
  "wake.system",
].map((name) => join("test", "inbox", "postgres", `${name}.test.ts`));

describe.skipIf(process.env.HOOKPORTER_LONG === undefined || !HAS_EMBEDDED)(
  "the inbox on each version of PostgreSQL",
  () => {
    it.each(Object.keys(EMBEDDED))(
      "works on PostgreSQL %s",
      { timeout: 1_800_000 },
      async (version) => {
        const { HOOKPORTER_LONG: _, HOOKPORTER_POSTGRES_URL: __, ...rest } = process.env;
        const env = { ...rest, HOOKPORTER_POSTGRES_VERSION: version };
        const run = promisify(execFile)(
          process.execPath,
          [VITEST, "run", "--maxWorkers=1", ...FILES],
          { cwd: ROOT, env, maxBuffer: 1e8 },
        );
        const { stdout } = await run.catch((failed: { stdout: string }) => failed);
        expect(stdout.split("\n").filter((line) => line.includes("FAIL"))).toEqual([]);
        expect(stdout).toMatch(/\d+ passed, 0 failed\n$/);
      },
    );
  },
);
