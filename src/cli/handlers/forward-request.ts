import { type Command, InvalidArgumentError } from "commander";
import { ConfigurationError, HookporterError } from "../../errors.ts";
import type { ForwardRequest } from "../../relay/forward.ts";
import { publicAddressOf } from "../../relay/private-lookup.ts";
import { NOT_PASSED_ON } from "../../relay/send.ts";
import { SIGNATURE_HEADER } from "../../signature/sign.ts";
import type { CliContext } from "../context.ts";
import { findVariable } from "../secrets/api-key.ts";
import { isPastedKey, readHeaderName, readVariableName } from "../settings/values.ts";
import type { ForwardRule } from "./forward-rules.ts";

/** A header to add, with its value or the variable that holds it. */
export interface AddedHeader {
  readonly name: string;
  readonly value: string;
}

/** The options for how requests to targets differ from the delivery. */
export interface ForwardRequestOptions {
  readonly header?: readonly AddedHeader[];
  /** Headers whose values are in environment variables; `value` is the variable's name. */
  readonly headerEnv?: readonly AddedHeader[];
  readonly forwardHost?: string;
  readonly insecure?: boolean;
}

/** The options that have to agree with them. */
interface Beside extends ForwardRequestOptions {
  readonly forwardTo?: readonly ForwardRule[];
  readonly signatureHeader?: string;
  readonly envFile?: string;
}

/** Adds the options for requests to targets. */
export function addForwardRequestOptions(command: Command): Command {
  return command
    .option(
      "--header <header>",
      "header to add to each forward, such as 'x-team: billing'; may be repeated; for a secret use --header-env",
      readAddedHeader,
    )
    .option(
      "--header-env <name=variable>",
      "header to add whose value is in an environment variable, such as authorization=APP_TOKEN; may be repeated",
      readHeaderVariable,
    )
    .option(
      "--forward-host <host>",
      "Host header of each forward (default: that of the target)",
      readForwardHost,
    )
    .option(
      "--insecure",
      "forward to https targets with any certificate, such as a self-signed one; loopback and private addresses only",
    );
}

/** Reads `Name: value`; a repeated flag adds to it. */
export function readAddedHeader(text: string, before: readonly AddedHeader[] = []): readonly AddedHeader[] {
  const [, name, value = ""] = /^([^:\s]+):(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("expected a header such as 'x-team: billing'.");
  if (!isHeaderValue(value.trim()))
    throw new InvalidArgumentError("expected the header's value to be one line of Latin-1 text.");
  return [...before, { name: readName(name), value: value.trim() }];
}

/** Reads `name=VARIABLE`; a repeated flag adds to it. */
export function readHeaderVariable(
  text: string,
  before: readonly AddedHeader[] = [],
): readonly AddedHeader[] {
  const [, name, variable = ""] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError("expected a header and the NAME of a variable: authorization=APP_TOKEN.");
  return [...before, { name: readName(name), value: readVariableName(variable) }];
}

/** Reads a host, with or without a port. */
export function readForwardHost(text: string): string {
  const [, host] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.exec(text) ?? [];
  if (host !== undefined && !isPastedKey(host)) return text.toLowerCase();
  throw new InvalidArgumentError("expected a host such as app.test or app.test:8080.");
}

function readName(text: string): string {
  const name = readHeaderName(text);
  if (name === "host")
    throw new InvalidArgumentError("expected another header than host: use --forward-host.");
  if (!NOT_PASSED_ON.has(name)) return name;
  throw new InvalidArgumentError(`expected another header than ${name}: each forward has its own.`);
}

/** Node refuses other values when it sends them. */
function isHeaderValue(value: string): boolean {
  return /^[\t -~\u00a0-\u00ff]*$/.test(value);
}

/** What is wrong with the names of added headers: the signature must arrive as it was sent. */
export function notTheSignature({
  header = [],
  headerEnv = [],
  signatureHeader = SIGNATURE_HEADER,
}: Beside): string | undefined {
  const wrong = [...header, ...headerEnv].some(({ name }) => name === signatureHeader);
  if (!wrong) return undefined;
  return `expected --header and --header-env to leave ${signatureHeader} alone, which signs the delivery: remove it`;
}

/**
 * Reads how requests to targets differ from the delivery. Values come from the environment or the env file.
 *
 * @throws HookporterError `usage` for `--insecure` with a public address; ConfigurationError `credential_missing`,
 *   `credential_invalid` for a variable
 */
export async function forwardRequest(options: Beside, context: CliContext): Promise<ForwardRequest> {
  const { header = [], headerEnv = [], forwardHost, insecure = false, forwardTo = [], envFile } = options;
  if (insecure) await refusePublic(forwardTo);
  const found = headerEnv.map(({ name, value: variable }) => {
    const value = findVariable(`the value of the header ${name}`, variable, envFile, context).trim();
    if (isHeaderValue(value)) return { name, value };
    throw new ConfigurationError(
      "credential_invalid",
      `expected ${variable} to be one line of Latin-1 text for the header ${name}, got something else: correct it`,
    );
  });
  const added: Record<string, string[]> = {};
  for (const { name, value } of [...header, ...found]) added[name] = [...(added[name] ?? []), value];
  return { added, host: forwardHost, insecure };
}

/** Without its certificate, nothing shows that a server on the internet is the one that was meant. */
async function refusePublic(rules: readonly ForwardRule[]): Promise<void> {
  for (const { target } of rules.filter(({ target }) => target.protocol === "https:")) {
    const address = await publicAddressOf(target);
    if (address === undefined) continue;
    const what = target.hostname === address ? address : `${target.hostname} (${address})`;
    throw new HookporterError(
      "usage",
      `expected loopback or private addresses with --insecure, got ${what}, a public one: remove --insecure, and set NODE_EXTRA_CA_CERTS if the certificate has its own authority`,
    );
  }
}

/** Prints how requests differ, without the values of headers. */
export function announceForwardRequest(options: Beside, { output }: CliContext): void {
  const { header = [], headerEnv = [], forwardHost, insecure = false, forwardTo = [] } = options;
  const names = [...new Set([...header, ...headerEnv].map(({ name }) => name))];
  if (names.length > 0)
    output.talk(`  adding ${names.length === 1 ? "header" : "headers"} ${names.join(", ")}`);
  if (forwardHost !== undefined) output.talk(`  with Host ${forwardHost}`);
  if (!insecure) return;
  const unchecked = forwardTo.filter(({ target }) => target.protocol === "https:");
  const origins = [...new Set(unchecked.map(({ target }) => target.origin))];
  output.talk(
    origins.length === 0
      ? "  --insecure has no effect: no target uses https"
      : output.color.red(
          `  WARNING: --insecure: the certificate of ${origins.join(", ")} is not checked, so any program there could read the deliveries`,
        ),
  );
}
