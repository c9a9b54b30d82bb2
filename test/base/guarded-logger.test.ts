import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { guardedLogger } from "../../src/base/guarded-logger.ts";
import type { Logger } from "../../src/entries/index.ts";
import { keptLog, uncaught } from "../receiver/sample.ts";

let warnings: string[] = [];
beforeEach(() => {
  warnings = [];
  vi.spyOn(process, "emitWarning").mockImplementation(
    (message) => void warnings.push(String(message)),
  );
});
afterEach(() => void vi.restoreAllMocks());

it("a logger gets its lines, and is guarded once", () => {
  const { log, lines } = keptLog();
  const guarded = guardedLogger(log);
  guarded.warn({ seq: 1 }, "a line");
  expect(lines).toEqual([{ level: "warn", fields: { seq: 1 }, message: "a line" }]);
  expect(guardedLogger(log)).toBe(guarded);
  expect(guardedLogger(guarded)).toBe(guarded);
});

it("a logger that throws on some levels and rejects on others is told of once", async () => {
  const caught = uncaught();
  const throws = () => {
    throw new Error("disk full");
  };
  const rejects = () => Promise.reject(new Error("disk full"));
  const log = guardedLogger({ debug: throws, info: rejects, warn: throws, error: rejects });
  for (const level of ["debug", "info", "warn", "error"] as const) log[level]({}, "a line");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(warnings).toEqual(["log.debug failed: disk full: lines of the log may be missing"]);
  expect(caught).toEqual([]);
});

it("a level of pino that is set later counts", () => {
  const written: string[] = [];
  const log = pino({ level: "error" }, { write: (line) => void written.push(line) });
  const guarded = guardedLogger(log as Logger) as Logger & {
    isLevelEnabled(level: string): boolean;
  };
  guarded.info({}, "not written");
  expect(guarded.isLevelEnabled("info")).toBe(false);
  log.level = "info";
  guarded.info({}, "written");
  expect(guarded.isLevelEnabled("info")).toBe(true);
  expect(written.map((line) => JSON.parse(line).msg)).toEqual(["written"]);
});
