import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { run } from "../strangers/programs.ts";

const root = join(import.meta.dirname, "..", "..");
const manifest = createRequire(import.meta.url).resolve("typescript/package.json");

/** What a program is likely to export without a type of its own. */
const PROGRAM = `
import { createReceiver, defineHandlers, handOn, postgresInbox } from "hookporter";
import { watchAlerts } from "hookporter/metrics";
import { createTestReceiver } from "hookporter/testing";

export const receiver = createReceiver({ secret: "a secret of a test", otherKinds: ["invoice.sent"] });
export const handlers = defineHandlers({ handlers: {} });
export const { inbox, observe } = receiver;
export const entries = inbox.list({});
export const postgres = postgresInbox("postgres://localhost/app");
export const testing = createTestReceiver();
export const off = watchAlerts(receiver, { onAlert: console.log });
export const handler = handOn(() => {});
`;

it("a program may export what the package returns, and emit its own declarations", {
  timeout: 60_000,
}, async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "hookporter"), "junction");
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(join(folder, "package.json"), '{ "name": "project", "type": "module" }');
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    strict: true,
    declaration: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const { stdout } = await run(
    process.execPath,
    [join(dirname(manifest), "bin", "tsc"), "-p", folder],
    60_000,
  );
  expect(stdout).toBe("");
  expect(readFileSync(join(folder, "program.d.ts"), "utf8")).not.toContain("dist/");
});
