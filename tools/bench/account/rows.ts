import type { Frame } from "../profile/v8-profile.ts";

/**
 * What a thread's time is spent on. SQLite's statements have rows of their own, such as
 * `SQLite: INSERT INTO entry`.
 */
export const ROWS = [
  "outside JavaScript: event loop, sockets, HTTP parser",
  "HTTP in JavaScript",
  "writing answers, with the system call",
  "reading the body",
  "signature",
  "strict reading",
  "packing for the other thread, and unpacking",
  "hop between the threads",
  "SQLite: JavaScript around the statements",
  "settling and handlers",
  "receiver and inbox: other",
  "JSON.parse of a receiver without a store",
  "framework",
  "garbage collection",
  "rest of Node: promises, timers, contexts",
] as const;

/** A row, or SQLite's time of one statement. */
export type RowName = (typeof ROWS)[number] | `SQLite: ${string}`;

/** How the functions are called that run a statement each, see `nameStatements`. */
const STATEMENT = "sql$";

/**
 * The functions of Node's native part that a thread's time may end in, apart from those that count
 * for their callers.
 */
const NATIVE: ReadonlyMap<string, RowName> = new Map([
  ["(program)", "outside JavaScript: event loop, sockets, HTTP parser"],
  ["(garbage collector)", "garbage collection"],
  ...["writev", "writeBuffer", "writeUtf8String", "writeLatin1String", "writeAsciiString"].map(
    (name): [string, RowName] => [name, "writing answers, with the system call"],
  ),
  ["postMessage", "hop between the threads"],
  ["notify", "hop between the threads"],
  ["parseText", "JSON.parse of a receiver without a store"],
]);

/** By file; the first match counts. A function without a match counts for its caller. */
const BY_FILE: readonly (readonly [RegExp, RowName])[] = [
  [
    /^src\/signature\/|^bench\/contestants\/check\.ts|^node_modules\/@octokit\/webhooks-methods\//,
    "signature",
  ],
  [
    /^src\/event\/|^src\/receiver\/judge\.|^src\/receiver\/decides-in-time\.|^node_modules\/zod\//,
    "strict reading",
  ],
  [
    /^src\/http\/(read-body|body-\w+|block-pool)\.|^node_modules\/(raw-body|body-parser|iconv-lite)\//,
    "reading the body",
  ],
  [
    /^src\/inbox\/sqlite\/(?:thread\/(?:batch|packet|packed-\w+)|transfer)\./,
    "packing for the other thread, and unpacking",
  ],
  [/^src\/inbox\/sqlite\/thread\//, "hop between the threads"],
  [
    /^src\/inbox\/sqlite\/(statements|operations|commit-together|transactions|rows|claim|order)\./,
    "SQLite: JavaScript around the statements",
  ],
  [/^node_modules\/@photostructure\/sqlite\//, "SQLite: JavaScript around the statements"],
  [/^src\/dispatch\//, "settling and handlers"],
  [/^node:internal\/(worker|per_context\/messageport)/, "hop between the threads"],
  [/^src\//, "receiver and inbox: other"],
  [/^node_modules\//, "framework"],
  [/^node:(_http|http|net|stream|internal\/(http|streams|stream_base|net))/, "HTTP in JavaScript"],
];

/**
 * The row that a moment of a thread counts for, from the functions on its stack, innermost first;
 * `undefined` while idle.
 */
export function rowOf(stack: readonly Frame[]): RowName | undefined {
  const [innermost] = stack;
  if (innermost === undefined || innermost.name === "(idle)" || innermost.name === "(root)")
    return undefined;
  if (innermost.name === "wait" && innermost.file === "") return undefined; // Atomics.wait
  for (const { name, file } of stack) {
    if (name.startsWith(STATEMENT))
      return `SQLite: ${name.slice(STATEMENT.length).replaceAll("$", " ").trim()}`;
    const native =
      file === "" || file.startsWith("node:") || name === "parseText"
        ? NATIVE.get(name)
        : undefined;
    if (native !== undefined) return native;
    const [, row] = BY_FILE.find(([pattern]) => pattern.test(file)) ?? [];
    if (row !== undefined) return row;
  }
  return "rest of Node: promises, timers, contexts";
}
