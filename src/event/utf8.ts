import { Buffer } from "node:buffer";
import { isAscii, isUtf8 } from "../base/package/builtins.ts";

const BOM = [0xef, 0xbb, 0xbf];

/** Decodes a body without its byte order mark; throws if the bytes are not UTF-8. */
export function decodeUtf8(body: Uint8Array): string {
  const marked = hasByteOrderMark(body) ? BOM.length : 0;
  const bytes = Buffer.from(body.buffer, body.byteOffset + marked, body.byteLength - marked);
  if (isAscii(bytes)) return bytes.toString("latin1"); // the same text, but faster
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new TypeError("expected UTF-8");
}

/** Whether bytes start with UTF-8's byte order mark, which some editors and senders add. */
export function hasByteOrderMark(body: Uint8Array): boolean {
  return body[0] === BOM[0] && body[1] === BOM[1] && body[2] === BOM[2];
}
