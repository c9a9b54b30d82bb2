import { resolve } from "node:path";
import type { Inbox } from "../../inbox/inbox.ts";
import type { CliContext } from "../context.ts";
import { startHealthServer } from "./health-server.ts";
import { Readiness } from "./readiness.ts";
import { openReadyFile } from "./ready-file.ts";

/** The options that say how readiness is told. */
export interface ReadinessOptions {
  readonly readyFile?: string;
  readonly healthPort?: number;
}

/** Ways to tell others that deliveries can come. */
export interface OpenReadiness {
  /** What must hold. */
  readonly checks: Readiness;
  /** Says that all is open; gives the way to take it back, to be called before anything is closed. */
  readonly announce: (fields: object) => () => void;
  /** Says it anew where something has changed, if it is still said. */
  readonly update: (fields: object) => void;
  /** Where readiness can be asked for. */
  readonly healthUrl: URL | undefined;
}

/**
 * Opens the health server and clears the ready file, before anything else is open: who asks early gets 503, and who waits
 * for the file waits for this process.
 */
export async function openReadiness(
  { readyFile, healthPort }: ReadinessOptions,
  { io }: CliContext,
  stops: (() => unknown)[],
): Promise<OpenReadiness> {
  const checks = new Readiness();
  let open = false;
  checks.add({ name: "open", holds: () => open });
  const file = readyFile === undefined ? undefined : openReadyFile(resolve(io.cwd, readyFile));
  const health = healthPort === undefined ? undefined : await startHealthServer(healthPort, checks);
  if (health !== undefined) stops.push(() => health.close());
  const announce = (fields: object) => {
    open = true;
    file?.write(fields);
    return () => {
      open = false;
      file?.remove();
    };
  };
  const update = (fields: object) => {
    if (open) file?.write(fields);
  };
  return { checks, announce, update, healthUrl: health?.url };
}

/** Whether the inbox takes a write: its file is still there, and nobody else holds it. Writes nothing. */
export async function canWrite(inbox: Inbox): Promise<boolean> {
  await inbox.renew([], 0);
  return true;
}
