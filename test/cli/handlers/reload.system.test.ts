import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";
import { listening } from "../open-listen.ts";

const PATIENCE = { timeout: 10_000, interval: 10 };

const KINDS = ["ts", "mts", "cts", "mjs", "cjs", "js"].flatMap((extension) =>
  ["module", "commonjs"].map((type) => ({ extension, type })),
);

/** `listen` with a handlers module in a folder of the given files, and what a test does with it. */
async function reloading(handlers: string, files: Readonly<Record<string, string>>) {
  const cwd = tempFolder();
  const write = (changed: Readonly<Record<string, string>>) => void folderWith(changed, cwd);
  write(files);
  const listen = await listening(["--handlers", handlers], cwd);
  /** Sends an event; returns the records of its runs and its state. */
  const trigger = async () => {
    const before = listen.records("attempt").length;
    await listen.trigger("payment.received");
    await vi.waitFor(
      () => expect(listen.records("attempt").length).toBeGreaterThan(before),
      PATIENCE,
    );
    const attempt = listen.records("attempt")[before];
    const runs = attempt?.runs as { handler: string; error: string | null }[];
    return {
      state: attempt?.state,
      runs: runs.map(({ handler, error }) => `${handler}: ${error}`),
    };
  };
  /** Changes files, and waits for a line that `listen` prints. */
  const edit = async (change: () => void, line = "handlers reloaded") => {
    const before = listen.now().stderr.length;
    change();
    await vi.waitFor(() => expect(listen.now().stderr.slice(before)).toContain(line), PATIENCE);
    return listen.now().stderr.slice(before);
  };
  return { cwd, write, trigger, edit };
}

/**
 * A handler that fails with the versions of what it was made of: itself, and a file that it imports
 * of each kind.
 */
function modules(
  extension: string,
  type: string,
  version: number,
): Readonly<Record<string, string>> {
  const isCommonJs = (kind: string) => kind === "cjs" || (kind === "js" && type === "commonjs");
  const libs = isCommonJs(extension)
    ? ["cjs", "js", "mjs"]
    : ["ts", "mts", "cts", "mjs", "cjs", "js"];
  const lib = (kind: string) =>
    isCommonJs(kind) ? `exports.v = ${version};` : `export const v = ${version};`;
  const versions = libs.map((kind) => `${kind}.v`).join(", ");
  const handler = `() => { throw new Error(["handler ", ${version}, ${versions}].join(" ")); }`;
  const text = isCommonJs(extension)
    ? [
        ...libs.map((kind) => `const ${kind} = require("../lib/l.${kind}");`),
        `module.exports = { "*": ${handler} };`,
      ]
    : [
        ...libs.map((kind) => `import * as ${kind} from "../lib/l.${kind}";`),
        `export default { "*": ${handler} };`,
      ];
  return {
    "package.json": JSON.stringify({ type }),
    [`handlers/h.${extension}`]: text.join("\n"),
    ...Object.fromEntries(libs.map((kind) => [`lib/l.${kind}`, lib(kind)])),
  };
}

