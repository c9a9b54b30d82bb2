import { isRecord } from "../base/guards.ts";
import { counted } from "../base/text/counted.ts";

/** What a file looks like that holds no webhook, and what to do. */
export interface ForeignFile {
  readonly looksLike: string;
  readonly fix: string;
}

const NAME_ANOTHER = 'name a file with one webhook: its envelope has an "event"';
const BODY_ALONE = "save the bytes of its body alone, unchanged, as a file";

/** The files of other programs by what their JSON has, and where the webhook may be in them. */
const KNOWN: readonly ((value: Readonly<Record<string, unknown>>) => ForeignFile | undefined)[] = [
  ({ format }) =>
    typeof format === "string" && format.startsWith("hookporter-delivery/")
      ? { looksLike: "a saved delivery of another version", fix: "update hookporter" }
      : undefined,
  ({ log }) =>
    isRecord(log) && Array.isArray(log.entries)
      ? {
          looksLike: `a HAR with ${counted(log.entries.length, "entry", "entries")}`,
          fix: BODY_ALONE,
        }
      : undefined,
  ({ info, item }) =>
    isRecord(info) && Array.isArray(item)
      ? {
          looksLike: `a Postman collection with ${counted(item.length, "item", "items")}`,
          fix: BODY_ALONE,
        }
      : undefined,
  ({ specversion }) => (specversion === undefined ? undefined : known("a CloudEvent")),
  ({ openapi, swagger }) =>
    openapi === undefined && swagger === undefined ? undefined : known("an OpenAPI description"),
  ({ compilerOptions }) => (compilerOptions === undefined ? undefined : known("a tsconfig.json")),
  ({ name, version, dependencies, devDependencies, scripts }) =>
    typeof name === "string" &&
    (version ?? dependencies ?? devDependencies ?? scripts) !== undefined
      ? known("a package.json")
      : undefined,
  ({ $schema }) =>
    typeof $schema === "string" && /json-schema\.org/.test($schema)
      ? known("a JSON Schema")
      : undefined,
  ({ headers, body, request, requests }) => {
    if (headers !== undefined && body !== undefined)
      return { looksLike: "a request with its headers, of another program", fix: BODY_ALONE };
    if (isRecord(request) || Array.isArray(requests))
      return { looksLike: "requests that another program recorded", fix: BODY_ALONE };
    return undefined;
  },
];

/** What a JSON value looks like that is no webhook. */
export function foreignJson(value: unknown): ForeignFile {
  if (Array.isArray(value)) {
    const fix = "write one a line, to a file whose name ends in .ndjson";
    return { looksLike: `a list of ${counted(value.length, "value", "values")}`, fix };
  }
  if (!isRecord(value)) return known("JSON that is no object");
  for (const recognise of KNOWN) {
    const found = recognise(value);
    if (found !== undefined) return found;
  }
  return known('a JSON object without "event"');
}

/** What bytes look like that are no JSON. */
export function foreignBytes(bytes: Uint8Array): ForeignFile {
  const [first, second] = bytes;
  if (first === undefined) return known("an empty file");
  if (first === 0x1f && second === 0x8b)
    return { looksLike: "gzip", fix: "unpack it first, with gunzip" };
  if (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    first === 0 ||
    second === 0
  )
    return { looksLike: "text in UTF-16", fix: "save it as UTF-8" };
  const [text = "", ...others] = Buffer.from(bytes).toString("utf8").trim().split(/\r?\n/);
  const isLines = others.length > 0 && [text, others.at(-1) ?? ""].every(isJsonObject);
  if (isLines)
    return { looksLike: "several JSON objects, one a line", fix: "rename it, to end in .ndjson" };
  return known("text that is no JSON");
}

function known(looksLike: string): ForeignFile {
  return { looksLike, fix: NAME_ANOTHER };
}

function isJsonObject(line: string): boolean {
  try {
    return isRecord(JSON.parse(line));
  } catch {
    return false;
  }
}
