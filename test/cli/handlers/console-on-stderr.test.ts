import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { consoleOnStderr } from "../../../src/cli/handlers/console-on-stderr.ts";

it("the console prints to standard error, and is restored afterwards", () => {
  const { console: printer } = globalThis;
  const before = printer.log;
  let text = "";
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  const restore = consoleOnStderr({ stderr });
  for (const method of ["log", "info", "debug", "warn", "error"] as const) printer[method]("%s", method);
  restore();
  expect(text).toBe("log\ninfo\ndebug\nwarn\nerror\n");
  expect(printer.log).toBe(before);
});
