import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textOfEnvFile } from "../../../src/cli/project/env-text.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const LINES = "# caf\u00e9\r\nHOOKPORTER_SECRET=a-secret-that-is-long-enough\r\n";

/** A text as editors on Windows save it. */
const FORMS: Readonly<Record<string, Buffer>> = {
  "UTF-8": Buffer.from(LINES),
  "UTF-8 with a byte order mark": Buffer.from(`\uFEFF${LINES}`),
  "UTF-16, little-endian": Buffer.from(`\uFEFF${LINES}`, "utf16le"),
  "UTF-16, big-endian": Buffer.from(`\uFEFF${LINES}`, "utf16le").swap16(),
};

it.each(Object.entries(FORMS))("an env file in %s is read", async (_, bytes) => {
  expect(textOfEnvFile(bytes)).toBe(LINES);
  const cwd = tempFolder();
  writeFileSync(join(cwd, ".env"), bytes);
  const signed = await runCli(["sign"], { cwd, stdin: "{}" });
  expect([signed.code, signed.stderr]).toEqual([0, expect.not.stringContaining("error")]);
});

it("an env file that ends in half a character is read", () => {
  expect(
    textOfEnvFile(
      Buffer.concat([FORMS["UTF-16, little-endian"] ?? Buffer.alloc(0), Buffer.from("a")]),
    ),
  ).toBe(LINES);
  expect(textOfEnvFile(Buffer.from([0xff]))).toBe("\uFFFD");
  expect(textOfEnvFile(Buffer.alloc(0))).toBe("");
});
