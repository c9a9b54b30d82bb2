import { trimEndOf } from "../../base/text/trim-end.ts";
import { tryOr } from "../../base/try-or.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";
import { printWithOriginalSpacing } from "./json-spacing.ts";
import { endsOf, type JsonTokens, nameOf, tokenise } from "./json-tokens.ts";
import { plainText, typesetTexts } from "./typeset.ts";

/** More values within the body are not tried, and texts that are wrapped again only so deep. */
const MOST_INSIDE = 24;
const MOST_LAYERS = 2;

/**
 * The names of members in which queues, gateways and logs put a body, which alone are shown:
 * nothing else of the body is.
 */
const KNOWN = new Set(
  [
    "Message message body Body payload detail data Data data_base64 $content content value",
    "Records Messages kinesis Sns event Event records text postData request log entry entries",
    "input raw rawBody requestBody msg envelope attributes MessageBody",
  ].flatMap((names) => names.split(" ")),
);

/** The members that a queue or a gateway on the signing side puts a body in. */
const AROUND = ["body", "Message", "payload", "data", "message", "event", "detail", "value"];

/** What a value within the body holds: its own text, or text in a string. */
interface Inside {
  readonly path: readonly string[];
  readonly bytes: () => Uint8Array | string;
}

/** The body within JSON around it, at any depth, as text, as base64 or as JSON. */
export function insideJson(json: JsonTokens): readonly BodyVariant[] {
  return insideOf(json, MOST_LAYERS).map(({ path, bytes }) => {
    const shown = path.filter((name) => KNOWN.has(name)).map((name) => `\`${name}\``);
    return variant([cause("body_wrapped", `in ${shown.join(", ") || "a member"}`)], bytes);
  });
}

function insideOf(json: JsonTokens, layers: number): readonly Inside[] {
  const { tokens, gaps } = json;
  const ends = endsOf(tokens);
  const names: string[] = [];
  const found: Inside[] = [];
  for (let at = 0; at < tokens.length && found.length < MOST_INSIDE; at++) {
    const token = tokens[at] ?? "";
    const isKey = tokens[at + 1] === ":";
    if (token === "}" || token === "]") names.pop();
    const name = tokens[at - 1] === ":" ? nameOf(tokens[at - 2] ?? '""') : "";
    const path = [...names, name];
    const isOpening = token === "{" || token === "[";
    // The event's own data is another cause.
    if (isOpening && at > 0 && !(names.length === 1 && name === "data")) {
      const end = (ends[at] ?? at) + 1;
      const value = tokens.slice(at, end);
      const own = { tokens: value, gaps: ["", ...gaps.slice(at + 1, end)], lead: "", tail: "" };
      found.push({ path, bytes: () => printWithOriginalSpacing(value, own) });
    }
    if (isOpening) names.push(name);
    if (token.startsWith('"') && !isKey) found.push(...insideText(token, path, layers));
  }
  return found;
}

