import { expect, it } from "vitest";
import { withFields } from "../../src/base/logger.ts";
import type { Logger } from "../../src/entries/index.ts";
import { keptLog } from "../receiver/sample.ts";

it("a logger with fields adds them to each line, whose own fields win", () => {
  const { log, lines } = keptLog();
  withFields(log, { seq: 1, kind: "a" }).warn({ kind: "b" }, "a message");
  expect(lines).toEqual([{ level: "warn", fields: { seq: 1, kind: "b" }, message: "a message" }]);
});

it("a logger with fields takes a message alone, as pino does", () => {
  const { log, lines } = keptLog();
  const plain = withFields(log, { seq: 1 }) as unknown as Record<
    keyof Logger,
    (text: string) => void
  >;
  for (const level of ["debug", "info", "warn", "error"] as const) plain[level]("a message");
  expect(lines).toEqual(
    ["debug", "info", "warn", "error"].map((level) => ({
      level,
      fields: { seq: 1 },
      message: "a message",
    })),
  );
});
