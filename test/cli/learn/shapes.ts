import { DEFAULT_OUT, shapesBeside } from "../../../src/cli/learn/learn-options.ts";
import { type Learned, learn } from "../../../src/cli/types/shape.ts";
import { writeShapes } from "../../../src/cli/types/shape-file.ts";
import { folderWith } from "../folder-with.ts";

/** A folder with the shapes that some events of a kind taught, the first of them at a time. */
export function folderWithShapes(kind: string, data: object, { events = 1, at = 0 } = {}): string {
  const learned: Learned = new Map();
  for (let more = 0; more < events; more++) learn(learned, kind, { ...data }, at + more);
  return folderWith({ [shapesBeside(DEFAULT_OUT.zod)]: writeShapes(learned) });
}
