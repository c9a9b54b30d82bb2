import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError, HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { missingPackage } from "../../base/package/missing-package.ts";
import { findPackage } from "../../base/package/own-address.ts";
import { type Environment, settingsFolder } from "../../base/system/paths.ts";
import { tryOr } from "../../base/try-or.ts";
import type { NgrokSettings } from "../../relay/tunnel/ngrok.ts";
import { AUTHTOKEN_PAGE, NGROK_INSTALL, NGROK_PACKAGE } from "../../relay/tunnel/ngrok-failure.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";
import { readEnvFile } from "../secrets/secret.ts";
import type { ReachableOptions } from "./tunnel-options.ts";

/**
 * The ngrok provider's settings, from the flag, the environment and files. ngrok's client does not
 * look for a token itself, and ngrok accepts no session without one. So a missing token is reported
 * before anything is sent. Throws `tunnel_client_missing`; `credential_missing`.
 */
export function ngrokSettings(
  { domain, envFile }: ReachableOptions,
  { io }: CliContext,
): NgrokSettings {
  requireClient();
  const ingress = ngrokIngress(io);
  const authtoken = findAuthtoken(io, envFile);
  // Another ingress may have other rules.
  if (authtoken === undefined && ingress.serverAddr === undefined) throw noAuthtoken(io, envFile);
  return {
    ...(authtoken !== undefined && { authtoken }),
    ...(domain !== undefined && { domain }),
    ...ingress,
  };
}

/** A production image may leave the client out. */
function requireClient(): void {
  if (findPackage(NGROK_PACKAGE) !== undefined) return;
  const is = "the client of --tunnel ngrok";
  const missing = {
    name: NGROK_PACKAGE,
    is,
    install: NGROK_INSTALL,
    instead: "use another --tunnel",
  };
  throw new HookporterError("tunnel_client_missing", missingPackage(missing));
}

/**
 * Looks in the environment, the env file, and ngrok's own file. There is no flag, since others
 * could read it.
 */
function findAuthtoken({ env, cwd }: Io, envFile: string | undefined): string | undefined {
  const variable = env.NGROK_AUTHTOKEN || readEnvFile(cwd, envFile).NGROK_AUTHTOKEN;
  if (variable) return variable.trim();
  const path = ngrokConfigPath(env);
  // ngrok is not set up on this machine
  return tryOr(
    () => (path === undefined ? undefined : authtokenOf(readFileSync(path, "utf8"))),
    undefined,
  );
}

function noAuthtoken({ env }: Io, envFile = ".env"): ConfigurationError {
  const places = [envFile, ngrokConfigPath(env)].filter((place) => place !== undefined);
  return new ConfigurationError(
    "credential_missing",
    `expected an ngrok authtoken, got none from NGROK_AUTHTOKEN, ${places.join(", ")}: ` +
      `set NGROK_AUTHTOKEN to the one from ${AUTHTOKEN_PAGE}`,
  );
}

/** The path of ngrok's configuration on this system. */
export function ngrokConfigPath(env: Environment): string | undefined {
  const folder = settingsFolder(env);
  return folder && join(folder, "ngrok", "ngrok.yml");
}

/**
 * The token in ngrok's configuration: at the top level in version 2 of its format, under `agent` in
 * version 3. Read line by line, since one plain value needs no YAML parser.
 */
export function authtokenOf(yaml: string): string | undefined {
  let section = "";
  for (const line of yaml.split(/\r?\n/)) {
    const [, indent = "", key, rest = ""] = /^(\s*)([\w-]+)\s*:(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    if (indent === "") section = key;
    const here = indent === "" || section === "agent";
    if (key !== "authtoken" || !here) continue;
    const [value = ""] = rest.split(/\s#/, 1);
    const token = value.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (token !== "") return token;
  }
  return undefined;
}

/**
 * The account's own ingress, which ngrok calls a connect address, and its certificate, from
 * variables. Throws `usage`.
 */
function ngrokIngress({ env, cwd }: Io) {
  const { HOOKPORTER_NGROK_SERVER_ADDR: serverAddr, HOOKPORTER_NGROK_CA_FILE: caFile } = env;
  if (serverAddr && !/^[^\s/]+:\d+$/.test(serverAddr)) {
    const got = JSON.stringify(serverAddr);
    throw usageError(`HOOKPORTER_NGROK_SERVER_ADDR: expected host:port, got ${got}`);
  }
  return {
    ...(serverAddr && { serverAddr }),
    ...(caFile && { ca: readCertificate(resolve(cwd, caFile)) }),
  };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    const why = describeFileError(thrown);
    throw usageError(`HOOKPORTER_NGROK_CA_FILE: could not read ${path}: ${why}`);
  }
}
