import { readFileSync } from "node:fs";
import { ConfigurationError, describeError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import type { Difference } from "../../event/difference.ts";
import type { DriftWatch } from "../../receiver/drift.ts";
import { placeOf } from "./data-type.ts";
import { comparerOf } from "./differences.ts";
import type { Learned } from "./shape.ts";
import { readShapes } from "./shape-file.ts";

/** Differences remembered; with more, the file no longer says anything about what is received. */
const MOST = 1000;

/**
 * Reads a shape file, as `hookporter types` writes it, for the receiver's option `drift`: the
 * receiver then tells its `onDrift` listeners, and its log, when events begin to differ. Each
 * difference is told once while the process runs. Events of kinds that are not in the file are not
 * compared.
 *
 * @throws ConfigurationError `option_invalid` if the file cannot be read, or is no shape file
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { watchDrift } from "hookporter/metrics";
 *
 * const receiver = createReceiver({
 *   secret: process.env.HOOKPORTER_SECRET,
 *   drift: watchDrift("src/schemas.shape.json"),
 * });
 * receiver.onDrift(({ kind, path, what, seq }) => console.warn(`${kind} ${path}: ${what}, such as #${seq}`));
 * ```
 */
export function watchDrift(file: string): DriftWatch {
  try {
    return driftFrom(readShapes(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new ConfigurationError(
      "option_invalid",
      `expected a shape file at ${file}, got none that can be read (${describeError(cause)}): write it with \`${ownCommand("types")}\``,
      { cause },
    );
  }
}

/** Notices events that differ from what was learned. */
export function driftFrom(learned: Learned): DriftWatch {
  const comparers = new Map(
    [...learned].map(([kind, { shape }]) => [kind, comparerOf(placeOf(shape))]),
  );
  const reported = new Set<string>();
  const isNew = (kind: string, { path, what, got }: Difference) => {
    const name = `${kind} ${path} ${what} ${got}`;
    if (reported.has(name) || reported.size >= MOST) return false;
    reported.add(name);
    return true;
  };
  return {
    differences: (kind, data) => {
      const found = comparers.get(kind)?.(data) ?? [];
      return found.length === 0 ? found : found.filter((difference) => isNew(kind, difference));
    },
  };
}
