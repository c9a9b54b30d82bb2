import { JsonReader } from "../../json/json-reader.ts";

export type JsonProblem = ReturnType<typeof problemAt>;

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

export async function findProblem(text: string): Promise<JsonProblem | undefined> {
  const { reader, isJson } = await readParts(text);
  return isJson ? undefined : problemAt(text, reader);
}

function problemAt(text: string, { position, expected }: JsonReader) {
  if (position >= text.length) {
    // Nothing can be marked after the end, so the last character is.
    const from = Math.max(0, text.trimEnd().length - 1);
    return {
      from,
      to: Math.min(text.length, from + 1),
      message: `expected ${expected}, got the end`,
    };
  }
  const [token = ""] =
    /^(?:"[^"\n]*"?|[\w.+-]+|.)/su.exec(text.slice(position, position + 200)) ?? [];
  const message =
    token.startsWith('"') && /value|key/.test(expected)
      ? "this string is not valid"
      : `expected ${expected}`;
  return { from: position, to: position + token.length, message };
}
