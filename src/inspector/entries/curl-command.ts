import { escapeInvisible } from "../../base/text/escape-invisible.ts";
import { quotedWord, shellWord } from "../../base/text/shell-word.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import type { Delivery } from "../../event/delivery.ts";
import { curlLine } from "../../relay/curl-line.ts";
import { sentHeaders } from "../../relay/exchange.ts";
import { textOf } from "./shown-delivery.ts";

/**
 * Longer bodies, and bodies with characters that a terminal interprets when pasted, are passed as
 * base64.
 */
const MAX_PASTED = 32 * 1024;

/**
 * A POSIX shell command that resends a delivery byte for byte, with its signature. Without its
 * query and the `hidden` headers, since people paste commands into chats and tickets.
 */
export function curlCommand(
  { target, headers, body }: Delivery,
  endpoint: URL,
  hidden: readonly string[] = [],
): string {
  const { line, leftOut } = curlLine({
    target: endpoint,
    headers: sentHeaders(headers),
    file: "-",
  });
  const query = target.includes("?") ? shownUrl(target.slice(target.indexOf("?"))) : "?";
  const notes = [
    omitted("a command line cannot carry it", leftOut),
    omitted("they may be credentials", hidden),
    omitted("its values may be credentials", query === "?" ? [] : [query]),
  ];
  return `${printing(body)} | ${line}${notes.join("")}\n`;
}

function omitted(why: string, what: readonly string[]): string {
  const words = what.map((word) => shellWord(word));
  return words.length === 0 ? "" : `\n# omitted, since ${why}: ${words.join(", ")}`;
}

function printing(body: Uint8Array): string {
  const text = textOf(body);
  // no byte order mark
  const plain = text !== undefined && Buffer.byteLength(text) === body.byteLength;
  if (plain && body.byteLength <= MAX_PASTED && escapeInvisible(text, "\n") === text) {
    return `printf '%s' ${quotedWord(text, "\n")}`;
  }
  return `printf '%s' '${Buffer.from(body).toString("base64")}' | base64 -d`;
}
