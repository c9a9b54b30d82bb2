import type { JsonLines } from "../../json/json-lines.ts";
import { useLoaded } from "../use-loaded.ts";
import { readParts } from "./json-problem.ts";

/** The lines of a JSON text. `undefined` while they are read, `null` if it is not JSON. */
export function useJsonLines(text: string, isWanted: boolean): JsonLines | null | undefined {
  const { value } = useLoaded(async () => (isWanted ? readParts(text) : undefined), [text, isWanted]);
  if (value?.text !== text) return undefined;
  return value.isJson ? value.reader.lines : null;
}
