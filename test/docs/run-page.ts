import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { givenTo } from "./given.ts";
import { onlySection, readPage } from "./markdown.ts";

/** A page, or what a test makes of one, in the place of the page that its links begin at. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/**
 * A page's fenced blocks, followed as its reader follows them: from top to bottom, in one folder. A
 * `listen` or a `sandbox` goes on, and what is below it is typed in another terminal; every other
 * command ends with 0. Two links say what comes first, to the reader and to the test:
 *
 * - "This goes on in the project of [a page](page.md)", above the first block: that page is
 *   followed first, or only its section if the link names one;
 * - "[a project](index.md#the-examples)": what the page takes for granted is made, by `given.ts`.
 *
 * Comments in the page, which no reader sees, say what to do with the next block:
 *
 * - `<!-- file: app.js -->`: save it under this name;
 * - `<!-- until: text -->`: the command goes on; wait until it prints the text;
 * - `<!-- exit: 1 -->`: the last command of the block ends with this code, and not with 0;
 * - `<!-- skip: why -->`: it cannot be run here;
 * - `<!-- terminal: 120 -->`: `npx` prints to a terminal of that many columns.
 *
 * Others have no block. They do what the text beside them says in words that the reader sees:
 *
 * - `<!-- run: command -->`: do what the text asks of the reader, such as an edit or Ctrl-C
 *   (`stop 1` ends the first command that goes on);
 * - `<!-- start: command -->`: the same for a command that goes on, until what `until` above says.
 */
interface Step {
  /** Such as `line 12`. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
  /** What a command that goes on prints once it is ready. */
  readonly until: string | RegExp | undefined;
  readonly orders: ReadonlyMap<string, string>;
}

/** Milliseconds that a block may take, and that what it shows may be awaited. */
const LIMIT = 30_000;

const namespace = [
  "unshare",
  "-n",
  "-p",
  "-m",
  "--mount-proc",
  "--kill-child",
  "sh",
  "-c",
  'ip link set lo up && exec "$@"',
  "sh",
];

/**
 * Whether pages can have the ports that they name, which other programs of this machine may use.
 */
export const HAS_OWN_PORTS =
  spawnSync(namespace[0] ?? "", [...namespace.slice(1), "true"]).status === 0;

/** Where the programs of PostgreSQL are, if this machine has a server. */
export const POSTGRES = [
  "/usr/lib/postgresql/15/bin",
  "/usr/lib/postgresql/16/bin",
  "/usr/lib/postgresql/17/bin",
].find((folder) => existsSync(join(folder, "initdb")));

/**
 * A server with the user `postgres`, on the port that the pages name. It refuses to run as root.
 */
const START_POSTGRES = `#!/bin/sh
data=$(dirname "$HOME")/postgres
mkdir -p "$data"
[ "$(id -u)" = 0 ] && chown postgres "$data"
program="${POSTGRES}/initdb -D $data/data -U postgres -A trust -E UTF8 && ${POSTGRES}/postgres -D $data/data -k $data"
[ "$(id -u)" = 0 ] && exec su postgres -c "$program"
exec sh -c "$program"
`;

/** A line with a command that goes on, and what that prints once it is ready. */
const GOES_ON = /^(npx hookporter (?:listen|sandbox)\b.*(?<!&)\n)/m;
const READY = /Endpoint|try it|"type":"ready"/;

