import { expect, it } from "vitest";
import { hideGiven } from "../../src/cli/hide-given.ts";
import type { Io } from "../../src/cli/io.ts";

it("hides what was given in a message in another case, and leaves everything else alone", () => {
  const io = { env: {}, cwd: "/" } as Io;
  const given = { argv: ["--signature-header", "X9A8B7C6D5E4F3"], configured: [] };
  expect(hideGiven("no header x9a8b7c6d5e4f3 in x9", given, io)).toBe(
    "no header [14 characters, hidden] in x9",
  );
});
