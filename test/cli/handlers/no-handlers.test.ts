import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import { envelope } from "../send/sending.ts";

const ENVELOPE = envelope({ event: "lead.created" });

/** Modules that register nothing, as an editor that truncates or a merge leaves them. */
const NOTHING: readonly (readonly [string, string])[] = [
  ["an empty file", ""],
  ["only a comment", "// export default { … }\n"],
  ["an empty object", "export default {};\n"],
  ["a function that registers nothing", "export default () => {};\n"],
  ["a function that returns nothing to register", "export default () => ({});\n"],
];

/** Modules with three handlers, in the forms that a function allows. */
const RETURNED = [
  'const f = () => {};\nexport default () => ({ "*": f, "lead.*": f, "lead.created": f });\n',
  'const f = () => {};\nexport default (r) => { r.on("*", f); r.on("lead.*", f); r.on("lead.created", f); };\n',
] as const;

it.each(NOTHING)(
  "`listen` and `replay` refuse a module with %s, with exit code 3",
  async (_, text) => {
    const cwd = folderWith({ "h.mjs": text, "e.json": ENVELOPE });
    for (const argv of [
      ["listen", "--port", "0", "--no-inspect", "--count", "1", "--timeout", "1s"],
      ["replay", "e.json"],
    ]) {
      const { code, stderr } = await runCli([...argv, "--handlers", "h.mjs"], { cwd });
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining("expected h.mjs to register a handler, got none"),
      ]);
    }
    const { records } = await runCli(["doctor", "--json", "--handlers", "h.mjs"], { cwd });
    expect(records).toContainEqual(expect.objectContaining({ check: "handlers", status: "fail" }));
  },
);

it("a folder is refused only if none of its files registers a handler", async () => {
  const cwd = folderWith({ "e.json": ENVELOPE, "handlers/a.mjs": "export default {};\n" });
  const replay = () => runCli(["replay", "e.json", "--handlers", "handlers"], { cwd });
  expect((await replay()).code).toBe(3);
  writeFileSync(join(cwd, "handlers", "b.mjs"), 'export default { "*": () => {} };\n');
  expect(await replay()).toMatchObject({ code: 0, stdout: expect.stringContaining("handled") });
});

it.each(NOTHING)(
  "a reload of %s keeps the previous handlers, which a function returned, and says so",
  async (_, text) => {
    const cwd = folderWith({ "h.mjs": RETURNED[0] });
    const listen = await listening(["--handlers", "h.mjs"], cwd);
    writeFileSync(join(cwd, "h.mjs"), text);
    await listen.said(
      "could not reload the handlers, so the previous ones stay in use: expected h.mjs to register a handler, got none",
    );
    await listen.trigger("lead.created");
    await listen.until("attempt", [{ state: "handled" }]);
    writeFileSync(join(cwd, "h.mjs"), RETURNED[1]);
    await listen.said(/^handlers reloaded: 3$/m);
  },
);
