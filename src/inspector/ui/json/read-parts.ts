import type { JsonLines } from "../../json/json-lines.ts";
import { JsonReader } from "../../json/json-reader.ts";
import { useLoaded } from "../use-loaded.ts";

/** The characters read at once: a few milliseconds, so that the page never freezes. */
const PART = 64 * 1024;

/** Reads a JSON text part by part. */
export async function readParts(text: string) {
  const reader = new JsonReader(text);
  for (;;) {
    const state = reader.read(PART);
    if (state !== "more") return { text, reader, isJson: state === "done" };
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** The lines of a JSON text. `undefined` while they are read, `null` if it is not JSON. */
export function useJsonLines(text: string, isWanted: boolean): JsonLines | null | undefined {
  const { value } = useLoaded(async () => (isWanted ? readParts(text) : undefined), [text, isWanted]);
  if (value?.text !== text) return undefined;
  return value.isJson ? value.reader.lines : null;
}
