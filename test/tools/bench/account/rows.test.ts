import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rowOf } from "../../../../tools/bench/account/rows.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const http = { name: "parserOnMessageComplete", file: "node:_http_common" };
const accept = { name: "accept", file: "src/receiver/accept.ts" };

it.each([
  ["signature", "src/signature/verify.ts"],
  ["strict reading", "src/event/canonical-json.ts"],
  ["reading the body", "src/http/read-body.ts"],
  ["settling and handlers", "src/dispatch/runs/entry-runner.ts"],
  ["hop between the threads", "src/inbox/sqlite/thread/threaded-writer.ts"],
  ["SQLite: JavaScript around the statements", "src/inbox/sqlite/statements.ts"],
  ["receiver and inbox: other", "src/receiver/accept.ts"],
] as const)("the time of %s is found by the file %s, which exists", (row, file) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(rowOf([{ name: "any", file }, http])).toBe(row);
});

it("a file packs for the other thread, if its name says so, and there is one", () => {
  const packing = readdirSync(join(root, "src/inbox/sqlite")).filter(
    (name) =>
      rowOf([{ name: "any", file: `src/inbox/sqlite/${name}` }]) ===
      "packing for the other thread, and unpacking",
  );
  expect(packing.length).toBeGreaterThan(0);
});

it("the time of a statement is not added to the function that runs it", () => {
  const stack = [
    { name: "run", file: "" },
    { name: "sql$INSERT$INTO$entry", file: "" },
    { name: "settle", file: "src/inbox/sqlite/operations.ts" },
  ];
  expect(rowOf(stack)).toBe("SQLite: INSERT INTO entry");
});

it("system calls and messages count for themselves, other native functions for their callers", () => {
  expect(rowOf([{ name: "writev", file: "" }, http])).toBe("writing answers, with the system call");
  expect(rowOf([{ name: "postMessage", file: "" }, accept])).toBe("hop between the threads");
  expect(rowOf([{ name: "update", file: "" }, accept])).toBe("receiver and inbox: other");
});

it("an idle thread has no row, however it waits", () => {
  expect(rowOf([{ name: "(idle)", file: "" }])).toBeUndefined();
  expect(rowOf([{ name: "wait", file: "" }, accept])).toBeUndefined();
});