/** A string that holds JSON, or base64 of something long enough to be a body. */
function insideText(token: string, path: readonly string[], layers: number): readonly Inside[] {
  if (token.length < 4) return [];
  const inside: string = JSON.parse(token);
  if (/^\s*[{[]/.test(inside)) {
    const again = layers > 1 ? tokenise(inside) : undefined;
    const deeper = again === undefined ? [] : insideOf(again, layers - 1);
    return [
      { path, bytes: () => inside },
      ...deeper.map(({ path: more, bytes }) => ({ path: [...path, ...more], bytes })),
    ];
  }
  const isKnown = KNOWN.has(path.at(-1) ?? "");
  const isBase64 = inside.length >= 16 && /^[\w+/-]+={0,2}$/.test(inside);
  return [
    ...(isKnown ? [{ path, bytes: () => inside }] : []),
    ...(isBase64 ? [{ path, bytes: () => Buffer.from(inside, "base64") }] : []),
  ];
}

/** The body within text of another program: a request, its log, or a body that came twice. */
export function textAround(text: string): readonly BodyVariant[] {
  const wrapped = (what: string, bytes: () => string | undefined) =>
    variant([cause("body_wrapped", what)], bytes);
  const inside = (open: string, close: string) => {
    const start = text.indexOf(open);
    const end = text.lastIndexOf(close);
    const isAround = start > 0 || end < text.trimEnd().length - 1;
    return start === -1 || end < start || !isAround ? undefined : text.slice(start, end + 1);
  };
  const pairs = [
    ["{", "}"],
    ["[", "]"],
  ] as const;
  return [
    wrapped("in a whole request", () => afterHead(text)),
    wrapped("in a whole request", () => mapped(afterHead(text), (rest) => trimEndOf(rest, "\r\n"))),
    wrapped("in a whole request, in chunks", () => mapped(afterHead(text), joinedChunks)),
    wrapped("in chunks of HTTP", () => joinedChunks(text)),
    wrapped("in what curl prints", () => ofCurl(text)),
    ...pairs.flatMap(([open, close]) => [
      wrapped("between other text", () => inside(open, close)),
      wrapped("in a line of a log, as a JSON string", () => mapped(inside(open, close), unescaped)),
      wrapped("between quotes, as a JSON string", () =>
        mapped(inside(open, close), (json) => unescaped(unescaped(json) ?? "")),
      ),
    ]),
    wrapped("as the last line", () =>
      halfOf(text) === undefined
        ? text.slice(text.trimEnd().lastIndexOf("\n") + 1).trimEnd()
        : undefined,
    ),
    variant([cause("body_string", "its quotes escaped on this side")], () => unescaped(text)),
    variant([cause("body_string", "its quotes escaped on the signing side")], () =>
      text.replace(/["\\]/g, "\\$&"),
    ),
    variant([cause("body_string", "its quotes escaped on the signing side")], () =>
      text.replace(/["'\\]/g, "\\$&"),
    ),
    variant([cause("body_string", "without its quotes on the signing side")], () =>
      text.replaceAll('"', ""),
    ),
    variant([cause("body_twice", "on this side")], () => halfOf(text)),
    variant([cause("body_twice", "on the signing side")], () => text + text),
    ...typesetBodies(text),
    ...aroundThere(text),
  ];
}

function mapped(
  text: string | undefined,
  change: (text: string) => string | undefined,
): string | undefined {
  return text === undefined ? undefined : change(text);
}

/** What follows the first empty line, if a request or headers come before it. */
function afterHead(text: string): string | undefined {
  if (!/^(?:HTTP\/|[A-Z]{3,7} \S|[\w-]{1,80}: )/.test(text)) return undefined;
  const [end] = /\r?\n\r?\n/.exec(text) ?? [];
  return end === undefined ? undefined : text.slice(text.indexOf(end) + end.length);
}

/** The parts of a chunked body, without their sizes. */
function joinedChunks(text: string): string | undefined {
  const bytes = Buffer.from(text);
  const found: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\n", at);
    const head = line === -1 || line - at > 20 ? "" : bytes.toString("latin1", at, line);
    const digits = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(head)?.[1];
    if (digits === undefined) return undefined;
    const size = Number.parseInt(digits, 16);
    if (size === 0) return found.length === 0 ? undefined : Buffer.concat(found).toString("utf8");
    found.push(bytes.subarray(line + 1, line + 1 + size));
    at = line + 1 + size;
    if (bytes[at] === 0x0d) at++;
    if (bytes[at] === 0x0a) at++;
  }
}

/** Without the lines of `curl -v`, or from those of `curl --trace-ascii`. */
function ofCurl(text: string): string | undefined {
  if (!/^(?:[*<>] |[=<>{}*] |== Info|=> Send)/m.test(text)) return undefined;
  const lines = text.split(/\r?\n/);
  const traced = lines.flatMap((line) => {
    const shown = /^[0-9a-f]{4}: (.*)$/.exec(line)?.[1];
    return shown === undefined ? [] : [shown];
  });
  const isHead = (line: string) =>
    /^(?:[*<>{}=] |[*<>]$|[{}] \[|[<=]=|=>|[0-9a-f]{4}: )/.test(line);
  if (traced.length === 0) return trimEndOf(lines.filter((line) => !isHead(line)).join("\n"), "\n");
  const start = traced.findIndex((line) => /^\s*[{[]/.test(line));
  return start === -1 ? undefined : traced.slice(start).join("");
}

function unescaped(text: string): string | undefined {
  if (!text.includes("\\")) return undefined;
  // Quotes that are not escaped, as in single quotes around it, are no end of a string.
  const quoted = text.replace(/\\.|"/gs, (found) => (found === '"' ? '\\"' : found));
  return tryOr(() => JSON.parse(`"${quoted}"`) as string, undefined);
}

/** The first half of a body that is there twice, perhaps with a line break between. */
function halfOf(text: string): string | undefined {
  const whole = trimEndOf(text, "\r\n");
  for (const between of [0, 1, 2]) {
    const length = (whole.length - between) / 2;
    const half = whole.slice(0, length);
    const isTwice = Number.isInteger(length) && whole.slice(length + between) === half;
    if (isTwice && length > 0 && whole.slice(length, length + between).trim() === "") return half;
  }
  return undefined;
}

/** With typographic quotes, spaces that do not break and the like on one side. */
function typesetBodies(text: string): readonly BodyVariant[] {
  const here = cause("unicode_form", "typographic or invisible characters on this side");
  const there = cause("unicode_form", "typographic characters on the signing side");
  const plain = () => mapped(plainText(text), (made) => (made === text ? undefined : made));
  return [
    variant([here], plain),
    ...(text.length > 100_000 ? [] : typesetTexts(text)).map((made) =>
      variant([there], () => made),
    ),
  ];
}

/** In what a queue or a gateway on the signing side puts around it. */
function aroundThere(text: string): readonly BodyVariant[] {
  if (!/^\s*[{[]/.test(text)) return [];
  const why = [cause("body_wrapped", "on the signing side")];
  const base64 = () => Buffer.from(text).toString("base64");
  return [
    variant(why, () => `[${text}]`),
    ...AROUND.flatMap((name) => [
      variant(why, () => `{"${name}":${text}}`),
      variant(why, () => `{"${name}":${JSON.stringify(text)}}`),
      variant(why, () => `{"${name}":"${base64()}"}`),
    ]),
    variant(why, () => `{"message":{"data":"${base64()}"}}`),
    variant(why, () => `{"Records":[{"body":${JSON.stringify(text)}}]}`),
  ];
}
