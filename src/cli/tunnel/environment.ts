import type { Io } from "../io.ts";

/** What a tunnel's process gets of the environment: the programs it starts need much of it, and secrets are not theirs. */
export function childEnvironment({ env }: Io, secretEnv: readonly string[] = []): NodeJS.ProcessEnv {
  const secret = new Set(["NGROK_AUTHTOKEN", ...secretEnv]);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !secret.has(name) && !name.startsWith("HOOKPORTER_")),
  );
}
