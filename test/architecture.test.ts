import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import rooms from "../tools/architecture/rooms.json" with { type: "json" };

const source = join(import.meta.dirname, "..", "src");

/**
 * The folders, from the top down. A folder may import those below it, but not another one in its
 * row.
 */
const ROWS: readonly (readonly string[])[] = rooms.rows.map((row) => row.map(({ name }) => name));

/** Where a package may be imported, types included. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  commander: /^cli\//,
  chalk: /^cli\//,
  "@clack/prompts": /^cli\//,
  "string-width": /^cli\/wrap-text\.ts$/,
  jiti: /^cli\/handlers\/module-loader\.ts$/,
  express: /^(?:adapters\/(?:express|server)\.ts$|http\/express-server\.ts$|service\/sandbox\/)/,
  ws: /^service\/(?:sandbox|stream)\//,
  pino: /^base\/default-logger\.ts$/,
  "@ngrok/ngrok": /^relay\/tunnel\/ngrok\.ts$/,
  fastify: /^adapters\/fastify\.ts$/,
  zod: /^(?:event|service\/client|cli\/(?:mcp|service|types))\//,
  "@modelcontextprotocol/server": /^cli\/mcp\//,
  "@modelcontextprotocol/server/stdio": /^cli\/mcp\//,
  "@photostructure/sqlite": /^inbox\/sqlite/,
  "prom-client": /^(?:observe\/|cli\/ready\/)/,
  pg: /^inbox\/postgres\/connect\.ts$/,
  "@standard-schema/spec": /^event\//,
  "@opentelemetry/api": /^observe\//,
  diff: /^base\/text\/diff-lines\.ts$/,
  preact: /^inspector\/ui\//,
  "preact/hooks": /^inspector\/ui\//,
};

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll("\\", "/"));

const imports = files.flatMap((file) => {
  const text = readCode(file);
  const found = text.matchAll(/(?:(?<!\.)\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g);
  return [...found].map((match) => ({ file, target: match[1] ?? "" }));
});

const inside = imports
  .filter(({ target }) => target.startsWith("."))
  .map(({ file, target }) => ({
    file,
    target: relative(source, join(source, dirname(file), target)),
  }))
  // The types of the settings are made by the build.
  .filter(({ target }) => /\.tsx?$/.test(target) && target !== "../generated/config-flags.ts");

it("the sources are found", () => {
  expect(files.length).toBeGreaterThan(50);
  expect(inside.length).toBeGreaterThan(200);
});

it("every folder has its row", () => {
  expect(files.filter((file) => rowOf(file) < 0)).toEqual([]);
});

it("every row has its folder", () => {
  const found = new Set(files.map(roomOf));
  expect(ROWS.flat().filter((name) => !found.has(name))).toEqual([]);
});

it("the drawing shows the imports as they are; `node tools/draw-architecture.js` draws it again", () => {
  const script = join(source, "..", "tools", "draw-architecture.js");
  const { stdout } = spawnSync(process.execPath, [script, "--print"], { encoding: "utf8" });
  const committed = readFileSync(join(source, "..", "docs", "images", "architecture.svg"), "utf8");
  expect(stdout).toContain("</svg>");
  expect(committed === stdout).toBe(true);
});

it("arrows point only down", () => {
  const wrong = inside.filter(({ file, target }) => {
    if (roomOf(file) === roomOf(target)) return false;
    return rowOf(target) <= rowOf(file);
  });
  expect(wrong).toEqual([]);
});

it("there is no import cycle, even of types", () => {
  expect(cyclesOf(inside.map(({ file, target }) => [file, target] as const))).toEqual([]);
});

/** The rooms whose folders still import each other in both directions. */
const WITH_CYCLES = ["check", "cli", "inbox", "inspector", "receiver", "relay"];

it("the folders of a room import each other in one direction only", () => {
  const between = inside
    .map(({ file, target }) => [dirname(file), dirname(target)] as const)
    .filter(([from, to]) => from !== to);
  const rooms = new Set(cyclesOf(between).map((cycle) => cycle.split("/", 1)[0]?.split(" ", 1)[0]));
  expect([...rooms].sort()).toEqual(WITH_CYCLES);
});

