import { type IncomingHttpHeaders, maxHeaderSize } from "node:http";
import { answerFault } from "./answer-fault.ts";

/** Where an answer's body ends: after this many bytes, after its last chunk, or at the end of the connection. */
export type Framing = number | "chunked" | "until_close";

/** What precedes an answer's body. */
export interface AnswerHead {
  readonly status: number;
  /** By lowercase name, as Node presents them. */
  readonly headers: IncomingHttpHeaders;
  readonly framing: Framing;
  /** Whether the connection may serve another request. */
  readonly persistent: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [^\0\r\n]*)?$/;

const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

/** Headers of which the first counts; others with the same name are joined. */
const SINGLE: ReadonlySet<string> = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since
  last-modified location max-forwards proxy-authorization referer retry-after server user-agent`.split(/\s+/),
);

/**
 * Reads the lines before a body, without the empty line at their end.
 *
 * @throws Error with a code `HPE_…` if they are not those of an answer
 */
export function readHead(text: string): AnswerHead {
  const lineEnd = text.indexOf("\r\n");
  const [, minor, digits] = STATUS_LINE.exec(lineEnd === -1 ? text : text.slice(0, lineEnd)) ?? [];
  if (digits === undefined) throw answerFault("HPE_INVALID_CONSTANT", "Expected HTTP/1.1 and a status");
  const headers = lineEnd === -1 ? {} : readHeaders(text, lineEnd + 2);
  const status = Number(digits);
  const framing = framingOf(status, headers);
  const options = headers.connection?.toLowerCase() ?? "";
  const kept = minor === "1" ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
  return { status, headers, framing, persistent: kept && framing !== "until_close" };
}

function readHeaders(text: string, from: number): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = Object.create(null);
  for (let at = from; at < text.length; ) {
    let end = lineEndAfter(text, at);
    let line = text.slice(at, end);
    // A line that begins with a space continues the one before.
    for (let next = text[end + 2]; next === " " || next === "\t"; next = text[end + 2]) {
      const start = end + 2;
      end = lineEndAfter(text, start);
      line = `${line} ${text.slice(start, end).trim()}`;
    }
    const [, name, value = ""] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw answerFault("HPE_INVALID_HEADER_TOKEN", "Invalid header");
    addHeader(headers, name.toLowerCase(), value);
    at = end + 2;
  }
  return headers;
}

function lineEndAfter(text: string, at: number): number {
  const end = text.indexOf("\r\n", at);
  return end === -1 ? text.length : end;
}

function addHeader(headers: IncomingHttpHeaders, name: string, value: string): void {
  if (name === "set-cookie") {
    headers["set-cookie"] = [...(headers["set-cookie"] ?? []), value];
    return;
  }
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (name === "content-length")
    throw answerFault("HPE_UNEXPECTED_CONTENT_LENGTH", "Content-Length is given twice");
  else if (!SINGLE.has(name)) headers[name] = `${before}${name === "cookie" ? "; " : ", "}${value}`;
}

function framingOf(status: number, headers: IncomingHttpHeaders): Framing {
  const coding = headers["transfer-encoding"];
  const length = headers["content-length"];
  if (coding !== undefined && length !== undefined)
    throw answerFault("HPE_INVALID_CONTENT_LENGTH", "Content-Length beside Transfer-Encoding");
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw answerFault("HPE_INVALID_CONTENT_LENGTH", "Invalid Content-Length");
  if (status === 204 || status === 304 || status < 200) return 0;
  if (coding !== undefined) return /(?:^|,)[ \t]*chunked$/i.test(coding) ? "chunked" : "until_close";
  return length === undefined ? "until_close" : Number(length);
}

/** Where the empty line after a head begins; -1 if it has not arrived. */
export function findHeadEnd(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
  if (end > maxHeaderSize || (end === -1 && bytes.byteLength > maxHeaderSize))
    throw answerFault("HPE_HEADER_OVERFLOW", "Header overflow");
  return end;
}
