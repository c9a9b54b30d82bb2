/** What a receiving thread can be at. */
export const ACTIVITIES = [
  "HTTP: parsing, streams, writing",
  "reading the body",
  "signature",
  "UTF-8 and JSON.parse",
  "envelope and schema",
  "strict walk of the text",
  "identity: digests",
  "inbox: rows and packing",
  "inbox: messages to its thread",
  "inbox: SQLite in this thread",
  "receiver: the rest of it",
  "framework",
  "outside JavaScript",
  "rest",
] as const;

/** One of them. */
export type Activity = (typeof ACTIVITIES)[number];

/** A function: its name, and the file that has it, from the root of the package; Node's own begin with `node:`. */
export interface Frame {
  readonly name: string;
  readonly file: string;
}

/**
 * By file, the first that fits. What fits none, such as `node:buffer` or a function without a file, works for its
 * caller.
 */
const BY_FILE: readonly (readonly [RegExp, Activity])[] = [
  [/^src\/signature\/|^bench\/contestants\/check\.ts/, "signature"],
  [/^src\/event\/canonical-/, "strict walk of the text"],
  [/^src\/event\/identity\./, "identity: digests"],
  [/^src\/event\/read-envelope\./, "UTF-8 and JSON.parse"],
  [/^src\/event\/|^node_modules\/zod\//, "envelope and schema"],
  [/^src\/receiver\/problems-in-time\./, "envelope and schema"],
  [
    /^src\/http\/(?:read-body|body-\w+|block-pool)\.|^node_modules\/(raw-body|body-parser|iconv-lite)\//,
    "reading the body",
  ],
  [
    /^src\/inbox\/sqlite\/(commit-together|statements|operations|transactions)\./,
    "inbox: SQLite in this thread",
  ],
  [/^src\/inbox\//, "inbox: rows and packing"],
  [/^node:internal\/(worker|per_context\/messageport)/, "inbox: messages to its thread"],
  [/^src\//, "receiver: the rest of it"],
  [/^node_modules\//, "framework"],
  [
    /^node:(_http|http|net|stream|internal\/(http|streams|stream_base|net))/,
    "HTTP: parsing, streams, writing",
  ],
];

/** What a thread was at, by the functions on its stack, the innermost first. */
export function activityOf(stack: Iterable<Frame>): Activity {
  for (const { name, file } of stack) {
    if (name === "(program)") return "outside JavaScript";
    if (name === "parseText") return "UTF-8 and JSON.parse";
    if (name === "postMessage") return "inbox: messages to its thread";
    const [, activity] = BY_FILE.find(([pattern]) => pattern.test(file)) ?? [];
    if (activity !== undefined) return activity;
  }
  return "rest";
}
