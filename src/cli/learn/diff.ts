import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import type { CliContext } from "../context.ts";
import { readMoment } from "../settings/values.ts";
import { placeOf } from "../types/data-type.ts";
import { placeDifferences } from "../types/place-differences.ts";
import { type Learned, learn } from "../types/shape.ts";
import { forEachEvent, learnEvents } from "./learn-events.ts";
import type { TypesOptions } from "./learn-options.ts";
import { readShapeFile } from "./learned-data.ts";

/**
 * `types --diff`: compares two shape files, a shape file with events, or the events before and
 * since a time.
 */
export async function diffTypes(
  what: readonly string[],
  options: TypesOptions & { readonly diff: string },
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const [before, now] = await bothSides(what, options, context);
  let found = 0;
  for (const kind of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const then = before.get(kind);
    const later = now.get(kind);
    if (then === undefined || later === undefined) {
      const change = then === undefined ? "new kind" : "kind gone";
      output.data(`${kind}  ${change}`);
      output.record("difference", { kind, change });
      found++;
      continue;
    }
    for (const { path, what: change, expected, got } of placeDifferences(
      placeOf(then.shape),
      placeOf(later.shape),
    )) {
      output.data(`${kind}  ${path}  ${change}: ${expected} → ${got}`);
      output.record("difference", { kind, path, change, before: expected, now: got });
      found++;
    }
  }
  if (found === 0) output.talk("no differences");
}

async function bothSides(
  what: readonly string[],
  options: TypesOptions & { readonly diff: string },
  context: CliContext,
): Promise<readonly [Learned, Learned]> {
  const { diff } = options;
  if (existsSync(resolve(context.io.cwd, diff))) {
    const before = await readShapeFile(diff, context);
    const [other, ...more] = what;
    const now =
      other?.endsWith(".shape.json") === true && more.length === 0
        ? await readShapeFile(other, context)
        : await learnEvents(what, options, context);
    return [before, now];
  }
  const at = momentOf(diff);
  const sides: readonly [Learned, Learned] = [new Map(), new Map()];
  await forEachEvent(what, options, context, (event) =>
    learn(event.at < at ? sides[0] : sides[1], event.kind, event.data, event.at),
  );
  return sides;
}

function momentOf(text: string): number {
  try {
    return readMoment(text);
  } catch (cause) {
    throw new HookporterError(
      "usage",
      `expected --diff with a shape file, or a time such as 2026-01-31 or 7d, got ${JSON.stringify(text)}: name one that exists`,
      { cause },
    );
  }
}
