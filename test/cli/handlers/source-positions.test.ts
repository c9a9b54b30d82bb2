import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { describeFailure } from "../../../src/base/failures/failure.ts";
import { ModuleLoader } from "../../../src/cli/handlers/module-loader.ts";
import { SourcePositions } from "../../../src/cli/handlers/source-positions.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";

const HANDLERS = `import { readFile } from "node:fs/promises";
import { type Tenant, check } from "../lib.ts";

/** A comment, and types that leave no code behind. */
interface Data {
  readonly nope?: { readonly name: string };
}

export default {
  "payment.*": (event: { data: Data }): string | undefined => (event.data as Required<Data>).nope.name,
  "lead.*": async (event: { data: Data }): Promise<void> => {
    const tenant: Tenant = { id: 1 };   await readFile("package.json").catch(() => {}); check<Tenant>(tenant, 2);
  },
};
`;
const LIB = `export interface Tenant { id: number }
export function check<T extends Tenant>(tenant: T, id: number): void {
  if (tenant.id !== id) throw new RangeError("expected another tenant");
}
`;

/** The position of a text in a file, as `line:column`. */
function positionOf(text: string, source: string): string {
  const before = source.slice(0, source.indexOf(text)).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/**
 * A module of some files, to run as a handler with corrected errors: returns what it threw or
 * returned.
 */
async function load(files: Readonly<Record<string, string>>, entry: string) {
  const folder = folderWith(files);
  const loader = await ModuleLoader.create();
  const handler = loader.positions.correcting(
    (await loader.load(join(folder, entry))) as () => unknown,
  );
  const run = () =>
    Promise.resolve()
      .then(() => handler({} as never, {} as never))
      .catch((thrown: unknown) => thrown);
  /** The frames of an error in these files, as `file:line:column`. */
  const framesOf = (error: unknown) =>
    [...String((error as Error).stack).matchAll(/([^(\s]*):(\d+(?::\d+)?)\)?$/gm)]
      .filter(([, file = ""]) => file.startsWith(folder))
      .map(([, file = "", position]) => `${file.slice(folder.length + 1)}:${position}`);
  return { run, framesOf };
}

async function thrownBy(files: Readonly<Record<string, string>>, entry: string) {
  const { run, framesOf } = await load(files, entry);
  const thrown = await run();
  return { thrown, framesOf, frames: framesOf(thrown) };
}

describe("the recorded place of a failure", () => {
  it("is the line and column of the TypeScript source, thrown at once or later", async () => {
    const cwd = folderWith({ "handlers/x.ts": HANDLERS, "lib.ts": LIB });
    const listen = startListening(["--handlers", "handlers"], { cwd });
    for (const kind of ["payment.received", "lead.created"]) await listen.trigger(kind);
    const first = () => listen.records("attempt").filter(({ attempt }) => attempt === 1);
    await vi.waitFor(() => expect(first()).toHaveLength(2), 15_000);
    const runs = first().flatMap(({ runs }) => runs as { failure: object }[]);
    const stack = `${join(cwd, "handlers", "x.ts")}:${positionOf("check<Tenant>", HANDLERS)}`;
    expect(runs.map(({ failure }) => failure)).toEqual([
      expect.objectContaining({
        name: "TypeError",
        at: `${join("handlers", "x.ts")}:${positionOf("name,", HANDLERS)}`,
      }),
      expect.objectContaining({
        name: "RangeError",
        at: `lib.ts:${positionOf("new RangeError", LIB)}`,
        stack: expect.stringContaining(stack),
      }),
    ]);
  });
});

describe("the stack of an error from a handler", () => {
  it("has the positions of the source, for each kind of module and for its first line", async () => {
    for (const name of ["h.ts", "h.mts", "h.mjs", "h.js"]) {
      const text =
        'import { join } from "node:path"; export default () => { join("a"); throw new Error("x"); };';
      const { frames } = await thrownBy({ [name]: text }, name);
      expect(frames, name).toEqual([`${name}:${positionOf("new Error", text)}`]);
    }
    for (const name of ["h.cts", "h.cjs", "h.js"]) {
      const text =
        'const { join } = require("node:path"); module.exports = () => join(undefined.x);';
      const { frames } = await thrownBy({ [name]: text }, name);
      expect(frames, name).toEqual([`${name}:${positionOf("x)", text)}`]);
    }
  });

  it("is corrected in its causes and in the errors of an AggregateError too", async () => {
    const text = `type A = string; export default () => {
      const low: Error = new Error("low"); const other = new Error("other") as Error;
      throw new AggregateError([other], "all", { cause: low });
    };`;
    const { thrown, framesOf } = await thrownBy({ "h.ts": text }, "h.ts");
    const { cause, errors } = thrown as AggregateError;
    expect(framesOf(cause)).toEqual([`h.ts:${positionOf('new Error("low")', text)}`]);
    expect(framesOf(errors[0])).toEqual([`h.ts:${positionOf('new Error("other")', text)}`]);
  });

  it("leaves an error that cannot be changed as it is, one that was corrected, and what is not an error", async () => {
    const text = "const same: Error =    new Error();\nexport default (): void => { throw same; };";
    const { run, framesOf } = await load({ "h.ts": text }, "h.ts");
    const first = await run();
    expect(await run()).toBe(first);
    expect(framesOf(first)).toEqual([`h.ts:${positionOf("new Error", text)}`]);
    const frozen = 'export default () => { throw Object.freeze(new Error("x")); };';
    const { thrown } = await thrownBy({ "h.ts": frozen }, "h.ts");
    expect(describeFailure(thrown).error).toBe("x");
    const odd = `export default () => { const e = new Error("x");
      Object.defineProperty(e, "stack", { get() { throw e; } }); throw e; };`;
    expect(describeFailure(await (await load({ "h.ts": odd }, "h.ts")).run()).error).toBe("x");
    const nothing = await load({ "h.ts": "export default () => { throw null; };" }, "h.ts");
    expect(await nothing.run()).toBeNull();
    const once = `let calls = 0; export default () => ({ then(done: (n: number) => void) { done(++calls); } });`;
    expect((await thrownBy({ "h.ts": once }, "h.ts")).thrown).toBe(1); // awaited only once
  });

  it("loses a column that the source map does not prove, but keeps the line", () => {
    const positions = new SourcePositions();
    const map = { version: 3, sources: ["a.ts"], names: [], mappings: ";AACA" };
    const source = "first\nsecond line";
    positions.add("/a.ts", { source, code: "\nother text", map: JSON.stringify(map), prefix: 0 });
    const error = new Error("x");
    error.stack = "Error: x\n    at run (/a.ts:2:7)\n    at /a.ts:3:1\n    at /b.ts:2:7";
    positions.correct(error);
    expect(error.stack).toBe("Error: x\n    at run (/a.ts:2)\n    at /a.ts:3\n    at /b.ts:2:7");
    expect(describeFailure(error).failure.at).toBe("/a.ts:2");
  });
});
