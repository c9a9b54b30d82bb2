import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { consoleOnStderr } from "../../../src/cli/handlers/console-on-stderr.ts";
import { createOutput } from "../../../src/cli/output.ts";
import { fakeIo } from "../fake-io.ts";

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
  for (const method of ["log", "info", "debug", "warn", "error"] as const)
    printer[method]("%s", method);
  restore();
  expect(text).toBe("log\ninfo\ndebug\nwarn\nerror\n");
  expect(printer.log).toBe(before);
});

it("what the console prints has its own line, above the one at the bottom of a terminal", () => {
  const { io, stderr } = fakeIo({ isTTY: { stdout: true, stderr: true } });
  const output = createOutput(io, { json: false, color: false, clock: Date.now });
  output.status("2 handled");
  const { console: printer } = globalThis;
  const restore = consoleOnStderr(io, undefined, output.writeStderr);
  printer.log("printed");
  restore();
  const erased = "\r\u001b[K";
  expect(stderr()).toBe(`${erased}2 handled${erased}printed\n2 handled`);
});
