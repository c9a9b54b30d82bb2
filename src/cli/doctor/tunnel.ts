import { statSync } from "node:fs";
import { resolve } from "node:path";
import { shownMode } from "../../base/system/files.ts";
import { findProgram } from "../../base/system/programs.ts";
import { COMMAND_PRESETS } from "../../relay/tunnel/command-presets.ts";
import { TUNNEL_KINDS } from "../tunnel/kinds.ts";
import { ngrokConfigPath, ngrokSettings } from "../tunnel/ngrok-settings.ts";
import { checkKey } from "../tunnel/ssh-settings.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import type { Setup } from "./setup.ts";

/** What the tunnel of `--tunnel` needs on this machine. It is not opened. */
export const tunnel: DoctorCheck = {
  name: "tunnel",
  run: (setup) => {
    const { tunnel: name } = setup.options;
    if (name === undefined) return [];
    const { provider } = TUNNEL_KINDS[name];
    const problems =
      provider === "ngrok" ? ngrok(setup) : provider === "ssh" ? ssh(setup) : program(setup);
    return problems.length > 0 ? problems : [ok(`${name}: what it needs is here`)];
  },
};

function ngrok({ options, context }: Setup): readonly Finding[] {
  // throws if its client or the token is missing, or others may read the token
  ngrokSettings(options, context);
  const path = ngrokConfigPath(context.io.env);
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  const mode = found === undefined ? undefined : shownMode(found, 0o077);
  if (mode === undefined) return [];
  return [
    warn(`other users may read ngrok's authtoken in ${path} (mode ${mode})`, `chmod 600 ${path}`),
  ];
}

function ssh({ options, context: { io } }: Setup): readonly Finding[] {
  const missing = notFound("ssh", io, "install OpenSSH's client");
  if (missing.length > 0 || options.sshIdentity === undefined) return missing;
  const path = resolve(io.cwd, options.sshIdentity);
  checkKey(path);
  const mode = shownMode(statSync(path), 0o077);
  if (mode === undefined) return [];
  return [
    fail(`ssh refuses ${path}, which other users may read (mode ${mode})`, `chmod 600 ${path}`),
  ];
}

function program({ options, context: { io } }: Setup): readonly Finding[] {
  const { tunnel: name, tunnelCommand } = options;
  if (name !== undefined && isPreset(name))
    return notFound(
      COMMAND_PRESETS[name].command[0],
      io,
      `install ${name}, or choose another --tunnel`,
    );
  const [first] = tunnelCommand ?? [];
  if (first === undefined)
    return [fail("--tunnel command has no command", "set tunnelCommand and tunnelUrlPattern")];
  return notFound(first, io, "install it, or correct --tunnel-command");
}

function isPreset(name: string): name is keyof typeof COMMAND_PRESETS {
  return Object.hasOwn(COMMAND_PRESETS, name);
}

function notFound(name: string, io: Setup["context"]["io"], fix: string): readonly Finding[] {
  return findProgram(name, io) === undefined
    ? [fail(`the program ${name} cannot be found`, fix)]
    : [];
}
