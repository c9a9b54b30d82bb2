/**
 * A project's configuration file and variables come in. The settings that its server and the
 * commands share go out. No value of a secret is in an error.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError, describeError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { isRecord } from "../../base/guards.ts";
import { expandVariables, type Variables, variablesOf } from "./env-text.ts";
import { PREVIOUS_SECRET_VARIABLE, SECRET_VARIABLE, secretMistakes } from "./secret-variables.ts";

/** What a project's server needs to know, as `readProject` returns it. */
export interface Project {
  /**
   * `HOOKPORTER_SECRET`, and during a rotation a list of it and `HOOKPORTER_SECRET_PREVIOUS`.
   * `undefined` if the first is not set, which `createReceiver` refuses.
   */
  readonly secret: string | readonly [current: string, previous: string] | undefined;
  /**
   * A path, or a `postgres://` URL: what `createReceiver` takes as `inbox`, and what the commands
   * use.
   */
  readonly inbox: string;
  /** Where to listen. Default 3000. */
  readonly port: number;
  /** `HOST`. Default `127.0.0.1`, this machine only. */
  readonly host: string;
}

/**
 * The section `project` of `hookporter.config.json` or `hookporter.config.ts`: what a project's own
 * server uses.
 */
export interface ProjectSection {
  /**
   * The server's inbox: a path or a `postgres://` URL. `HOOKPORTER_INBOX` overrides it. Every
   * command but `listen` uses it.
   */
  readonly inbox?: string | undefined;
  /** The file or folder of the server's handlers, which `doctor` loads. */
  readonly handlers?: string | undefined;
  /** The server's port. `PORT` overrides it. */
  readonly port?: number | string | undefined;
  /** The path of the server's endpoint. Default `/webhooks`. */
  readonly path?: string | undefined;
}

/** The keys of the section. */
export const PROJECT_KEYS: readonly (keyof ProjectSection)[] = [
  "inbox",
  "handlers",
  "port",
  "path",
];
/** The port of a project's server by default. */
export const DEFAULT_PROJECT_PORT = 3000;

/**
 * Reads what a project says once, for its server and for the commands: `.env`, whose variables it
 * sets in `process.env` unless they are set already, and the section `project` of
 * `hookporter.config.json`.
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { readProject } from "hookporter/config";
 *
 * const { secret, inbox } = readProject();
 * const receiver = createReceiver({ secret, inbox });
 * ```
 *
 * @param folder - the project's folder. Default: the working folder
 * @throws ConfigurationError `option_invalid` if there is no inbox, the port is no port, or a file
 * cannot be read
 */
export function readProject(folder: string = process.cwd()): Project {
  const path = join(folder, ".env");
  const variables = existsSync(path) ? variablesOf(read(path)) : {};
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  const { env } = process;
  const section = readSection(folder, env);
  const inbox = env.HOOKPORTER_INBOX || section.inbox;
  if (!inbox) {
    throw new ConfigurationError(
      "option_invalid",
      `expected the inbox of the project in ${folder}, got none: set HOOKPORTER_INBOX, or "project": { "inbox": "…" } in hookporter.config.json`,
    );
  }
  return {
    secret: readSecret(env),
    inbox,
    port: readPort("PORT", env.PORT || `${section.port ?? ""}` || DEFAULT_PROJECT_PORT),
    host: env.HOST || "127.0.0.1",
  };
}

/** Mistakes in the names of a rotation would only show as deliveries that are refused. */
function readSecret(env: Variables): Project["secret"] {
  for (const { message, fix } of secretMistakes(env))
    process.emitWarning(`${message}: ${fix}`, "HookporterWarning");
  const current = env[SECRET_VARIABLE];
  const previous = env[PREVIOUS_SECRET_VARIABLE];
  return current && previous ? [current, previous] : current;
}

/**
 * Reads a port from a variable or a setting.
 *
 * @throws ConfigurationError `option_invalid`, with the name
 */
export function readPort(name: string, given: string | number): number {
  const port = /^\d+$/.test(String(given).trim()) ? Number(given) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConfigurationError(
    "option_invalid",
    `expected ${name} to be a port from 0 to 65535, got ${JSON.stringify(given)}: change it in .env or in the environment`,
  );
}

function readSection(folder: string, env: Variables): ProjectSection {
  const path = join(folder, "hookporter.config.json");
  if (!existsSync(path)) return {};
  const text = String(read(path)).replace(/^\uFEFF/, "");
  let content: unknown;
  try {
    content = JSON.parse(text, (_, value) =>
      typeof value === "string" ? expandVariables(value, env) : value,
    );
  } catch (cause) {
    throw invalid(path, `is not JSON: ${jsonError(cause)}`);
  }
  const { project, inbox } = isRecord(content) ? content : {};
  const section = isRecord(project) ? (project as ProjectSection) : {};
  return { ...(typeof inbox === "string" && { inbox }), ...section };
}

/**
 * What is wrong with a text that is not JSON. Node quotes what is around the error, which may be a
 * secret.
 */
export function jsonError(thrown: unknown): string {
  return describeError(thrown).replace(/,? (?:\.\.\.)?".*$/s, "");
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw invalid(path, `cannot be read: ${describeFileError(cause)}`);
  }
}

function invalid(path: string, what: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `${path} ${what}`);
}
