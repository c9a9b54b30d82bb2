import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import entries from "../../scripts/entries.json" with { type: "json" };
import { tempFolder } from "../cli/fake-io.ts";
import { long } from "../long.ts";
import { run } from "../strangers/programs.ts";

const root = join(import.meta.dirname, "..", "..");
const load = createRequire(import.meta.url);

/** The compilers: the newest, and an older one that attw brings. */
const NEWEST = load.resolve("typescript/package.json");
const OLDER = createRequire(load.resolve("@arethetypeswrong/core")).resolve("typescript/package.json");

const PROGRAM = `
import { createReceiver, defineHandlers, type Receiver, type WebhookEvent } from "hookporter";
import { expressReceiver } from "hookporter/express";
import { sampleEvent } from "hookporter/testing";

const receiver: Receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
receiver.on("property.created", (event) => {
  const rooms: number | null | undefined = event.data.rooms;
  const any: WebhookEvent = event;
  console.log(rooms, any.id, sampleEvent("lead.created").event);
  // @ts-expect-error The types are there: an unknown field is not a string.
  const wrong: string = event.data.rooms;
  console.log(wrong);
});
console.log(expressReceiver(receiver));

export const handlers = defineHandlers({
  handlers: {
    "payment.received": { attempts: 1, handler: (event, { attempt }) => console.log(event.data.amount, attempt) },
    "lead.created": { transaction: (event, { tx }) => console.log(event.kind, tx) },
    "tenant.*": (event) => console.log(event.kind),
  },
});
const { secret } = { secret: "s" };
createReceiver({ secret, handlers: { "payment.received": { attempts: 1, handler: (event) => event.data.amount } } });
`;

/** Type-checks a project that has the package installed; returns what the compiler says, nothing if all is well. */
async function typeCheck(manifest: string, module: string, type: string): Promise<string> {
  const folder = tempFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "hookporter"), "junction");
  const others = Object.keys(entries).map(
    (name, index) => `import * as entry${index} from "hookporter${name.slice(1)}";`,
  );
  const uses = others.map((_, index) => `console.log(entry${index});`);
  writeFileSync(join(folder, "program.ts"), [...others, PROGRAM, ...uses].join("\n"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "project", type }));
  const compilerOptions = {
    ...{ module, target: "es2022", lib: ["es2023"], strict: true, noEmit: true, skipLibCheck: false },
    ...{ types: ["node"], typeRoots: [join(root, "node_modules", "@types")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const ended = await run(process.execPath, [join(dirname(manifest), "bin", "tsc"), "-p", folder], 60_000);
  return ended.stdout + ended.stderr;
}

const CASES = [
  ["7, as CommonJS with node18", NEWEST, "node18", "commonjs"],
  ...long([], [
    ["7, as CommonJS with nodenext", NEWEST, "nodenext", "commonjs"],
    ["7, as ES modules with nodenext", NEWEST, "nodenext", "module"],
    ["5.6, as CommonJS with node16", OLDER, "node16", "commonjs"],
    ["5.6, as ES modules with node16", OLDER, "node16", "module"],
  ] as const),
] as const;

it.each(CASES)(
  "every entry point type-checks without skipLibCheck in TypeScript %s",
  async (_, manifest, module, type) => {
    expect(await typeCheck(manifest, module, type)).toBe("");
  },
  120_000,
);
