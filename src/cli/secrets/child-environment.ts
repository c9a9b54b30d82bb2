import type { Io } from "../io.ts";

/**
 * The environment for another program: ours without `HOOKPORTER_*`, which may hold secrets, and without the variables that
 * were named for them.
 */
export function childEnvironment(
  { env }: Pick<Io, "env">,
  secretNames: readonly string[],
): Readonly<Record<string, string>> {
  const secret = new Set(["NGROK_AUTHTOKEN", ...secretNames]);
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || secret.has(name) || name.startsWith("HOOKPORTER_") ? [] : [[name, value]],
    ),
  );
}
