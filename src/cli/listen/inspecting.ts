import type { NamedHost } from "../../inspector/door/named-host.ts";
import { startInspector } from "../../inspector/inspector.ts";
import type { DiagnoseRefusal } from "../../inspector/live/refused-bodies.ts";
import type { RunNotes } from "../../inspector/live/run-notes.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { createCliLogger } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { findLearnedData } from "../learn/learned-data.ts";
import type { FoundSecrets } from "../secrets/secret.ts";
import { reserveInstants } from "../send/instants.ts";
import { tokenFile } from "./token-file.ts";

export interface InspectOptions {
  /** 0 means any free port. Default 4401, or a free one if that is taken. */
  readonly inspectPort?: number;
  /** Forwarded addresses under which the page may be open. */
  readonly inspectHost?: readonly NamedHost[];
  /** False with `--no-inspect`. */
  readonly inspect?: boolean;
  /** The shape file from which the page's trigger makes up data. Default: the usual one, if there is one. */
  readonly shapes?: string;
}

interface Inspected {
  readonly receiver: Receiver;
  readonly endpoint: URL;
  readonly secrets: FoundSecrets;
  readonly inbox: string;
  readonly handlers: string | undefined;
  readonly targets: readonly URL[];
  readonly signatureHeader: string | undefined;
  readonly diagnose: DiagnoseRefusal;
  readonly runNotes?: RunNotes;
}

/**
 * Starts the inspector beside a receiver, unless it is turned off; returns its page's address. Adds its close function to
 * `stops`. Throws `port_unavailable`.
 */
export async function openInspector(
  { inspect = true, inspectPort, inspectHost = [], ...learning }: InspectOptions,
  { inbox, signatureHeader = SIGNATURE_HEADER, secrets, handlers, ...inspected }: Inspected,
  context: CliContext,
  stops: (() => unknown)[],
): Promise<URL | undefined> {
  const { io, output, clock } = context;
  if (!inspect) return undefined;
  const madeUp = await findLearnedData(learning, context);
  const inspector = await startInspector({
    ...{ ...inspected, signatureHeader, handlers: handlers ?? null, port: inspectPort },
    ...{ inboxName: inbox, secrets: secrets.values },
    ...{ hosts: inspectHost, tokenRecords: tokenFile(io.cwd, output), madeUp },
    reserveInstants: (count) => reserveInstants(count, { cwd: io.cwd, clock, dryRun: false }),
    ...{ clock, log: createCliLogger(output) },
  });
  stops.push(() => inspector.close());
  return inspector.url;
}
