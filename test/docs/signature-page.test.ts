import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CAUSES } from "../../src/signature/diagnose/causes.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { signed } from "../signature/diagnose/made.ts";
import { codeOf, quoted, readPage, rowsOf, sectionOf, withoutCode } from "./markdown.ts";

const page = readPage("docs/reference/signature.md");
const GROUPS = ["The body", "The secret", "The digest and the header", "Neither"];

it("the page lists every cause with its meaning and fix, and no other", () => {
  const onPage = GROUPS.flatMap((group) => rowsOf(sectionOf(page, group)));
  const inCode = Object.entries(CAUSES).map(([code, { meaning, fix }]) => [
    `\`${code}\``,
    meaning,
    fix,
  ]);
  expect([...onPage].sort()).toEqual(inCode.sort());
});

it("the causes that the page names for libraries exist", () => {
  const named = rowsOf(sectionOf(page, "What libraries do")).flatMap(([, , codes = ""]) =>
    codes.split(", "),
  );
  expect(named.length).toBeGreaterThan(10);
  const known = Object.keys(CAUSES).map((code) => `\`${code}\``);
  for (const code of named) expect(known).toContain(code);
});

it("the page shows what `verify` prints", async () => {
  const compact = quoted(withoutCode(page)).find((text) => text.startsWith('{"event"')) ?? "";
  const secret = "a-secret-of-this-page-0123";
  const cwd = tempFolder();
  writeFileSync(join(cwd, "body.json"), `${JSON.stringify(JSON.parse(compact), null, 2)}\n`);
  const [call = ""] = codeOf(page, "sh");
  const argv = call
    .trim()
    .replace("sha256=…", signed(compact, secret))
    .replaceAll('"', "")
    .split(" ")
    .slice(2);
  const { stdout, code } = await runCli(argv, { cwd, env: { HOOKPORTER_SECRET: secret } });
  expect(codeOf(page, "text")).toEqual([stdout]);
  expect(code).toBe(4);
});
