import type { Io } from "../io.ts";

/** Names of variables that other programs must not get. */
export interface WithheldOptions {
  readonly secretEnv?: readonly string[];
  /** More variables that hold keys, whether or not they are used. */
  readonly withheldEnv?: readonly string[];
}

/**
 * The environment for another program: ours without `HOOKPORTER_*`, which may hold secrets, and
 * without the variables that were named for them. Windows finds a variable in any case, so a secret
 * may be in one that is written otherwise.
 */
export function childEnvironment(
  { env }: Pick<Io, "env">,
  { secretEnv = [], withheldEnv = [] }: WithheldOptions,
): Readonly<Record<string, string>> {
  const secret = new Set(
    ["NGROK_AUTHTOKEN", ...secretEnv, ...withheldEnv].map((name) => name.toUpperCase()),
  );
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const upper = name.toUpperCase();
      const isWithheld =
        value === undefined || secret.has(upper) || upper.startsWith("HOOKPORTER_");
      return isWithheld ? [] : [[name, value]];
    }),
  );
}
