import { useEffect, useState } from "preact/hooks";
import type { JsonLines } from "../../json/json-lines.ts";
import { JsonReader } from "../../json/json-reader.ts";

/** The characters read at once: a few milliseconds, so that the page never freezes. */
const PART = 64 * 1024;

/** The lines of a JSON text. `undefined` while they are read, `null` if it is not JSON. */
export function useJsonLines(text: string, isWanted: boolean): JsonLines | null | undefined {
  const [read, setRead] = useState<{ text: string; lines: JsonLines | null }>();
  useEffect(() => {
    if (!isWanted || read?.text === text) return;
    const reader = new JsonReader(text);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = () => {
      const state = reader.read(PART);
      if (state === "more") timer = setTimeout(next, 0);
      else setRead({ text, lines: state === "done" ? reader.lines : null });
    };
    next();
    return () => clearTimeout(timer);
  }, [text, isWanted]);
  return read?.text === text ? read.lines : undefined;
}
