import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, it } from "vitest";
import { plainLogger } from "../../src/base/default-logger.ts";
import { guardedLogger } from "../../src/base/guarded-logger.ts";
import { withFields } from "../../src/base/logger.ts";
import type { Logger } from "../../src/entries/index.ts";
import { keepWarnings, keptLog, uncaught } from "../receiver/sample.ts";

it("a logger with fields adds them to each line, whose own fields win, and takes a message alone, as pino does", () => {
  const { log, lines } = keptLog();
  const fields = { seq: 1, kind: "a" };
  withFields(log, fields).warn({ kind: "b" }, "a message");
  const plain = withFields(log, fields) as unknown as Record<keyof Logger, (text: string) => void>;
  const levels = ["debug", "info", "warn", "error"] as const;
  for (const level of levels) plain[level]("a message");
  expect(lines).toEqual([
    { level: "warn", fields: { seq: 1, kind: "b" }, message: "a message" },
    ...levels.map((level) => ({ level, fields, message: "a message" })),
  ]);
});

const warnings = keepWarnings();

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

/** The lines that a logger writes for the same calls, without their time. */
function linesOf(
  make: (write: (line: string) => void) => ReturnType<typeof plainLogger>,
): readonly unknown[] {
  const lines: string[] = [];
  const log = make((line) => lines.push(line));
  log.debug({}, "debug");
  log.info({ code: "closed" }, "info");
  log.warn({ attempt: 2, reason: 'a "word"', at: [1, null], nothing: undefined }, "a warning");
  log.error({}, "an error");
  expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
  return lines.map((line) => ({ ...JSON.parse(line), time: 0 }));
}

it("without pino, the default logger writes the lines that pino would", () => {
  const withPino = linesOf((write) => {
    const stream = new Writable({
      write: (chunk, _, done) => {
        write(String(chunk));
        done();
      },
    });
    return pino({ name: "hookporter", level: "warn" }, stream);
  });
  expect(withPino).toHaveLength(2);
  expect(linesOf(plainLogger)).toEqual(withPino);
});

it("without pino, fields that JSON cannot hold do not stop a line", () => {
  const lines: string[] = [];
  const log = plainLogger((line) => lines.push(line));
  const itself: Record<string, unknown> = {};
  itself.itself = itself;
  log.warn(itself, "contains itself");
  log.warn({ big: 12n }, "a big integer");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "contains itself" },
    { msg: "a big integer", big: "12" },
  ]);
});
