import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import type { EventKind } from "../../../src/entries/index.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

const root = resolve(import.meta.dirname, "../../..");

/** A project folder with hookporter and zod as packages. */
function project(files: Readonly<Record<string, string>>): string {
  const cwd = folderWith({ "package.json": '{"type":"module"}', ...files });
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(root, join(cwd, "node_modules", "hookporter"));
  symlinkSync(join(root, "node_modules", "zod"), join(cwd, "node_modules", "zod"));
  return cwd;
}

const HEAD = 'import { defineHandlers } from "hookporter";\nimport { z } from "zod";\n';
const paying = (type: "string" | "number") =>
  `${HEAD}export default defineHandlers({
    schemas: { "payment.received": z.looseObject({ amount: z.${type}() }) },
    handlers: { "payment.received": ({ data }, { note }) => note(\`paid \${data.amount.toString()}\`) },
  });`;

/** A sample envelope as JSON. */
const sample = (kind: EventKind) => JSON.stringify(sampleEvent(kind));

it("a handlers module brings its schemas to listen, and a reload swaps both: the same entry then runs", async () => {
  const cwd = project({ "handlers.ts": paying("number") });
  const { trigger, until, said } = await listening(["--handlers", "handlers.ts"], cwd);
  await trigger("payment.received");
  const detail = "data.amount: expected number, got string";
  await until("delivery", [{ verdict: "dead", detail }]);
  writeFileSync(join(cwd, "handlers.ts"), paying("string"));
  await said("handlers reloaded");
  await runCli(["events", "retry", "1"], { cwd });
  await until("attempt", [{ seq: 1, state: "handled", runs: [{ note: "paid 1450.00" }] }]);
});

it("the files of a folder share a schema, and different schemas for one kind are refused", async () => {
  const shared = {
    "lib/schemas.ts": `${HEAD}export const schemas = { "lead.created": z.looseObject({}) };`,
    "handlers/a.ts": `${HEAD}import { schemas } from "../lib/schemas.ts";
      export default defineHandlers({ schemas, handlers: { "lead.created": () => {} } });`,
  };
  const same = shared["handlers/a.ts"];
  const other = same.replace(
    /schemas, handlers/,
    'schemas: { "lead.created": z.looseObject({}) }, handlers',
  );
  const replay = async (b: string) => {
    const cwd = project({ ...shared, "handlers/b.ts": b, "bodies/a.json": sample("lead.created") });
    return runCli(["replay", "bodies", "--handlers", "handlers"], { cwd });
  };
  expect(await replay(same)).toMatchObject({ code: 0 });
  const refused = await replay(other);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain("expected one schema for lead.created, got two different ones");
});

it("a kind that the module declares has its handler, and a misspelt one is refused with the kind that was meant", async () => {
  const webhook = { id: "wh_1", url: "https://a.example" };
  const timestamp = "2026-01-15T09:30:00.000Z";
  const replay = (code: string) => {
    const cwd = project({
      "handlers.ts": `${HEAD}export default defineHandlers({ ${code} });`,
      "invoice.json": JSON.stringify({ event: "invoice.sent", timestamp, data: {}, webhook }),
    });
    return runCli(["replay", "invoice.json", "--handlers", "handlers.ts"], { cwd });
  };
  const handled = await replay(`
    otherKinds: ["invoice.sent"],
    handlers: (registry) => { registry.on("invoice.sent", () => {}); registry.onUnknown(() => { throw new Error("unknown"); }); },
  `);
  expect([handled.code, handled.stdout]).toEqual([0, expect.stringContaining("handled")]);
  const refused = await replay('handlers: { "payment.recieved": () => {} }');
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain("did you mean payment.received?");
});
