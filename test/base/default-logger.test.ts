import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, it } from "vitest";
import { plainLogger } from "../../src/base/default-logger.ts";

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
