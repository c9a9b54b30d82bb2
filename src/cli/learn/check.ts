import { counted } from "../../base/text/counted.ts";
import type { Difference } from "../../event/difference.ts";
import type { CliContext } from "../context.ts";
import { placeOf } from "../types/data-type.ts";
import { comparerOf } from "../types/differences.ts";
import { forEachEvent } from "./learn-events.ts";
import { DEFAULT_OUT, shapesBeside, type TypesOptions } from "./learn-options.ts";
import { readShapeFile } from "./learned-data.ts";

/** `types --check`: says how events differ from a shape file; the exit code is 1 if any does. */
export async function checkTypes(
  what: readonly string[],
  options: TypesOptions,
  context: CliContext,
) {
  const { output } = context;
  const file = options.shapes ?? shapesBeside(options.out ?? DEFAULT_OUT[options.format ?? "zod"]);
  const learned = await readShapeFile(file, context);
  const comparers = new Map(
    [...learned].map(([kind, { shape }]) => [kind, comparerOf(placeOf(shape))]),
  );
  const findings = new Map<
    string,
    Difference & { kind: string; example: string; events: number }
  >();
  const unknown = new Map<string, number>();
  const events = await forEachEvent(what, options, context, ({ kind, data, name }) => {
    const compare = comparers.get(kind);
    if (compare === undefined) {
      unknown.set(kind, (unknown.get(kind) ?? 0) + 1);
      return;
    }
    for (const difference of compare(data)) {
      const key = JSON.stringify([kind, difference.path, difference.what, difference.got]);
      const known = findings.get(key);
      if (known === undefined) findings.set(key, { ...difference, kind, example: name, events: 1 });
      else known.events++;
    }
  });
  for (const {
    kind,
    path,
    what: change,
    expected,
    got,
    example,
    events: times,
  } of findings.values()) {
    output.data(
      `${kind}  ${path}  ${change}: expected ${expected}, got ${got} (${countText(times)}, such as ${example})`,
    );
    output.record("difference", { kind, path, change, expected, got, events: times, example });
  }
  for (const [kind, times] of unknown)
    output.talk(`${kind}: not in ${file} yet (${countText(times)})`);
  output.talk(
    findings.size === 0
      ? `${countText(events)} fit ${file}`
      : `${counted(findings.size, "difference", "differences")} in ${countText(events)}`,
  );
  output.record("fit", { events, differences: findings.size, unknownKinds: [...unknown.keys()] });
  if (findings.size > 0) context.exitCode = 1;
}

function countText(events: number): string {
  return counted(events, "event", "events");
}
