import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE } from "../../../src/check/catalogue.ts";

/** What `check` should find in a receiver. */
export interface Expected {
  /** Whether it fails a required case. */
  readonly isFaulty: boolean;
  /** The severity of each case that fails, by the case's id. */
  readonly failed: ReadonlyMap<string, string>;
  /** How each common cause begins. */
  readonly causes: readonly string[];
}

/** Reads `expected.txt`: by receiver, only what differs from "passes", and why. */
export function readExpected(): ReadonlyMap<string, Expected> {
  const text = readFileSync(join(import.meta.dirname, "expected.txt"), "utf8");
  const blocks = text.split(/\n\n+/).filter((block) => block.startsWith("["));
  return new Map(blocks.map(readBlock));
}

function readBlock(block: string): [string, Expected] {
  const [head = "", ...lines] = block.trim().split("\n");
  const [, name, kind] = /^\[(\S+)\] (right|weak|faulty): \S.*$/.exec(head) ?? [];
  if (name === undefined)
    throw new Error(`expected [name] right, weak or faulty: what it does, got ${head}`);
  const failed = new Map<string, string>();
  const causes: string[] = [];
  for (const line of lines) {
    if (line.startsWith("» ")) {
      causes.push(line.slice("» ".length));
      continue;
    }
    const [, severity, cases] =
      /^(required|recommended|informational) ([^:]+): \S.*$/.exec(line) ?? [];
    if (severity === undefined || cases === undefined)
      throw new Error(`expected severity, cases: why, got ${line}`);
    for (const id of cases.split(" ").flatMap(idsOf)) {
      if (failed.has(id)) throw new Error(`expected ${id} only once for ${name}`);
      failed.set(id, severity);
    }
  }
  return [name, { isFaulty: kind === "faulty", failed, causes }];
}

/**
 * The ids of `SIG-01`, or of a range such as `SIG-01..04`, which ends with a number of the same
 * group.
 */
function idsOf(range: string): readonly string[] {
  const [first = "", last] = range.split("..");
  const ids: readonly string[] = CATALOGUE.map(({ id }) => id);
  const from = ids.indexOf(first);
  const to = last === undefined ? from : ids.indexOf(first.replace(/\d+$/, last));
  if (from < 0 || to < from) throw new Error(`expected cases of the catalogue, got ${range}`);
  return ids.slice(from, to + 1);
}
