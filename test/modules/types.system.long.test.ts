import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import entries from "../../tools/entries.json" with { type: "json" };
import { tempFolder } from "../cli/fake-io.ts";
import { long } from "../long.ts";
import { run, skip } from "../strangers/programs.ts";

const root = join(import.meta.dirname, "..", "..");
const load = createRequire(import.meta.url);

/**
 * The newest compiler. Older ones are fetched, as in `node_modules` one of them would take the
 * place of its command.
 */
const NEWEST = load.resolve("typescript/package.json");
const fetched = new Map<string, string | undefined>();
const compilers = mkdtempSync(join(tmpdir(), "hookporter-compilers-"));
afterAll(() => rmSync(compilers, { recursive: true, force: true }));

/** The path of a compiler's manifest; `undefined` if it cannot be fetched here. */
async function compiler(version: string): Promise<string | undefined> {
  if (version === "7") return NEWEST;
  if (!fetched.has(version)) {
    const folder = join(compilers, version);
    const flags = ["--no-audit", "--no-fund", "--no-save", "--prefix", folder];
    const { code } = await run("npm", ["install", ...flags, `typescript@${version}`], 60_000);
    const manifest = join(folder, "node_modules", "typescript", "package.json");
    fetched.set(version, code === 0 ? manifest : undefined);
  }
  return fetched.get(version);
}

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

/**
 * Type-checks a project that has the package installed; returns what the compiler says, nothing if
 * all is well.
 */
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
    module,
    target: "es2022",
    lib: ["es2023"],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const ended = await run(
    process.execPath,
    [join(dirname(manifest), "bin", "tsc"), "-p", folder],
    60_000,
  );
  return ended.stdout + ended.stderr;
}

const CASES = [
  ["7", "CommonJS with node18", "node18", "commonjs"],
  ["5.4", "ES modules with node16", "node16", "module"],
  ["5.9", "ES modules with nodenext", "nodenext", "module"],
  ...long([], [
    ["7", "CommonJS with nodenext", "nodenext", "commonjs"],
    ["7", "ES modules with nodenext", "nodenext", "module"],
    ["5.9", "CommonJS with node16", "node16", "commonjs"],
    ["5.4", "CommonJS with node16", "node16", "commonjs"],
  ] as const),
] as const;

it.for(CASES)(
  "every entry point type-checks without skipLibCheck in TypeScript %s, as %s",
  { timeout: 180_000 },
  async ([version, , module, type], context) => {
    const manifest = await compiler(version);
    if (manifest === undefined) return skip(context, `TypeScript ${version}`);
    expect(await typeCheck(manifest, module, type)).toBe("");
  },
);
