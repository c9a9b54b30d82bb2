import type { ListenOptions } from "../listen/listen-options.ts";

/**
 * Marks doctor's look at an endpoint of this machine, so that `listen` does not show it as a
 * refused delivery.
 */
export const DOCTOR_AGENT = "hookporter-doctor";

/** How often a drill kills a receiver by default. */
export const KILLS = 20;

/**
 * The settings of `listen` that decide what it needs, and that `doctor` looks at: they are said
 * once, for both.
 */
export const LISTENS_SETTINGS = [
  "path",
  "healthPort",
  "inspectPort",
  "exec",
  "onDead",
  "events",
  "insecure",
  "domain",
  "publicUrl",
  "sshHost",
  "sshIdentity",
  "sshRemotePort",
  "tunnelCommand",
  "tunnelUrlPattern",
  "subscribe",
  "baseUrl",
  "apiKeyEnv",
  "accessTokenEnv",
  "live",
] as const satisfies readonly (keyof ListenOptions)[];

/**
 * The options of `doctor`: its own, and those flags of `listen` that decide what `listen` needs.
 */
export interface DoctorOptions extends ListenOptions {
  readonly listen?: boolean;
  readonly url?: URL;
  readonly report?: boolean;
  /** `true` for the settings of `doctor`, or the name of another command. */
  readonly explain?: string | true;
  readonly drill?: boolean;
  readonly kills?: number;
  readonly yes?: boolean;
}
