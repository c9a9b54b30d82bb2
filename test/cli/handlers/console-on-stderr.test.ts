import { expect, it } from "vitest";
import { consoleOnStderr } from "../../../src/cli/handlers/console-on-stderr.ts";
import { createOutput } from "../../../src/cli/output.ts";
import { fakeIo } from "../fake-io.ts";

it("the console prints to standard error, on its own line above the one at the bottom of a terminal, and is restored", () => {
  const { io, stderr } = fakeIo({ isTTY: { stdout: true, stderr: true } });
  const output = createOutput(io, { json: false, color: false, clock: Date.now });
  output.status("2 handled");
  const { console: printer } = globalThis;
  const before = printer.log;
  const restore = consoleOnStderr(io, undefined, output.writeStderr);
  const methods = ["log", "info", "debug", "warn", "error"] as const;
  for (const method of methods) printer[method]("%s", method);
  restore();
  expect(printer.log).toBe(before);
  const erased = "\r\u001b[K";
  const printed = methods.map((method) => `${erased}${method}\n2 handled`);
  expect(stderr()).toBe(`${erased}2 handled${printed.join("")}`);
});