describe("reloading", () => {
  it.each(KINDS)(
    "runs the new code of .$extension in a $type package and of what it imports",
    async ({ extension, type }) => {
      const { trigger, edit, write } = await reloading(
        `handlers/h.${extension}`,
        modules(extension, type, 1),
      );
      const versions = async () => {
        const { runs } = await trigger();
        return [...new Set(runs[0]?.match(/\d/g))];
      };
      expect(await versions()).toEqual(["1"]);
      await edit(() => write(modules(extension, type, 2)));
      expect(await versions()).toEqual(["2"]);
    },
  );

  it("a file that is imported outside the folder of the handlers can be JSON, or be created after it was missing", async () => {
    const handlers = `import data from "../data.json"; import { v } from "../new/deep/lib.ts";
      export default { "*": () => { throw new Error(data.word + v); } };`;
    const { cwd, trigger, edit, write } = await reloading("handlers/h.ts", {
      "data.json": '{ "word": "a" }',
      "handlers/h.ts": handlers.replace(/import \{ v .*/, "const v = 0;"),
    });
    await edit(() => write({ "data.json": '{ "word": "b" }' }));
    expect((await trigger()).runs).toEqual(["*: b0"]);
    await edit(() => write({ "handlers/h.ts": handlers }), "Cannot find module");
    await edit(() => write({ "new/deep/lib.ts": "export const v: number = 1;" }));
    expect((await trigger()).runs).toEqual(["*: b1"]);
    await edit(() => write({ "new/deep/lib.ts": "export const v: number = 2;" }));
    expect((await trigger()).runs).toEqual(["*: b2"]);
    // As git does when it changes branches.
    await edit(() => rmSync(join(cwd, "new"), { recursive: true }), "could not reload");
    for (const version of [3, 4]) {
      await edit(() => write({ "new/deep/lib.ts": `export const v: number = ${version};` }));
      expect((await trigger()).runs).toEqual([`*: b${version}`]);
    }
    // Several folders change, which may reload more than once.
    const runs = (text: string) =>
      vi.waitFor(async () => expect((await trigger()).runs).toEqual([text]), PATIENCE);
    rmSync(join(cwd, "new"), { recursive: true });
    write({ "new/deep/lib.ts": "export const v: number = 5;" });
    await runs("*: b5");
    write({ "new/deep/lib.ts": "export const v: number = 6;" });
    await runs("*: b6");
  });

  it.each([
    ["h.ts", 'import d from "./d.json"; export default'],
    ["h.mjs", 'import d from "./d.json" with { type: "json" }; export default'],
    ["h.cjs", 'const d = require("./d.json"); module.exports ='],
  ])("a JSON file that %s imports is loaded again after it was broken", async (name, code) => {
    const { trigger, edit, write } = await reloading(name, {
      [name]: `${code} { "*": () => { throw new Error(d.v); } };`,
      "d.json": '{ "v": "a" }',
    });
    await edit(() => write({ "d.json": '{ "v": ' }), "d.json: ");
    expect((await trigger()).runs).toEqual(["*: a"]);
    await edit(() => write({ "d.json": '{ "v": "b" }' }));
    expect((await trigger()).runs).toEqual(["*: b"]);
  });

  it("an import by a path of tsconfig.json is found, also one of a file that it extends", async () => {
    const { trigger, edit, write } = await reloading("handlers/h.ts", {
      "tsconfig.base.json": '{ "compilerOptions": { "paths": { "@lib/*": ["./src/lib/*"] } } }',
      "tsconfig.json": '{ "extends": "./tsconfig.base.json" }',
      "src/lib/a.ts": 'export const v: string = "a";',
      "handlers/h.ts":
        'import { v } from "@lib/a"; export default { "*": () => { throw new Error(v); } };',
    });
    expect((await trigger()).runs).toEqual(["*: a"]);
    await edit(() => write({ "src/lib/a.ts": 'export const v: string = "b";' }));
    expect((await trigger()).runs).toEqual(["*: b"]);
  });

  it("decorators are refused, since they would run wrongly, and the reason for which a JSON file is none is whole", async () => {
    const cwd = tempFolder();
    const service =
      "const D = (value: unknown) => value as never;\nexport class Pay { @D run() {} }\n";
    writeFileSync(join(cwd, "pay.ts"), service);
    writeFileSync(join(cwd, "d.json"), '{\n"v": oops\n');
    for (const [imported, words] of [
      ["./pay.ts", /expected no decorators, got some in .*pay\.ts: compile it/],
      ["./d.json", /d\.json: Unexpected token .*"\{"v": oops" is not valid JSON; correct/],
    ] as const) {
      const text = `import * as d from "${imported}"; export default { "*": () => d };`;
      writeFileSync(join(cwd, "h.ts"), text);
      const listen = await runCli(["listen", "--port", "0", "--handlers", "h.ts"], { cwd });
      expect([listen.code, listen.said]).toEqual([3, expect.stringMatching(words)]);
    }
  });

  it("a file that is added to the folder of the handlers is loaded, and files that were not loaded are ignored", async () => {
    const { trigger, edit, write } = await reloading("handlers", {
      "handlers/a.ts": 'export default { "*": () => {} };',
    });
    const printed = await edit(() => {
      write({ "handlers/_draft.ts": "", "other.ts": "", "handlers/a.test.ts": "" });
      write({ "handlers/b.ts": 'export default { "payment.*": () => {} };' });
    });
    expect(printed.match(/handlers reloaded/g)).toHaveLength(1);
    expect((await trigger()).runs).toEqual(["a:*: null", "b:payment.*: null"]);
  });

  it("a file that changes while it is loaded for the first time is loaded again", async () => {
    const { trigger, edit, write } = await reloading("handlers/h.mjs", {
      "package.json": '{ "type": "module" }',
      "handlers/h.mjs": 'export default { "*": () => { throw new Error("1"); } };',
      "lib/l.mjs": 'export const v = "2";',
    });
    // The handlers change the file themselves after they have imported it, when nobody watches its
    // folder yet.
    const handlers = `import { writeFileSync } from "node:fs"; import { v } from "../lib/l.mjs";
      if (v === "2") writeFileSync(new URL("../lib/l.mjs", import.meta.url), 'export const v = "3";');
      export default { "*": () => { throw new Error(v); } };`;
    await edit(() => write({ "handlers/h.mjs": handlers }));
    await vi.waitFor(async () => expect((await trigger()).runs).toEqual(["*: 3"]), PATIENCE);
  });

  it("a file that an editor replaces is reloaded each time", async () => {
    const text = (version: number) =>
      `export default { "*": () => { throw new Error("${version}"); } };`;
    const { cwd, trigger, edit, write } = await reloading("h.mjs", { "h.mjs": text(0) });
    for (const version of [1, 2, 3]) {
      await edit(() => {
        write({ "h.mjs~": text(version) });
        renameSync(join(cwd, "h.mjs~"), join(cwd, "h.mjs"));
      });
      expect((await trigger()).runs).toEqual([`*: ${version}`]);
    }
  });

  it("a module with a top-level await is reloaded, and so is what it imports", async () => {
    const files = (version: number) => ({
      "package.json": '{ "type": "module" }',
      "h.mjs": `import { v } from "./lib.mjs"; import { w } from "./b.ts"; await null;
        export default { "*": async () => { throw new Error([${version}, v, w(), (await import("./late.js")).v].join()); } };`,
      "lib.mjs": `export const v = await Promise.resolve(${version});`,
      "b.ts": `import { v } from "./lib.mjs"; import { a } from "./c.ts"; const early = a(); export const w = () => v + early;`,
      "c.ts": `import { w } from "./b.ts"; await null; export const a = () => "c"; export const later = () => w();`,
      "late.js": `export const v = ${version};`,
    });
    const { trigger, edit, write } = await reloading("h.mjs", files(1));
    expect((await trigger()).runs).toEqual(["*: 1,1,1c,1"]);
    await edit(() => write(files(2)));
    expect((await trigger()).runs).toEqual(["*: 2,2,2c,2"]);
  });

  it("an ES module that Node itself has loaded needs a restart, and listen says so", async () => {
    const { trigger, edit, write } = await reloading("h.mjs", {
      "h.mjs": `import { createRequire } from "node:module"; import { v } from "./lib.mjs";
        const native = createRequire(import.meta.url);
        export default { "*": () => { throw new Error(v + native("./native.mjs").v); } };`,
      "lib.mjs": 'export const v = "a";',
      "native.mjs": 'export const v = "a";',
    });
    expect((await trigger()).runs).toEqual(["*: aa"]);
    const line = "native.mjs changed, but cannot be reloaded: restart to load it";
    const printed = await edit(() => write({ "native.mjs": 'export const v = "b";' }), line);
    expect(printed).not.toContain("handlers reloaded");
    await edit(() => write({ "lib.mjs": 'export const v = "b";' }));
    expect((await trigger()).runs).toEqual(["*: ba"]);
    await edit(() => write({ "native.mjs": 'export const v = "c";' }), line);
  });

  it("a package in node_modules is loaded once, by Node", async () => {
    const files = (version: number) => ({
      "h.mjs": `import { count } from "pkg"; export default { "*": () => { throw new Error("${version} " + count()); } };`,
      "node_modules/pkg/package.json": '{ "type": "module", "exports": "./index.js" }',
      "node_modules/pkg/index.js": "let n = 0; export const count = () => ++n;",
    });
    const { trigger, edit, write } = await reloading("h.mjs", files(1));
    expect((await trigger()).runs).toEqual(["*: 1 1"]);
    await edit(() => write(files(2)));
    expect((await trigger()).runs).toEqual(["*: 2 2"]);
  });

  it("syntax that only Node can load needs a restart if it changes, but a typo does not", async () => {
    const cwd = tempFolder();
    // Too deep for the compiler, which visits it recursively.
    const deep = (version: number) => `export const v = "${version}" + (${"1+".repeat(20_000)}1);`;
    const text = (version: number) =>
      `import { v } from "./deep.mjs"; export default { "*": () => { throw new Error("${version} " + v); } };`;
    writeFileSync(join(cwd, "h.mjs"), text(1));
    writeFileSync(join(cwd, "deep.mjs"), deep(1));
    const listen = startListening(["--handlers", "h.mjs"], { cwd });
    await listen.ready();
    const edit = async (name: string, content: string, line: string) => {
      const before = listen.output().length;
      writeFileSync(join(cwd, name), content);
      await vi.waitFor(() => expect(listen.output().slice(before)).toContain(line), PATIENCE);
    };
    await edit("h.mjs", text(2), "handlers reloaded");
    await edit("deep.mjs", deep(2), "deep.mjs changed, but cannot be reloaded: restart to load it");
    await edit("h.mjs", "export default {{", "h.mjs:1:17");
    await edit("h.mjs", text(3), "handlers reloaded");
    await listen.trigger("payment.received");
    await listen.said('"error":"3 120001"');
  });
});
