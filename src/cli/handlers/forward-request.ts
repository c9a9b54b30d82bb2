import { ConfigurationError } from "../../base/errors.ts";
import type { ForwardRequest } from "../../relay/forward.ts";
import { publicAddressOf } from "../../relay/private-address.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { findVariable } from "../secrets/api-key.ts";
import type { ForwardRule } from "./forward-rules.ts";
import type { ForwardRequestOptions } from "./request-options.ts";
import { isHeaderValue } from "./values.ts";

interface Beside extends ForwardRequestOptions {
  readonly forwardTo?: readonly ForwardRule[];
  readonly signatureHeader?: string;
  readonly envFile?: string;
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
 * Reads how requests to targets differ from the delivery. Values come from the environment or the
 * env file. Throws `usage` for `--insecure` with a public address; `credential_missing`,
 * `credential_invalid` for a variable.
 */
export async function forwardRequest(
  options: Beside,
  context: CliContext,
): Promise<ForwardRequest> {
  const { forwardHost, insecure = false, forwardTo = [], passHeaders = [] } = options;
  if (insecure) await refusePublic(forwardTo);
  const added = addedHeaders(options, context);
  return { added, host: forwardHost, insecure, passed: passHeaders };
}

/**
 * The headers that each request gets besides its own, by name. Values come from the command line,
 * the environment or the env file. Throws `credential_missing`, `credential_invalid` for a
 * variable.
 */
export function addedHeaders(
  { header = [], headerEnv = [], envFile }: Pick<Beside, "header" | "headerEnv" | "envFile">,
  context: CliContext,
): Readonly<Record<string, string[]>> {
  const found = headerEnv.map(({ name, value: variable }) => {
    const value = findVariable(
      `the value of the header ${name}`,
      variable,
      envFile,
      context,
    ).trim();
    if (isHeaderValue(value)) return { name, value };
    throw new ConfigurationError(
      "credential_invalid",
      `expected ${variable} to be one line of Latin-1 text for the header ${name}, got something else: correct it`,
    );
  });
  const added: Record<string, string[]> = Object.create(null); // a name may be `constructor`
  for (const { name, value } of [...header, ...found])
    added[name] = [...(added[name] ?? []), value];
  return added;
}

/**
 * Without its certificate, nothing shows that a server on the internet is the one that was meant.
 */
async function refusePublic(rules: readonly ForwardRule[]): Promise<void> {
  for (const { target } of rules.filter(({ target }) => target.protocol === "https:")) {
    const address = await publicAddressOf(target);
    if (address === undefined) continue;
    const what = target.hostname === address ? address : `${target.hostname} (${address})`;
    throw usageError(
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
