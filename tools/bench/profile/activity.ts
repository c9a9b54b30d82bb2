import type { Frame } from "./v8-profile.ts";

/** Activities of a receiving thread. */
export const ACTIVITIES = [
  "HTTP: parsing, streams, writing",
  "reading the body",
  "signature",
  "UTF-8 and JSON.parse",
  "envelope and schema",
  "strict JSON checks",
  "identity: digests",
  "inbox: rows and packing",
  "inbox: messages to its thread",
  "inbox: SQLite in this thread",
  "receiver: other work",
  "framework",
  "outside JavaScript",
  "rest",
] as const;

/** One activity. */
export type Activity = (typeof ACTIVITIES)[number];

/**
 * Activities by file; the first match counts. A function without a match, such as in `node:buffer`
 * or without a file, counts for its caller.
 */
const BY_FILE: readonly (readonly [RegExp, Activity])[] = [
  [/^src\/signature\/|^bench\/contestants\/check\.ts/, "signature"],
  [/^src\/event\/canonical-/, "strict JSON checks"],
  [/^src\/event\/identity\./, "identity: digests"],
  [/^src\/event\/read-envelope\./, "UTF-8 and JSON.parse"],
  [/^src\/event\/|^node_modules\/zod\//, "envelope and schema"],
  [/^src\/receiver\/decides-in-time\./, "envelope and schema"],
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
  [/^src\//, "receiver: other work"],
  [/^node_modules\//, "framework"],
  [
    /^node:(_http|http|net|stream|internal\/(http|streams|stream_base|net))/,
    "HTTP: parsing, streams, writing",
  ],
];

/** The activity of a thread, from the functions on its stack, innermost first. */
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