/** The sentence with which a page continues another. */
const CONTINUES = /\bgoes\s+on\s+in\s+the\s+project\s+of\s+\[[^\]]+\]\(([^)#]+)(?:#([^)]+))?\)/;

/** The page, or its section, that comes before this one. */
export function pageBefore({ path, text }: Page): Page | undefined {
  const [beginning = ""] = text.split(/^ *```/m, 1);
  const [, to, section] = CONTINUES.exec(beginning) ?? [];
  if (to === undefined) return;
  const before = join(dirname(path), to);
  const whole = readPage(before);
  return { path: before, text: section === undefined ? whole : onlySection(whole, section) };
}

/** The steps of a page, in order; `place` is what comes before the number of a line. */
export function stepsOf(page: Page, place = "line "): readonly Step[] {
  const steps: Step[] = [];
  const last: Step[] = [];
  const before = pageBefore(page);
  if (before !== undefined) steps.push(...stepsOf(before, `${before.path}:`));
  for (const [name, given] of givenTo(page.text)) {
    steps.push(...stepsOf({ path: "", text: given.before }, `${name}: `));
    last.push(...stepsOf({ path: "", text: given.after ?? "" }, `${name}: `));
  }
  let orders = new Map<string, string>();
  const parts = page.text.matchAll(/^ *<!-- (\w+): (.*) -->$|^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm);
  for (const match of parts) {
    const [, order, value = "", indent = "", language = "", code = ""] = match;
    const here = place + page.text.slice(0, match.index).split("\n").length;
    if (order === "run" || order === "start") {
      const until = order === "start" ? (orders.get("until") ?? "") : undefined;
      steps.push({ place: here, language: "sh", code: value, until, orders: new Map() });
      orders = new Map();
    } else if (order !== undefined) orders.set(order, value);
    else {
      const own = code.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      const isWhole = language !== "sh" || orders.has("until") || orders.has("exit");
      for (const part of isWhole ? [own] : own.split(GOES_ON)) {
        if (part.trim() === "" && !isWhole) continue;
        const until = orders.get("until") ?? (!isWhole && GOES_ON.test(part) ? READY : undefined);
        steps.push({ place: here, language, code: part, until, orders });
      }
      orders = new Map();
    }
  }
  return [...steps, ...last];
}

/**
 * Runs a page's blocks in a folder, with `modules` as what `npm install` brings; returns what went
 * otherwise than it says.
 */
export async function runPage(
  page: Page,
  folder: string,
  modules: string,
  limit = LIMIT,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const run = new Run(folder, modules, limit);
  try {
    for (const step of stepsOf(page)) {
      const fault = await run.follow(step);
      if (fault !== undefined) faults.push(`${step.place}: ${fault}`);
    }
  } finally {
    run.end();
  }
  return faults;
}

class Run {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #keeper: ChildProcess;
  readonly #output: string;
  readonly #limit: number;
  #started = 0;
  #isOver = false;

  constructor(folder: string, modules: string, limit: number) {
    this.#limit = limit;
    this.#folder = folder;
    this.#output = join(folder, "output");
    for (const name of ["home", "bin", "work"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(this.#output, "");
    writeFileSync(join(folder, "state"), `cd '${join(folder, "work")}'\n`);
    // In place of the registry: what `npx` runs above each project, and what `npm` installs in one.
    const programs = join(folder, "node_modules", ".bin");
    mkdirSync(programs, { recursive: true });
    symlinkSync(join(modules, ".bin", "hookporter"), join(programs, "hookporter"));
    const npm = `#!/bin/sh
case "$1" in install | i) ;; *) exec '${which("npm")}' "$@" ;; esac
shift
for name; do [ "\${name#-}" != "$name" ] || ls -d '${modules}'/"$name" > /dev/null || exit 1; done
[ -e package.json ] || echo {} > package.json
exec ln -sfn '${modules}' node_modules
`;
    writeFileSync(join(folder, "bin", "npm"), npm, { mode: 0o755 });
    writeFileSync(join(folder, "bin", "start-postgres"), START_POSTGRES, { mode: 0o755 });
    chmodSync(folder, 0o755); // the server's user must be able to enter it
    const { PATH, LANG } = process.env;
    this.#env = {
      PATH: `${join(folder, "bin")}:${PATH}:${POSTGRES}`,
      LANG,
      HOME: join(folder, "home"),
      NO_COLOR: "1",
    };
    // One namespace for all blocks: it has its own ports, and ends with this process.
    const [program = "", ...rest] = namespace;
    this.#keeper = spawn(program, [...rest, "sleep", "600"], { stdio: "ignore" });
  }

  async follow({ language, code, until, orders }: Step): Promise<string | undefined> {
    const file = orders.get("file");
    if (orders.has("skip")) return;
    if (file !== undefined) return this.#save(file, code);
    if (language === "text") return this.#shows(code);
    const columns = orders.get("terminal");
    const onTerminal = `npx() { script -qec "stty cols ${columns}; npx $*" /dev/null; }\n`;
    const lines = columns === undefined ? code : onTerminal + code;
    if (language === "sh") return this.#run(lines, until, Number(orders.get("exit") ?? 0));
    if (language !== "ts" && language !== "js") return;
    return "expected to be told what to do with this block, such as its file";
  }

  /** Ends all that was started; what that still prints is lost, as the folder may be removed. */
  end(): void {
    this.#isOver = true;
    this.#keeper.kill("SIGKILL");
  }

  #save(file: string, code: string): undefined {
    const cwd = /^cd '(.*)'$/m.exec(readFileSync(join(this.#folder, "state"), "utf8"))?.[1] ?? "";
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), code);
  }

  /** Waits until everything that a block shows was printed; returns the lines that were not. */
  async #shows(code: string): Promise<string | undefined> {
    const lines = code.split("\n").map(shapeOf);
    const wanted = lines.filter((line) => line !== "" && line !== "…");
    const deadline = Date.now() + this.#limit;
    for (;;) {
      const printed = new Set(readFileSync(this.#output, "utf8").split("\n").map(shapeOf));
      const missing = wanted.filter((line) => !printed.has(line));
      if (missing.length === 0) return;
      if (Date.now() > deadline) return `not printed: ${missing.join("\n  ")}`;
      await delay(200);
    }
  }

  async #run(
    code: string,
    until: string | RegExp | undefined,
    exit: number,
  ): Promise<string | undefined> {
    const state = join(this.#folder, "state");
    const number = until === undefined ? this.#started : ++this.#started;
    const stop = `stop() { kill -INT -- -"$(cat '${this.#folder}/pid-'"$1")" && sleep 2; }`;
    const keep = `code=$?; { export -p; echo "cd '$PWD'"; } > '${state}'; exit $code`;
    const script = `set -a; . '${state}'; ${stop}; ${until === undefined ? `set -o pipefail ${exit === 0 ? "-e" : ""}` : `echo $$ > '${this.#folder}/pid-${number}'`}\n${code}\n${keep}`;
    const before = readFileSync(this.#output, "utf8").length;
    const program = [
      "-t",
      await this.#first(),
      "-n",
      "-p",
      "-m",
      "setsid",
      "-w",
      "bash",
      "-c",
      script,
    ];
    const child = spawn("nsenter", program, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    const write = (chunk: Buffer) => {
      if (!this.#isOver) appendFileSync(this.#output, chunk);
    };
    child.stdout.on("data", write);
    child.stderr.on("data", write);
    // What a shell leaves in the background keeps its output open.
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", resolve);
      child.once("exit", (code) => setTimeout(resolve, 500, code));
    });
    if (until === undefined) {
      const result = await Promise.race([
        ended,
        delay(this.#limit, "too long" as const, { ref: false }),
      ]);
      if (result === exit) return;
      return `expected exit code ${exit}, got ${result}:\n${readFileSync(this.#output, "utf8").slice(before)}`;
    }
    for (const deadline = Date.now() + this.#limit; Date.now() < deadline; await delay(100)) {
      if (readFileSync(this.#output, "utf8").slice(before).search(until) !== -1) return;
    }
    return `expected "${until}", got:\n${readFileSync(this.#output, "utf8").slice(before)}`;
  }

  /** The first process in the namespace, a child of `unshare`. */
  async #first(): Promise<string> {
    const { pid } = this.#keeper;
    for (let tries = 0; tries < 100; tries++) {
      const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
      if (
        child !== undefined &&
        child !== "" &&
        readFileSync(`/proc/${child}/cmdline`, "utf8").startsWith("sleep")
      )
        return child;
      await delay(20);
    }
    throw new Error("expected a namespace of its own, got none");
  }
}

/** A line, as a terminal shows it at last, without what differs from run to run. */
export function shapeOf(line: string): string {
  return (stripVTControlCharacters(line).trimEnd().split("\r").at(-1) ?? "")
    .replaceAll(/(?:evt|raw)_1_\w+(?:…)?/g, "evt")
    .replaceAll(/_sample_\w+/g, "_sample")
    .replaceAll(/#token=\S+/g, "#token")
    .replaceAll(/\w+(?=\.localhost:)/g, "name")
    .replaceAll(/sha256=[0-9a-f]+/g, "sha256")
    .replaceAll(/\b(?:[0-9a-f]{8}|[0-9a-f]{40,})\b/g, "#")
    .replaceAll(/(?<![\w:/.])\/(?:[\w.-]+\/)+/g, "…/")
    .replaceAll(/\d+(?:\.\d+)*/g, "#")
    .replaceAll(/(slowest #) m?s \([A-Z]+-#\)/g, "$1")
    .replaceAll(/\battempts\b/g, "attempt")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function which(name: string): string {
  return spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
}
