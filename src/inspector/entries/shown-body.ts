import { orElse } from "../../base/or-else.ts";
import { decodeUtf8 } from "../../event/utf8.ts";
import type { ShownBody } from "../api.ts";

/** The number of bytes of a body that are displayed; the rest can be downloaded. */
const MAX_SHOWN = 512 * 1024;
const MAX_DUMPED = 16 * 1024;

/** A body for display: its text, or a hex dump if it is not UTF-8. */
export function shownBody(body: Uint8Array): ShownBody {
  const bytes = body.byteLength;
  const text = textOf(body);
  if (text === undefined) {
    return { bytes, form: "binary", text: hexDump(body.subarray(0, MAX_DUMPED)), cut: bytes > MAX_DUMPED };
  }
  const cut = text.length > MAX_SHOWN;
  return { bytes, form: "text", text: cut ? text.slice(0, MAX_SHOWN) : text, cut };
}

/** The text of a body without its byte order mark; `undefined` if it is not UTF-8. */
export function textOf(body: Uint8Array): string | undefined {
  return orElse(() => decodeUtf8(body), undefined);
}

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.byteLength; at += 16) {
    const row = Buffer.from(bytes.subarray(at, at + 16));
    const hex = row.toString("hex").replaceAll(/(..)(?=.)/g, "$1 ");
    const ascii = row.toString("latin1").replaceAll(/[^ -~]/g, ".");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return lines.join("\n");
}
