import { escapeInvisible } from "../../../text/escape-invisible.ts";

/** Makes a text safe to display: see {@link escapeInvisible}. With `lines`, line breaks and tabs are kept. */
export function visible(text: string, { lines = false }: { readonly lines?: boolean } = {}): string {
  return escapeInvisible(text, lines ? "\n\t" : "");
}
