import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { activityOf } from "../../../../tools/bench/profile/activity.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const http = { name: "parserOnMessageComplete", file: "node:_http_common" };

it.each([
  ["signature", "src/signature/verify.ts"],
  ["strict JSON checks", "src/event/canonical-json.ts"],
  ["identity: digests", "src/event/identity.ts"],
  ["UTF-8 and JSON.parse", "src/event/read-envelope.ts"],
  ["envelope and schema", "src/event/schemas.ts"],
  ["reading the body", "src/http/read-body.ts"],
  ["receiver: other work", "src/receiver/accept.ts"],
  ["inbox: rows and packing", "src/inbox/sqlite/thread/batch.ts"],
  ["inbox: SQLite in this thread", "src/inbox/sqlite/statements.ts"],
] as const)("the time of %s is attributed to %s, which exists", (activity, file) => {
  const parts = file.split("/");
  expect(readdirSync(join(root, ...parts.slice(0, -1)))).toContain(parts.at(-1));
  expect(activityOf([{ name: "any", file }, http])).toBe(activity);
});

it("Node's helpers count for their callers", () => {
  const crypto = { name: "hash", file: "node:internal/crypto/hash" };
  expect(activityOf([crypto, { name: "shortDigest", file: "src/event/identity.ts" }, http])).toBe(
    "identity: digests",
  );
  expect(activityOf([crypto, { name: "verify", file: "src/signature/verify.ts" }, http])).toBe(
    "signature",
  );
});

it("packages of schemas are distinguished from those of frameworks", () => {
  expect(activityOf([{ name: "parse", file: "node_modules/zod/v4/core/parse.js" }])).toBe(
    "envelope and schema",
  );
  expect(activityOf([{ name: "handle", file: "node_modules/express/lib/application.js" }])).toBe(
    "framework",
  );
});

it("unknown functions count as the rest", () => {
  expect(activityOf([{ name: "processTicks", file: "node:internal/process/task_queues" }])).toBe(
    "rest",
  );
  expect(activityOf([])).toBe("rest");
});
