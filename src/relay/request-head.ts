import { validateHeaderName, validateHeaderValue } from "node:http";

/** What precedes a request's body. */
export interface RequestHead {
  readonly target: URL;
  /** The query to send if the target has none, with its `?`, letter for letter; or empty. */
  readonly query: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The header `Host`; `undefined` for that of the target. */
  readonly host: string | undefined;
}

const SENDABLE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const SENDABLE_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The lines before a POST's body, as Latin-1: the given headers in their order and spelling, then those of the request.
 *
 * @throws TypeError as from Node's client if the path or a header has characters that HTTP does not allow
 */
export function requestHead({ target, query, headers, host }: RequestHead, length: number): string {
  const path = target.pathname + (target.search || query);
  if (/[^\u0021-\u00ff]/.test(path)) {
    const error = new TypeError("Request path contains unescaped characters");
    throw Object.assign(error, { code: "ERR_UNESCAPED_CHARACTERS" });
  }
  let lines = "";
  let authorized = false;
  for (const [name, values] of distinct(headers)) {
    const lower = name.toLowerCase();
    authorized ||= lower === "authorization";
    if (lower === "cookie") lines += headerLine(name, values.join("; "));
    else for (const value of values) lines += headerLine(name, value);
  }
  lines += `content-length: ${length}\r\n${headerLine("Host", host ?? target.host)}`;
  if (!authorized && (target.username !== "" || target.password !== "")) lines += credentials(target);
  return `POST ${path} HTTP/1.1\r\n${lines}Connection: keep-alive\r\n\r\n`;
}

/** Of several spellings of a name the last one counts. */
function distinct(headers: RequestHead["headers"]): readonly (readonly [string, readonly string[]])[] {
  const given = Object.entries(headers);
  const byName = new Map(given.map((header) => [header[0].toLowerCase(), header]));
  return byName.size === given.length ? given : [...byName.values()];
}

function headerLine(name: string, value: string): string {
  if (!SENDABLE_NAME.test(name)) validateHeaderName(name);
  if (!SENDABLE_VALUE.test(value)) validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

/** The user and password of a URL, as Node's client sends them. */
function credentials({ username, password }: URL): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Authorization: Basic ${Buffer.from(text).toString("base64")}\r\n`;
}
