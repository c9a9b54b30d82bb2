import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { placeOf } from "../../learn/data-type.ts";
import { sampleValue } from "../../learn/sample-value.ts";
import { seededRandom } from "../../relay/random.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_OUT, shapesBeside } from "./options.ts";
import { readShapeFile } from "./read-shape-file.ts";

/**
 * Returns a function that makes up `data` of a kind, as JSON, from a shape file; nothing if there is none. It returns
 * nothing for a kind that is not in the file, and the same for the same seed.
 *
 * @throws HookporterError `input_invalid` if the file is no shape file
 */
export async function learnedData(
  { shapes }: { readonly shapes?: string | false },
  context: CliContext,
): Promise<((kind: string, seed: number) => string | undefined) | undefined> {
  const file = shapes === undefined ? shapesBeside(DEFAULT_OUT.zod) : shapes;
  if (file === false || (shapes === undefined && !existsSync(resolve(context.io.cwd, file))))
    return undefined;
  const learned = await readShapeFile(file, context);
  context.output.talk(`data made up from ${file}; --no-shapes sends the built-in samples`);
  return (kind, seed) => {
    const known = learned.get(kind);
    return known && JSON.stringify(sampleValue(placeOf(known.shape), seededRandom(seed)));
  };
}
