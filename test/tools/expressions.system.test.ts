import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { root } from "../docs/markdown.ts";

/** Expressions whose time grows faster than their text; each says what that text is cut to. */
const MOST = 12;

const run = (...files: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, "tools", "expressions.js"), ...files]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => String(stdout),
  );

it("no expression of src takes much longer for twice the text, unless that is cut", async () => {
  const [, count, slow, cut] =
    /(\d+) expressions, (\d+) slow, (\d+) of cut text\n$/.exec(await run()) ?? [];
  expect(Number(count)).toBeGreaterThan(500);
  expect(Number(slow)).toBe(0);
  expect(Number(cut)).toBeLessThanOrEqual(MOST);
}, 300_000);

it.each([
  ["is written down", String.raw`export const end = /\s+$/;`, 1],
  ["is made of a text", String.raw`export const end = new RegExp("\\s+$");`, 1],
  ["is not known before it runs", "export const of = (text: string) => new RegExp(text);", 1],
  ["has a comment elsewhere", `// At most 9 characters: cut.\n\nexport const end = /=+$/;`, 1],
  ["has its text cut", `// At most 9 characters: cut.\nexport const end = /=+$/;`, 0],
  ["is linear", String.raw`export const word = /^\w+$/;`, 0],
])(
  "one that %s",
  async (_, source, slow) => {
    const file = join(tempFolder(), "made.ts");
    writeFileSync(file, source);
    expect(await run(file)).toContain(`1 expressions, ${slow} slow`);
  },
  60_000,
);