/** The cycles that arrows make, at least one of each place that is part of one. */
function cyclesOf(arrows: readonly (readonly [string, string])[]): readonly string[] {
  const edges = new Map<string, string[]>();
  for (const [from, to] of arrows) edges.set(from, [...(edges.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (place: string, path: readonly string[]) => {
    if (path.includes(place)) cycles.push([...path.slice(path.indexOf(place)), place].join(" → "));
    else if (!done.has(place)) {
      for (const next of edges.get(place) ?? []) visit(next, [...path, place]);
      done.add(place);
    }
  };
  for (const place of edges.keys()) visit(place, []);
  return cycles;
}

it("each package is imported only in its folder", () => {
  const outside = imports.filter(
    ({ target }) => !target.startsWith(".") && !target.startsWith("node:"),
  );
  const wrong = outside.filter(({ file, target }) => PACKAGES[target]?.test(file) !== true);
  expect(wrong).toEqual([]);
});

it("only the inbox talks to the clients of its stores", () => {
  const clients = ["inbox/sqlite/client.ts", "inbox/postgres/connect.ts"];
  const wrong = inside.filter(
    ({ file, target }) => clients.includes(target) && roomOf(file) !== "inbox",
  );
  expect(wrong).toEqual([]);
});

it("only one place opens a file with SQLite, as data that someone else may have made", () => {
  const opening = files.filter((file) => /\bnew [\w.()]*DatabaseSync\b/.test(readCode(file)));
  expect(opening).toEqual(["inbox/sqlite/client.ts"]);
});

it("only the CLI ends the process and uses the console", () => {
  const wrong = files.filter((file) => {
    if (file.startsWith("cli/")) return false;
    return /\bprocess\.exit\(|\bconsole\./.test(readCode(file));
  });
  // Within `exit`, so that Node does not close a file that was cut; and in the text of another
  // process's program. `runServer` is called to end the process of a server.
  expect(wrong).toEqual(["inbox/sqlite/connection.ts", "inbox/sqlite/file/truncated.ts"]);
});

it("asks which system this is only in the rooms for what differs between systems", () => {
  const asking = files.filter((file) =>
    /\bprocess\.platform\b|\bos\.platform\(/.test(readCode(file)),
  );
  expect(asking.filter((file) => !file.startsWith("base/system/"))).toEqual([]);
  expect(asking).toContain("base/system/programs.ts");
});

/** A source file without the examples in its comments. */
function readCode(file: string): string {
  return readFileSync(join(source, file), "utf8").replaceAll(/^ *\/\*\*.*?\*\/$/gms, "");
}

it("whatever opens a connection goes by the rule for names of this machine", () => {
  const opens = new RegExp(
    [
      /(?<![.\w])fetch\(|(?<!typeof )\bglobalThis\.fetch\b|\bnew WebSocket\(|\bnew (?:TLS)?Socket\(/,
      /import \{[^}]*\b(?:request|get|connect|createConnection)\b[^}]*\} from "node:(?:https?2?|net|tls)"/,
      /import (?:\* as )?\w+ from "(?:node:(?:https?2?|net|tls)|pg)"|import\("pg"\)/,
    ]
      .map(({ source: text }) => text)
      .join("|"),
  );
  const opening = files.filter(
    // what runs in a browser has its rule
    (file) => !file.startsWith("inspector/ui/") && opens.test(readCode(file)),
  );
  const rule = /\b(?:connectOptions\(|lookupByName\b|namedSocket\()/;
  expect(opening.filter((file) => !rule.test(readCode(file)))).toEqual([]);
  expect(opening).toContain("relay/exchange.ts");
  expect(opening.length).toBeGreaterThan(7);
});

describe("a command", () => {
  const commands = files
    .filter((file) => file.startsWith("cli/commands/"))
    .map((file) => ({ file, text: readCode(file) }));

  it("registers itself under its file's name and exports nothing else", () => {
    for (const { file, text } of commands) {
      const name = basename(file, ".ts").replace(/^[a-z]/, (letter) => letter.toUpperCase());
      const exported = [...text.matchAll(/^export (.*)/gm)].map(([, what]) => what);
      expect(exported, file).toEqual([
        `function register${name}(program: CliCommand, context: CliContext): void {`,
      ]);
    }
    expect(commands.length).toBeGreaterThan(10);
  });

  it("loads what flags are made of and no work: of the CLI, options and readers of values", () => {
    const loaded = commands.flatMap(({ file, text }) =>
      [...text.matchAll(/^import (?!type\b)(?:[^"]* from )?"([^"]+)"/gm)].map(
        ([, target = ""]) => ({
          file,
          target,
        }),
      ),
    );
    expect(loaded.length).toBeGreaterThan(20);
    const fits =
      /^(?:commander|\.\.\/[\w-]+\/(?:[\w-]+-)?(?:options|values)\.ts|\.\.\/\.\.\/[\w/-]+\.ts)$/;
    expect(loaded.filter(({ target }) => !fits.test(target))).toEqual([]);
  });

  it("does its work in another room: an action imports it and calls it with what was parsed", () => {
    const action =
      /\.action\(\s*async \([^)]*\) =>\s*\(await import\("\.\.\/(?!commands\/)[\w/-]+\.ts"\)\)\.\w+\([\w, ]*\),?\s*\)/g;
    for (const { file, text } of commands) {
      const actions = [...text.matchAll(action)].length;
      const counts = [".action(", "await", "=> {"].map((code) => text.split(code).length - 1);
      expect(counts, file).toEqual([actions, actions, 0]);
      expect(actions, file).toBeGreaterThan(0);
    }
  });
});

/**
 * What may be asked of the files of an inbox: nothing that opens one. Closing any descriptor of a
 * file drops the locks that SQLite holds on it for this process.
 */
const OPENS_NOTHING = new Set([
  "chmodSync",
  "existsSync",
  "linkSync",
  "mkdirSync",
  "readdirSync",
  "realpathSync",
  "renameSync",
  "rmSync",
  "statSync",
  "statfsSync",
  "unlinkSync",
]);

it("opens the files of an inbox by no other means than SQLite, but for one that nobody else knows yet", () => {
  const used = files
    .filter((file) => file.startsWith("inbox/"))
    .flatMap((file) => {
      const text = readCode(file);
      const found = [...text.matchAll(/import \{([^}]*)\} from "(?:node:)?fs(?:\/promises)?"/g)];
      const names = found.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
      const whole =
        /import \* as \w+ from "(?:node:)?fs|require\(["'](?:node:)?fs|"(?:node:)?fs\/promises"/.test(
          text,
        );
      return [...names, ...(whole ? ["*"] : [])].map((name) => `${file}: ${name}`);
    })
    .filter((use) => !OPENS_NOTHING.has(use.split(": ")[1] ?? "") && !use.endsWith(": "));
  expect(used.sort()).toEqual([
    // In the process that checks a file.
    ...["close", "open", "read"].map((name) => `inbox/sqlite/care/disk-error.ts: ${name}Sync`),
    "inbox/sqlite/file/new-file.ts: closeSync",
    "inbox/sqlite/file/new-file.ts: fsyncSync",
    "inbox/sqlite/file/new-file.ts: openSync",
    "inbox/sqlite/file/truncated.ts: *", // in a process of its own
    // Of the text that names the process which erases.
    ...["readFile", "writeFile"].map(
      (name) => `inbox/sqlite/processes/erasure-lock.ts: ${name}Sync`,
    ),
    "inbox/sqlite/processes/holders.ts: readFileSync", // of /proc
    // Of the copy of a damaged file.
    ...["close", "open", "read", "write"].map(
      (name) => `inbox/sqlite/salvage/pages.ts: ${name}Sync`,
    ),
    // Of a damaged file that no process has open, and of its copy.
    ...["copyFile", "ftruncate", "mkdtemp", "readFile"].map(
      (name) => `inbox/sqlite/salvage/working-copy.ts: ${name}Sync`,
    ),
  ]);
});

it("names the files beside an inbox nowhere but where it is kept", () => {
  const wrong = files.filter((file) => {
    if (file.startsWith("inbox/sqlite")) return false;
    return /\}-(?:wal|shm|holder)\b/.test(readCode(file));
  });
  expect(wrong).toEqual([]);
});

/** What a room consists of: its folder, or the files that are drawn as one. */
function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function rowOf(file: string): number {
  return ROWS.findIndex((row) => row.includes(roomOf(file)));
}
