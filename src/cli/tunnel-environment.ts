import type { Io } from "./io.ts";

/** The environment of a tunnel's process. Its programs need much of ours, but not the secrets. */
export function childEnvironment({ env }: Io, secretEnv: readonly string[] = []): NodeJS.ProcessEnv {
  const secret = new Set(["NGROK_AUTHTOKEN", ...secretEnv]);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !secret.has(name) && !name.startsWith("HOOKPORTER_")),
  );
}
