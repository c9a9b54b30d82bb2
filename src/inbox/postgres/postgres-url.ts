import { invalidOption } from "../../base/options/check-options.ts";

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/**
 * Stands for the host that a URL leaves out because a parameter names a socket, as Cloud SQL's
 * does.
 */
const NO_HOST = "no-host.invalid";

/**
 * Reads the URL of a database. What follows the host must not look like the rest of a password:
 * pieces of it would be taken for a host or a database, and be shown.
 *
 * @throws ConfigurationError `option_invalid`; no part of the URL is in the message
 */
export function readPostgresUrl(text: string): URL {
  const url = parse(text);
  if (url !== undefined && !isPartOfPassword(url)) return url;
  const hosts = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(text)?.[1] ?? "";
  throw invalidOption(
    hosts.includes(",")
      ? "expected the inbox's URL to name one host, got several: the client pg connects to one; name the primary server, or an address that follows it"
      : "expected the inbox's URL to have the form postgres://user:password@host:5432/database, got another text: " +
          "encode special characters of the password, such as @ as %40 and / as %2F",
  );
}

function parse(text: string): URL | undefined {
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/i, `$1${NO_HOST}`);
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function isPartOfPassword({ pathname, search, hash }: URL): boolean {
  return pathname.includes("@") || /^\?[^=]*@/.test(search) || hash !== "";
}

/**
 * Whether a text is the URL of a PostgreSQL database and holds a password. One that cannot be read
 * may hold one.
 */
export function hasPassword(text: string): boolean {
  if (!isPostgresUrl(text)) return false;
  const url = parse(text);
  if (url === undefined || isPartOfPassword(url)) return text.includes("@");
  return url.password !== "" || url.searchParams.has("password");
}

/** A URL of PostgreSQL without its password, if it holds one. */
export function withoutPassword(text: string): string {
  const url = parse(text);
  if (url === undefined || isPartOfPassword(url)) return "";
  url.password = "";
  url.searchParams.delete("password");
  return url.href.replace(NO_HOST, "");
}

/** The form in which a URL of PostgreSQL may be shown: its host, database and schema. */
export function shownPostgresUrl(text: string): string {
  const url = parse(text);
  if (url === undefined || isPartOfPassword(url)) return "postgres://…";
  const schema = url.searchParams.get("schema");
  return `postgres://${hostOf(url)}${url.pathname}${schema === null ? "" : `?schema=${encodeURIComponent(schema)}`}`;
}

/** The schema of the inbox's tables if nothing names another. */
export const DEFAULT_SCHEMA = "hookporter";

/**
 * Which inbox on PostgreSQL a URL leads to, whatever its user: its host, port, database and schema,
 * each as it is without being named. `undefined` for a text that cannot be read.
 */
export function postgresPlace(text: string): string | undefined {
  const url = parse(text);
  if (url === undefined || isPartOfPassword(url)) return undefined;
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  const host = hostOf(url).toLowerCase();
  const hasPort = url.port !== "" || host.startsWith("/");
  const database = url.pathname === "" ? "/" : url.pathname;
  return `postgres://${host}${hasPort ? "" : ":5432"}${database}?schema=${encodeURIComponent(schema)}`;
}

/** Whether a URL names neither a user nor a password. */
export function namesNoUser(text: string): boolean {
  const url = parse(text);
  return url !== undefined && url.username === "" && !hasPassword(text);
}

/** The host and the database; never the password, nor other parameters, which may hold one. */
export function nameOf(url: URL): string {
  const user = url.username === "" ? "" : `${url.username}@`;
  return `postgres://${user}${hostOf(url)}${url.pathname}`;
}

function hostOf({ host, searchParams }: URL): string {
  return searchParams.get("host") ?? (host === NO_HOST ? "" : host);
}

/** A URL as the client takes it: the parameter `schema` is ours. */
export function withoutSchema(text: string): string {
  return text.replace(/([?&])schema=[^&]*(&|$)/, (_, before, after) =>
    after === "" ? "" : before,
  );
}
